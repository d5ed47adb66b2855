/** Compaction: a summary by the model, or, where that fails, a deterministic shortening that always fits. */
import type { TextBlock, UserBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { reminder } from '../lib/reminder.ts';
import summaryPrompt from './compact.md';
import { usesOf } from './conversation.ts';
import type { Here } from './deps.ts';
import { requestOf } from './sample.ts';

/** Characters a token stands for when nobody counts exactly; low, so that estimates err on the large side. */
const charsPerToken = 3;
const maxPerTurn = 3;

const estimate = (value: unknown): number => Math.ceil(JSON.stringify(value).length / charsPerToken);

/** Tokens the next request will carry: what the service counted last, and what came since. */
export const nextTokens = (here: Here): number => {
  const { messages, contextTokens } = here.state();
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return contextTokens > 0 ? contextTokens + estimate(messages.slice(last + 1)) : estimate(messages);
};

/** True when it compacted. Never more than a few tries a turn. */
export const compactWhenFull = async (here: Here, signal: AbortSignal, done: number): Promise<boolean> => {
  const { enabled, at } = here.deps.autoCompact;
  if (!enabled || done >= maxPerTurn || nextTokens(here) < here.deps.facts(here.state().model).window * at)
    return false;
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
    tail: [...ledger.map(reminder), ...request],
  };
};

const summarise = async (here: Here, wish: Wish): Promise<string | undefined> => {
  const request = requestOf(here);
  const focus = wish.focus ? `\n\nPay special attention to: ${wish.focus}` : '';
  const messages = [
    ...request.messages,
    { role: 'user' as const, content: [{ type: 'text' as const, text: `${summaryPrompt}${focus}` }] },
  ];
  for await (const event of here.deps.model.stream(
    { ...request, messages: mergedTail(messages) },
    wish.signal,
  )) {
    if (event.type === 'failed') return undefined;
    if (event.type === 'done') return textOf(event.message.content).trim() || undefined;
  }
  return undefined;
};

/** The question goes into the last user message where there is one: roles alternate. */
const mergedTail = (
  messages: ReturnType<typeof requestOf>['messages'],
): ReturnType<typeof requestOf>['messages'] => {
  const [before, last] = messages.slice(-2);
  if (before?.role !== 'user' || last?.role !== 'user') return messages;
  return [...messages.slice(0, -2), { role: 'user', content: [...before.content, ...last.content] }];
};

const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} […]`;

/** One line per thing that happened, newest kept first when space is short. */
const digest = (here: Here, chars: number): string => {
  const lines = here.state().messages.flatMap((message) => {
    const text = textOf(message.content).trim();
    const said =
      text === '' || text.startsWith('<system-reminder>') ? [] : [`${message.role}: ${clip(text, 600)}`];
    const did =
      message.role === 'assistant'
        ? usesOf(message).map((use) => `called ${use.name} ${clip(JSON.stringify(use.input), 200)}`)
        : [];
    return [...said, ...did];
  });
  const taken: string[] = [];
  let left = chars;
  for (const line of lines.toReversed()) {
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    taken.push(line);
  }
  const dropped = lines.length - taken.length;
  return [...(dropped > 0 ? [`(${dropped} earlier steps were dropped)`] : []), ...taken.toReversed()].join(
    '\n',
  );
};

/** Shortens without a model: the next request stays under 60 % of the window. */
const shorten = (here: Here, fixed: unknown): string => {
  const request = requestOf(here);
  const budget =
    here.deps.facts(request.model).window * 0.5 - estimate([request.system, request.tools, fixed]);
  return `The conversation was shortened without a summary. What happened, in order:\n${digest(here, Math.max(0, budget * charsPerToken))}`;
};

/** Compacts now. False when a hook refused or there was nothing to compact. */
export const compaction = async (here: Here, wish: Wish): Promise<boolean> => {
  const { hooks } = here.deps;
  const before = here.state();
  if (before.messages.length < 2) return false;
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
  const preTokens = nextTokens(here);
  const [written, { head, tail }] = await Promise.all([summarise(here, wish), kept(here, wish.signal)]);
  if (wish.signal.aborted) {
    here.emit({ type: 'compacting', on: false });
    return false;
  }
  const how = written === undefined ? 'shortened' : 'model';
  const summary = written ?? shorten(here, [head, tail]);
  const messages: readonly UserBlock[] = [
    ...head,
    { type: 'text', text: `This conversation was compacted. Summary of what came before:\n\n${summary}` },
    ...tail,
  ];
  await here.record({ type: 'compacted', trigger: wish.trigger, preTokens, summary, messages, how }, 'sync');
  here.emit({ type: 'compacting', on: false });
  here.emit({
    type: 'notice',
    level: 'info',
    text: `Compacted ${before.messages.length} messages (about ${preTokens} tokens) into ${how === 'model' ? 'a summary' : 'a shortened record, because no summary could be made'}. Kept word for word: instructions, open work, the last request. Dropped: tool output and earlier wording; the transcript still has them.`,
  });
  await hooks.dispatch(
    'PostCompact',
    { trigger: wish.trigger, compact_summary: summary },
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
