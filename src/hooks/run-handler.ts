/** Runs one handler from its first event to its record; never throws. */
import type { HookEvent, HookHandler, HookScope } from '../contract/hook.ts';
import { noVerdict } from '../contract/hook.ts';
import { errorText } from '../lib/error-text.ts';
import type { Fields } from './input.ts';
import type { Ran, RunCall, Runner } from './runner.ts';
import type { Placed } from './selection.ts';
import { fold, refusal, refuses } from './verdict.ts';
import { boundVerdict, effectOf, excerpt, maskVerdict, type Spill } from './words.ts';

export interface Runners {
  readonly command: Runner<'command'>;
  readonly prompt: Runner<'prompt'>;
  readonly agent: Runner<'agent'>;
  readonly http: Runner<'http'>;
}

export interface Outfit {
  readonly runners: Runners;
  newId(): string;
  /** Takes secrets out of a text before it is shown or kept. */
  mask?(text: string): string;
  spill?(at: HookScope, label: string): Spill;
}

export interface Order {
  readonly event: HookEvent;
  readonly payload: Fields;
  readonly input: Fields;
  readonly placed: Placed;
  readonly at: HookScope;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly background: boolean;
  /** The run has begun. */
  started(): void;
}

/** One run, over and recorded. */
export interface Done {
  readonly placed: Placed;
  readonly ran: Ran;
  readonly ms: number;
  /** It went to the background by itself: how that ends. */
  readonly rest?: Promise<Done>;
}

const broken = (order: Order, error: unknown): Ran => {
  const why = `${order.event} hook ${order.placed.label} failed: ${errorText(error)}`;
  return {
    outcome: 'error',
    exitCode: null,
    stdout: '',
    stderr: why,
    verdict: noVerdict,
    notices: [why],
    unsure: why,
  };
};

const start = (runners: Runners, call: RunCall, handler: HookHandler): Promise<Ran> => {
  switch (handler.type) {
    case 'command':
      return runners.command({ ...call, handler });
    case 'prompt':
      return runners.prompt({ ...call, handler });
    case 'agent':
      return runners.agent({ ...call, handler });
    case 'http':
      return runners.http({ ...call, handler });
  }
};

/** A gate that failed: closed if it is told so, else the call asks. */
const failedGate = (order: Order, ran: Ran): Ran => {
  const { event, payload, placed } = order;
  const failed = ran.outcome === 'error' || ran.outcome === 'timeout';
  if (order.background || !failed) return ran;
  if (placed.handler.onFailure === 'block' && !refuses(ran.verdict)) {
    const why = ran.unsure ?? ran.notices[0] ?? `${event} hook ${placed.label} failed.`;
    const { decision: _, reason: __, updatedInput: ___, ...rest } = ran.verdict;
    return { ...ran, verdict: fold([refusal(event, payload, why, placed.label), rest]) };
  }
  if (ran.unsure === undefined || event !== 'PreToolUse') return ran;
  return { ...ran, verdict: { ...ran.verdict, uncertain: ran.unsure } };
};

const masked = (ran: Ran, mask: (text: string) => string): Ran => ({
  ...ran,
  stdout: mask(ran.stdout),
  stderr: mask(ran.stderr),
  notices: ran.notices.map(mask),
  verdict: maskVerdict(ran.verdict, mask),
});

export const runHandler = async (outfit: Outfit, order: Order): Promise<Done> => {
  const { event, placed, at } = order;
  const { handler, label } = placed;
  const id = outfit.newId();
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  const { statusMessage } = handler;
  at.emit({ type: 'hook.started', id, event, label, ...(statusMessage ? { statusMessage } : {}) });

  const finish = async (given: Ran): Promise<Done> => {
    const closed = failedGate(order, given);
    const ran = outfit.mask ? masked(closed, outfit.mask) : closed;
    const verdict = await boundVerdict(ran.verdict, outfit.spill?.(at, label)).catch(() => ran.verdict);
    const ms = elapsed();
    const { outcome, exitCode } = ran;
    const printed = { stdout: excerpt(ran.stdout), stderr: excerpt(ran.stderr) };
    at.emit({ type: 'hook.finished', id, event, label, outcome, exitCode, ...printed, ms });
    for (const text of [...ran.notices, ...verdict.systemMessages])
      at.emit({ type: 'notice', level: 'warn', text });
    const effect = effectOf(ran);
    const run = {
      id,
      event,
      type: handler.type,
      label,
      source: placed.source.source,
      input: order.input,
      exitCode,
      ...printed,
      durationMs: ms,
      outcome,
      ...(effect ? { effect } : {}),
      key: placed.key,
    };
    at.record(run, handler.once && !at.spend ? placed.key : undefined).catch((error: unknown) =>
      at.emit({ type: 'notice', level: 'error', text: `A hook run could not be recorded: ${String(error)}` }),
    );
    return { placed, ran: { ...ran, verdict }, ms };
  };

  const call: RunCall = {
    event,
    payload: order.payload,
    input: outfit.mask?.(JSON.stringify(order.input)) ?? JSON.stringify(order.input),
    handler,
    source: placed.source,
    scope: at,
    by: label,
    timeoutMs: order.timeoutMs,
    signal: order.signal,
    background: order.background,
    started: order.started,
  };
  const ran = await start(outfit.runners, call, handler).catch((error: unknown) => broken(order, error));
  if (!ran.rest) return finish(ran);
  const { rest, ...first } = ran;
  return {
    placed,
    ran: first,
    ms: elapsed(),
    rest: rest.catch((error: unknown) => broken(order, error)).then(finish),
  };
};
