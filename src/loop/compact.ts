/** Compaction: a summary by the model, or, where that fails, a deterministic shortening that always fits. */
import type { Message, TextBlock, Usage, UserBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import type { ModelRequest } from '../contract/model.ts';
import { reminder } from '../lib/reminder.ts';
import { aside } from './aside.ts';
import summaryPrompt from './compact.md';
import type { Here } from './deps.ts';
import { atLeast, estimate } from './estimate.ts';
import { requestOf } from './sample.ts';
import { lightened, shortened } from './shorten.ts';

/** Tokens the next request will carry: what the service counted last, and what came since. */
const nextTokens = (here: Here, model: string): number => {
  const { messages, contextTokens } = here.state();
  const least = atLeast(messages);
  if (least > here.deps.facts(model).window) return least;
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return contextTokens > 0 ? contextTokens + estimate(messages.slice(last + 1)) : estimate(messages);
};

/** True when it compacted. */
export const compactWhenFull = async (here: Here, signal: AbortSignal): Promise<boolean> => {
  const { model } = requestOf(here);
  const at = here.deps.autoCompact(model);
  if (at === undefined || nextTokens(here, model) < here.deps.facts(model).window * at) return false;
  return compaction(here, { trigger: 'auto', signal });
};

interface Wish {
  readonly trigger: 'manual' | 'auto';
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/** What survives word for word: instructions and facts, open work, the last request. */
const kept = async (
  here: Here,
  signal: AbortSignal,
): Promise<{ readonly head: readonly TextBlock[]; readonly tail: readonly UserBlock[] }> => {
  const state = here.state();
  const ledger = await here.deps.ledger(state);
  const request: readonly UserBlock[] = state.prompt
    ? [{ type: 'text', text: 'The last request, word for word:' }, ...state.prompt]
    : [];
  return {
    head: await here.deps.opening(state, 'compact', here.scope(signal)),
    tail: [...[...ledger, ...knownFiles(here)].map(reminder), ...request, ...(state.notices ?? [])],
  };
};

const MOST_FILES = 50;

/** Files whose content the model has seen: their names outlive the summary. */
const knownFiles = (here: Here): readonly string[] => {
  const paths = Object.keys(here.state().seen);
  if (paths.length === 0) return [];
  const shown = paths.slice(-MOST_FILES);
  const more = paths.length - shown.length;
  return [
    `Files read or changed in this conversation (their content is gone from it; read again what you need)${more > 0 ? `, the last ${shown.length} of ${paths.length}` : ''}:\n${shown.join('\n')}`,
  ];
};

interface Summary {
  readonly text: string;
  readonly usage: Usage;
  readonly model: string;
}

/** A summary by the model, of what it is asked to look at, and what it used; undefined where none could be made. */
export const summaryBy = (here: Here, focus: string, signal: AbortSignal): Promise<Summary | undefined> =>
  summarise(here, { trigger: 'manual', focus, signal });

/** Asked of the whole conversation; where that is too long, of one without its tool output. */
const summarise = async (here: Here, wish: Wish): Promise<Summary | undefined> => {
  const request = requestOf(here);
  const { window } = here.deps.facts(request.model);
  for (const lighter of [false, true]) {
    const messages = lighter ? lightened(request.messages) : request.messages;
    // What cannot fit is not sent to be refused.
    if (atLeast(messages) > window) continue;
    const asked = await askSummary(here, { ...request, messages }, wish);
    if (asked !== 'too long') return asked;
  }
  return undefined;
};

const askSummary = async (
  here: Here,
  request: ModelRequest,
  wish: Wish,
): Promise<Summary | 'too long' | undefined> => {
  const focus = wish.focus ? `\n\nPay special attention to: ${wish.focus}` : '';
  const question = {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `${summaryPrompt}${focus}` }],
  };
  const messages = mergedTail([...request.messages, question]);
  const asked = await aside(here.deps, here.state(), { ...request, messages }, wish.signal);
  if ('failure' in asked) return asked.failure.kind === 'context_exceeded' ? 'too long' : undefined;
  const { content, usage, model, stop_reason } = asked.message;
  const text = textOf(content).trim();
  // A refusal, a call and half a summary have words too, but not what is to be kept.
  const whole = stop_reason === 'end_turn' || stop_reason === 'stop_sequence';
  return text === '' || !whole ? undefined : { text, usage, model };
};

/** The question goes into the last user message where there is one: roles alternate. */
const mergedTail = (messages: readonly Message[]): readonly Message[] => {
  const [before, last] = messages.slice(-2);
  if (before?.role !== 'user' || last?.role !== 'user') return messages;
  return [...messages.slice(0, -2), { role: 'user', content: [...before.content, ...last.content] }];
};

/** The summary where it leaves room to go on, else the conversation shortened without a model. */
const fitting = (
  here: Here,
  written: Summary | undefined,
  kept: unknown,
): { readonly text: string; readonly how: 'model' | 'shortened' } => {
  const { model, system, tools } = requestOf(here);
  const { window } = here.deps.facts(model);
  const room = Math.min(1, here.deps.autoCompact(model) ?? 1) * window;
  const fixed = [system, tools, kept];
  if (written && estimate([fixed, written.text]) < room * 0.6) return { text: written.text, how: 'model' };
  return { text: shortened(here.state().messages, room, fixed), how: 'shortened' };
};

/** Puts a summary in the place of what was said; undefined when it was interrupted. */
const replaced = async (
  here: Here,
  wish: Wish,
): Promise<{ readonly summary: string; readonly said: string } | undefined> => {
  const { length } = here.state().messages;
  const preTokens = nextTokens(here, requestOf(here).model);
  const [written, { head, tail }] = await Promise.all([summarise(here, wish), kept(here, wish.signal)]);
  if (wish.signal.aborted) return undefined;
  const { text: summary, how } = fitting(here, written, [head, tail]);
  const messages: readonly UserBlock[] = [
    ...head,
    { type: 'text', text: `This conversation was compacted. Summary of what came before:\n\n${summary}` },
    ...tail,
  ];
  await here.record(
    {
      type: 'compacted',
      trigger: wish.trigger,
      preTokens,
      summary,
      messages,
      how,
      ...(written ? { usage: written.usage, model: written.model } : {}),
    },
    'sync',
  );
  const said = `Compacted ${length} messages (about ${preTokens} tokens) into ${how === 'model' ? 'a summary' : 'a shortened record, because no summary could be made'}. Kept word for word: instructions, open work, the last request. Dropped: tool output and earlier wording; the transcript still has them.`;
  return { summary, said };
};

/** Compacts now. False when a hook refused or there was nothing to compact. */
export const compaction = async (here: Here, wish: Wish): Promise<boolean> => {
  const { hooks } = here.deps;
  // The instructions and the first request alone cannot be made shorter.
  if (!here.state().messages.some(({ role }) => role === 'assistant')) return false;
  const pre = await hooks.dispatch(
    'PreCompact',
    { trigger: wish.trigger, custom_instructions: wish.focus ?? '' },
    here.scope(wish.signal),
  );
  if (pre.blocked !== undefined) {
    here.emit({ type: 'notice', level: 'warn', text: `A hook stopped the compaction: ${pre.blocked}` });
    return false;
  }
  here.emit({ type: 'compacting', on: true });
  const done = await replaced(here, wish).finally(() => here.emit({ type: 'compacting', on: false }));
  if (!done) return false;
  here.emit({ type: 'notice', level: 'info', text: done.said });
  await hooks.dispatch(
    'PostCompact',
    { trigger: wish.trigger, compact_summary: done.summary },
    here.scope(wish.signal),
  );
  const context = await here.started('compact');
  if (context.length > 0)
    await here.record({
      type: 'user',
      meta: true,
      origin: { kind: 'hook', label: 'SessionStart' },
      content: context.map(reminder),
    });
  return true;
};
