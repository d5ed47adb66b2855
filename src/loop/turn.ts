/** One turn: from what was said to the end of the answer. */
import type { AssistantMessage, ToolUseBlock } from '../contract/message.ts';
import { textOf, type Usage } from '../contract/message.ts';
import { reminder } from '../lib/reminder.ts';
import { compactWhenFull } from './compact.ts';
import { succeeded, usesOf } from './conversation.ts';
import type { Here } from './deps.ts';
import { execute } from './execute.ts';
import { tellNews } from './mail.ts';
import { createPatience, mostByHooks, type Patience } from './patience.ts';
import { interrupted, recover, remark } from './recover.ts';
import { sample } from './sample.ts';
import type { TurnEnd } from './turn-end.ts';

export interface Turn {
  readonly signal: AbortSignal;
  /** Takes in what was said meanwhile; answers how many messages that were. */
  hear(): Promise<number>;
  /** Stop or SubagentStop hooks: a reason to go on, or undefined to end. */
  mayEnd(text: string, active: boolean): Promise<{ readonly goOn?: string; readonly stop?: string }>;
}

export const usageSince = (here: Here, from: Usage): Usage => {
  const now = here.state().usage;
  return {
    input_tokens: now.input_tokens - from.input_tokens,
    output_tokens: now.output_tokens - from.output_tokens,
    cache_creation_input_tokens: now.cache_creation_input_tokens - from.cache_creation_input_tokens,
    cache_read_input_tokens: now.cache_read_input_tokens - from.cache_read_input_tokens,
  };
};

/** Model and tools in turn until the model is done, a limit is reached, or somebody stops it. */
export const respond = async (here: Here, turn: Turn): Promise<TurnEnd> => {
  const patience = createPatience();
  here.budget.begin();
  try {
    for (;;) {
      const end = await round(here, turn, patience);
      if (end) return end;
    }
  } finally {
    here.budget.account(here.state());
  }
};

/** One request and what follows from its reply; undefined to go on. */
const round = async (here: Here, turn: Turn, patience: Patience): Promise<TurnEnd | undefined> => {
  const { signal } = turn;
  const parked = await here.budget.parked(here, signal);
  if (signal.aborted) return interrupted(here);
  if (parked) return parked;
  if (patience.left('compaction') && (await compactWhenFull(here, signal))) patience.spend('compaction');
  if (signal.aborted) return interrupted(here);
  await tellNews(here, signal);
  const sampled = await sample(here, signal);
  if (sampled.kind === 'interrupted') return interrupted(here, sampled.seen);
  if (sampled.kind === 'failed') return recover(here, sampled, patience, signal);
  const { message, requestId } = sampled;
  await here.record({ type: 'assistant', message, requestId });
  here.budget.answered();
  const uses = usesOf(message);
  return uses.length > 0 ? afterCalls(here, turn, message, uses) : afterAnswer(here, turn, message, patience);
};

/** Runs the calls of a reply and hears what was said meanwhile. */
const afterCalls = async (
  here: Here,
  turn: Turn,
  message: AssistantMessage,
  uses: readonly ToolUseBlock[],
): Promise<TurnEnd | undefined> => {
  const done = await execute(here, uses, turn.signal);
  if (done.interrupted) return interrupted(here);
  const text = textOf(message.content);
  if (done.stop === 'refused') return { stop: 'stopped', text };
  if (done.stop) return { stop: 'stopped', text, error: done.stop };
  const answered = (use: ToolUseBlock) =>
    use.name === here.opening.endsWith && succeeded(here.state().messages, use.id);
  if (uses.some(answered)) return { stop: 'end_turn', text };
  await turn.hear();
  return;
};

/** A reply without calls ends the turn, unless it was cut, somebody spoke, or a hook wants more. */
const afterAnswer = async (
  here: Here,
  turn: Turn,
  message: AssistantMessage,
  patience: Patience,
): Promise<TurnEnd | undefined> => {
  if (message.stop_reason === 'pause_turn') return;
  if (message.stop_reason === 'max_tokens' && patience.spend('length')) {
    await remark(
      here,
      'length',
      'Your reply reached the output limit and was cut. Go on exactly where it ended.',
    );
    return;
  }
  if ((await turn.hear()) > 0) return;
  const { endsWith } = here.opening;
  if (endsWith !== undefined && patience.spend('answer')) {
    await remark(here, 'answer', `Give your final answer now by calling ${endsWith}; nothing else is read.`);
    return;
  }
  const text = textOf(message.content);
  const verdict = await turn.mayEnd(text, patience.tried('hook'));
  if (verdict.stop !== undefined) return { stop: 'stopped', text, error: verdict.stop };
  if (verdict.goOn !== undefined && patience.spend('hook')) {
    const content = [reminder(`Stop hook feedback: ${verdict.goOn}`)];
    await here.record({ type: 'user', meta: true, origin: { kind: 'hook', label: 'Stop' }, content });
    return;
  }
  if (verdict.goOn !== undefined)
    here.emit({
      type: 'notice',
      level: 'warn',
      text: `Stop hooks asked to go on ${mostByHooks} times in a row; the turn ends here.`,
    });
  return { stop: message.stop_reason ?? 'end_turn', text };
};
