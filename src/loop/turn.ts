/** One turn: from what was said to the end of the answer. */
import type { AssistantMessage, StopReason } from '../contract/message.ts';
import { textOf, type Usage } from '../contract/message.ts';
import type { Failure } from '../contract/model.ts';
import { reminder } from '../lib/reminder.ts';
import { compaction, compactWhenFull } from './compact.ts';
import { openUses, refusal, succeeded, usesOf } from './conversation.ts';
import type { Here } from './deps.ts';
import { execute } from './execute.ts';
import { tellNews } from './mail.ts';
import { partialOf, sample } from './sample.ts';

export interface TurnEnd {
  readonly stop: StopReason | 'failed' | 'interrupted' | 'max_turns' | 'budget' | 'stopped';
  readonly text: string;
  readonly error?: string;
  readonly failure?: Failure;
  /** Parked by a limit that counts anew when it goes on. */
  readonly fresh?: boolean;
}

export interface Turn {
  readonly signal: AbortSignal;
  /** Takes in what was said meanwhile; answers how many messages that were. */
  hear(): Promise<number>;
  /** Stop or SubagentStop hooks: a reason to go on, or undefined to end. */
  mayEnd(text: string, active: boolean): Promise<{ readonly goOn?: string; readonly stop?: string }>;
}

const stopCap = 8;
const cutCap = 5;
const longCap = 3;
const nudgeCap = 3;

/** Keeps what the person saw of a cut reply and asks for the rest. */
const keepCut = async (here: Here, seen: AssistantMessage['content'], why: string): Promise<boolean> => {
  const message = partialOf(here.state().model, `partial_${here.deps.newId()}`, seen, `incomplete: ${why}`);
  if (!message) return false;
  await here.record({ type: 'assistant', message, partial: true });
  return true;
};

const say = (here: Here, about: string, text: string): Promise<void> =>
  here.record({ type: 'user', meta: true, origin: { kind: 'system', about }, content: [reminder(text)] });

const interrupted = async (here: Here, seen: AssistantMessage['content']): Promise<TurnEnd> => {
  await keepCut(here, seen, 'interrupted by the user');
  for (const use of openUses(here.state().messages))
    await here.record({
      type: 'user',
      origin: { kind: 'tools' },
      content: [refusal(use.id, '[interrupted] The user interrupted before this call ran.')],
    });
  await say(here, 'interrupt', 'The user interrupted this turn. Wait for what they say next.');
  return { stop: 'interrupted', text: textOf(seen) };
};

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
  here.budget.begin();
  return await rounds(here, turn).finally(() => here.budget.account(here.state()));
};

const rounds = async (here: Here, turn: Turn): Promise<TurnEnd> => {
  const { signal } = turn;
  let blocks = 0;
  let cuts = 0;
  let long = 0;
  let compactions = 0;
  let nudges = 0;
  for (;;) {
    const parked = await here.budget.parked(here, signal);
    if (signal.aborted) return interrupted(here, []);
    if (parked) return parked;
    if (await compactWhenFull(here, signal, compactions)) compactions += 1;
    if (signal.aborted) return interrupted(here, []);
    await tellNews(here, signal);
    const sampled = await sample(here, signal);
    if (sampled.kind === 'interrupted') return interrupted(here, sampled.seen);
    if (sampled.kind === 'failed') {
      const { failure, seen } = sampled;
      if (failure.kind === 'context_exceeded' && compactions < 3) {
        compactions += 1;
        if (await compaction(here, { trigger: 'auto', signal })) continue;
      }
      const kept = await keepCut(here, seen, 'the connection was lost');
      if (failure.retryable && seen.length > 0 && cuts < cutCap) {
        cuts += 1;
        here.emit({ type: 'restarted', reason: failure.text });
        if (kept)
          await say(
            here,
            'cut',
            'Your last reply was cut off by a lost connection; what arrived of it stands above. Go on from there. Tool calls of that reply did not run.',
          );
        continue;
      }
      return { stop: 'failed', text: textOf(seen), error: failure.text, failure };
    }
    const { message } = sampled;
    await here.record({ type: 'assistant', message, requestId: sampled.requestId });
    here.budget.answered();
    const uses = usesOf(message);
    if (uses.length > 0) {
      const done = await execute(here, uses, signal);
      if (done.interrupted) return interrupted(here, []);
      if (done.stop)
        return {
          stop: 'stopped',
          text: textOf(message.content),
          ...(done.stop === 'refused' ? {} : { error: done.stop }),
        };
      if (uses.some((use) => use.name === here.opening.endsWith && succeeded(here.state().messages, use.id)))
        return { stop: 'end_turn', text: textOf(message.content) };
      await turn.hear();
      continue;
    }
    if (message.stop_reason === 'pause_turn') continue;
    if (message.stop_reason === 'max_tokens' && long < longCap) {
      long += 1;
      await say(
        here,
        'length',
        'Your reply reached the output limit and was cut. Go on exactly where it ended.',
      );
      continue;
    }
    if ((await turn.hear()) > 0) continue;
    if (here.opening.endsWith !== undefined && nudges < nudgeCap) {
      nudges += 1;
      await say(
        here,
        'answer',
        `Give your final answer now by calling ${here.opening.endsWith}; nothing else is read.`,
      );
      continue;
    }
    const text = textOf(message.content);
    const end = await turn.mayEnd(text, blocks > 0);
    if (end.stop !== undefined) return { stop: 'stopped', text, error: end.stop };
    if (end.goOn !== undefined && blocks < stopCap) {
      blocks += 1;
      await here.record({
        type: 'user',
        meta: true,
        origin: { kind: 'hook', label: 'Stop' },
        content: [reminder(`Stop hook feedback: ${end.goOn}`)],
      });
      continue;
    }
    if (end.goOn !== undefined)
      here.emit({
        type: 'notice',
        level: 'warn',
        text: `Stop hooks asked to go on ${stopCap} times in a row; the turn ends here.`,
      });
    return { stop: message.stop_reason ?? 'end_turn', text };
  }
};
