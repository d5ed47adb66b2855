/** Calls are cleared in source order, run side by side where a tool allows it, and every one gets exactly one result. */

import type { ToolResultBlock, ToolUseBlock } from '../contract/message.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { deferred } from '../lib/deferred.ts';
import { errorText } from '../lib/error-text.ts';
import { reminder } from '../lib/reminder.ts';
import { type Cleared, clear, contextNote, isCleared, type Settled, wouldBeParallel } from './clear.ts';
import { refusal } from './conversation.ts';
import type { Here } from './deps.ts';

/** Why the loop should not ask the model again after these calls. */
export interface Executed {
  readonly stop?: string;
  readonly interrupted: boolean;
}

/** A thrown error and a returned one are the same. */
const outcomeOf = async (tool: Tool, call: PreparedCall, ctx: ToolContext): Promise<ToolOutcome> => {
  try {
    return await call.run(ctx);
  } catch (error) {
    return { status: 'error', text: `${tool.schema.name} failed: ${errorText(error)}` };
  }
};

/** Runs a cleared call. */
const run = async (
  here: Here,
  use: ToolUseBlock,
  { call, ctx, tool, context, comment, stop }: Cleared,
): Promise<Settled> => {
  here.emit({
    type: 'tool.started',
    call: use.id,
    tool: tool.schema.name,
    subject: call.subject,
    input: call.input,
  });
  const outcome = ctx.signal.aborted ? cancelled : await outcomeOf(tool, call, ctx);
  for (const effect of outcome.effects ?? []) await here.record(effect);
  const said = comment ? [`The user allowed this call and says: ${comment}`] : [];
  return { outcome, context: [...context, ...said], stop };
};

const cancelled: ToolOutcome = { status: 'cancelled', text: 'Interrupted by the user before it ran.' };

/** After a call, success or not: one expression, so that no path forgets its event. */
const after = async (
  here: Here,
  use: ToolUseBlock,
  input: unknown,
  settled: Settled,
  ms: number,
  signal: AbortSignal,
): Promise<Settled> => {
  const { outcome } = settled;
  if (outcome.status === 'denied') return settled;
  const facts = {
    tool_name: canonicalName(use.name),
    tool_input: input,
    tool_use_id: use.id,
    duration_ms: ms,
  };
  const scope = here.scope(signal.aborted ? new AbortController().signal : signal);
  const verdict =
    outcome.status === 'ok'
      ? await here.deps.hooks.dispatch(
          'PostToolUse',
          { ...facts, tool_response: outcome.response ?? outcome.text },
          scope,
        )
      : await here.deps.hooks.dispatch(
          'PostToolUseFailure',
          {
            ...facts,
            error: outcome.text,
            ...(outcome.status === 'cancelled' ? { is_interrupt: true } : {}),
          },
          scope,
        );
  const event = outcome.status === 'ok' ? 'PostToolUse' : 'PostToolUseFailure';
  const blocked = verdict.blocked === undefined ? [] : [`${event} hook feedback: ${verdict.blocked}`];
  const text =
    verdict.updatedOutput === undefined
      ? outcome.text
      : typeof verdict.updatedOutput === 'string'
        ? verdict.updatedOutput
        : JSON.stringify(verdict.updatedOutput);
  return {
    outcome: verdict.updatedOutput === undefined ? outcome : { ...outcome, text },
    context: [...settled.context, ...contextNote(event, verdict.context), ...blocked],
    stop: verdict.stop ?? settled.stop,
  };
};

const resultOf = (use: ToolUseBlock, outcome: ToolOutcome): ToolResultBlock =>
  outcome.status === 'ok'
    ? {
        type: 'tool_result',
        tool_use_id: use.id,
        content: outcome.blocks ?? (outcome.text === '' ? '(no output)' : outcome.text),
      }
    : refusal(use.id, outcome.text === '' ? 'It failed without a message.' : outcome.text);

const summaryOf = (use: ToolUseBlock, { display }: ToolOutcome) =>
  display && display.kind !== 'diff' && display.summary ? { summaries: { [use.id]: display.summary } } : {};

/** Writes the one result of a call, with what hooks and the person add. */
const report = async (here: Here, use: ToolUseBlock, settled: Settled, ms: number): Promise<void> => {
  const { outcome } = settled;
  const response = outcome.response ?? (outcome.status === 'ok' ? outcome.text : `Error: ${outcome.text}`);
  await here.record({
    type: 'user',
    origin: { kind: 'tools' },
    content: [resultOf(use, outcome), ...settled.context.map(reminder)],
    responses: { [use.id]: response },
    ...summaryOf(use, outcome),
  });
  here.emit({
    type: 'tool.finished',
    call: use.id,
    tool: canonicalName(use.name),
    status: outcome.status,
    text: outcome.text,
    display: outcome.display,
    ms,
  });
};

/** One call from clearing to its recorded result. `cleared` is told whether it is parallel, and says when to run. */
const one = async (
  here: Here,
  use: ToolUseBlock,
  signal: AbortSignal,
  cleared: (parallel: boolean) => Promise<unknown>,
): Promise<string | undefined> => {
  const from = performance.now();
  const ready = signal.aborted ? { outcome: cancelled, context: [] } : await clear(here, use, signal);
  await cleared(isCleared(ready) && ready.call.parallel);
  const begun = performance.now();
  const settled = isCleared(ready) ? await run(here, use, ready) : ready;
  const ms = Math.round(performance.now() - (isCleared(ready) ? begun : from));
  const final = await after(here, use, isCleared(ready) ? ready.call.input : use.input, settled, ms, signal);
  await report(here, use, final, ms);
  return final.stop ?? (final.outcome.status === 'ok' ? final.outcome.ends : undefined);
};

/** Effects of a call are applied before the next one is cleared, unless both are parallel. */
export const execute = async (
  here: Here,
  uses: readonly ToolUseBlock[],
  signal: AbortSignal,
): Promise<Executed> => {
  const running: Promise<string | undefined>[] = [];
  const stops: (string | undefined)[] = [];
  /** All of them get their results, also where one of them fails. */
  const drain = async () => {
    for (const ended of await Promise.allSettled(running.splice(0))) {
      if (ended.status === 'rejected') throw ended.reason;
      stops.push(ended.value);
    }
  };
  for (const use of uses) {
    const stopping = stops.some((stop) => stop === 'refused');
    if (stopping) {
      await report(
        here,
        use,
        {
          outcome: {
            status: 'cancelled',
            text: 'Not run: the user refused an earlier call of the same reply.',
          },
          context: [],
        },
        0,
      );
      continue;
    }
    if (running.length > 0 && !wouldBeParallel(here, use)) await drain();
    const gate = deferred<boolean>();
    const before = [...running];
    const job = one(here, use, signal, async (parallel) => {
      gate.resolve(parallel);
      // What hooks or the person made of it may be another call than the one that was to join.
      if (!parallel) await Promise.all(before);
    });
    // It may fail long before it is waited for: `drain` hears of it then.
    job.catch(() => undefined);
    running.push(job);
    if (!(await gate.promise)) await drain();
  }
  await drain();
  return { stop: stops.find((stop) => stop !== undefined), interrupted: signal.aborted };
};
