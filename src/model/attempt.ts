import type { ModelEvent, RateLimits } from '../contract/model.ts';
import type { Assembler } from './assemble.ts';
import type { Connection } from './connection.ts';
import { PlainHeaders } from './plain-headers.ts';
import type { Answer } from './plain-response.ts';
import { rateLimitsOf } from './retry.ts';
import { type ServerSentEvent, serverSentEvents } from './sse.ts';
import { eventTrouble, httpTrouble, jsonOf, networkTrouble, type Trouble } from './trouble.ts';
import { knownEvents, type WireEvent, wholeMessage, wireEvent } from './wire.ts';

export interface AttemptDeps {
  readonly connection: Connection;
  readonly body: unknown;
  readonly betas: readonly string[];
  readonly assembler: Assembler;
  readonly signal: AbortSignal;
  readonly streamIdleMs: number;
  readonly timeoutMs: number;
  readonly partials: boolean;
}

export type AttemptEnd =
  | { readonly kind: 'done'; readonly requestId?: string }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

const trouble = (what: Trouble): AttemptEnd => ({ kind: 'trouble', trouble: what });

/** One request and its answer, without retries. What it yields has been shown; how it ended is what it returns. */
export async function* attempt(deps: AttemptDeps): AsyncGenerator<ModelEvent, AttemptEnd> {
  const { signal, streamIdleMs } = deps;
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  if (signal.aborted) return trouble({ kind: 'interrupted' });
  signal.addEventListener('abort', stop, { once: true });
  let stalled = false;
  let whole = false;
  let watch: NodeJS.Timeout | undefined;
  const stall = (): void => {
    stalled = true;
    stop();
  };
  const alive = (): void => void watch?.refresh();
  const why = (error: unknown): Trouble => {
    if (signal.aborted) return { kind: 'interrupted' };
    if (stalled) return { kind: 'stall', ms: streamIdleMs };
    return troubleOf(error, deps.timeoutMs);
  };
  try {
    const answer = await deps.connection.post('/v1/messages', deps.body, {
      signal: ending.signal,
      betas: deps.betas,
      timeoutMs: deps.timeoutMs,
    });
    watch = setTimeout(stall, streamIdleMs);
    const limits = rateLimitsOf(answer.headers);
    if (limits) yield rate(limits);
    const wrong = yield* read(answer, deps, alive);
    if (signal.aborted) return trouble({ kind: 'interrupted' });
    if (stalled) return trouble({ kind: 'stall', ms: streamIdleMs });
    if (wrong) return trouble(wrong);
    whole = true;
    const requestId = answer.headers.get('request-id') ?? answer.headers.get('x-request-id') ?? undefined;
    return { kind: 'done', requestId };
  } catch (error) {
    return trouble(why(error));
  } finally {
    clearTimeout(watch);
    signal.removeEventListener('abort', stop);
    // The end of the answer may follow after that of the message: to cut it off would cost the next request a connection.
    if (!whole) stop();
  }
}

const rate = (limits: RateLimits): ModelEvent => ({ type: 'rate', limits });

/** Undefined when the message came whole. `alive` is called for every piece, pings included. */
async function* read(
  answer: Answer,
  deps: AttemptDeps,
  alive: () => void,
): AsyncGenerator<ModelEvent, Trouble | undefined> {
  const { assembler } = deps;
  if (/\bjson\b/.test(answer.headers.get('content-type') ?? ''))
    return yield* readWhole(await answer.text(), deps);
  if (!answer.body) return { kind: 'nonsense', what: contentOf(answer) };
  for await (const piece of serverSentEvents(answer.body)) {
    alive();
    const out: ModelEvent[] = [];
    const wrong = take(piece, deps, out);
    for (const event of out) yield event;
    if (wrong) return wrong;
    if (assembler.finished()) return undefined;
  }
  return assembler.started() ? { kind: 'closed' } : { kind: 'nonsense', what: contentOf(answer) };
}

/** Reads the events of one piece into `out`; deltas that came together become one. */
const take = (
  piece: readonly ServerSentEvent[],
  { assembler, partials }: AttemptDeps,
  out: ModelEvent[],
): Trouble | undefined => {
  for (const { event, data } of piece) {
    if (event === 'error') return eventTrouble(data);
    if (data === '' || event === 'ping') continue;
    const sent = jsonOf(data);
    const type = typeOf(sent);
    if (type === 'error') return eventTrouble(data);
    if (type === undefined && data.trim() === '[DONE]') continue;
    if (type === undefined) return { kind: 'nonsense', what: 'an event of its stream is not JSON' };
    if (partials && type !== 'ping') out.push({ type: 'raw', event: sent });
    if (!knownEvents.has(type)) continue;
    const parsed = wireEvent.safeParse(sent);
    if (!parsed.success) return { kind: 'nonsense', what: `a ${type} event without its content` };
    for (const one of assembler.accept(parsed.data)) join(out, one);
  }
  return undefined;
};

const join = (out: ModelEvent[], event: ModelEvent): void => {
  const last = out.at(-1);
  if (event.type === 'delta' && last?.type === 'delta' && last.channel === event.channel)
    out[out.length - 1] = { ...last, text: last.text + event.text };
  else out.push(event);
};

const typeOf = (sent: unknown): string | undefined =>
  typeof sent === 'object' && sent !== null && 'type' in sent && typeof sent.type === 'string'
    ? sent.type
    : undefined;

const contentOf = (answer: Answer): string =>
  `it sent ${answer.headers.get('content-type') ?? 'nothing'} with status ${answer.status}`;

/** A server that does not stream sends the message in one piece: the same events are made of it. */
async function* readWhole(
  text: string,
  { assembler }: AttemptDeps,
): AsyncGenerator<ModelEvent, Trouble | undefined> {
  const sent = jsonOf(text);
  if (typeOf(sent) === 'error') return eventTrouble(text);
  const parsed = wholeMessage.safeParse(sent);
  if (!parsed.success) return { kind: 'nonsense', what: 'its JSON is not a message' };
  const { content, stop_reason, usage, id, model } = parsed.data;
  const events: WireEvent[] = [
    { type: 'message_start', message: { id, model, usage } },
    ...content.flatMap((block, index): WireEvent[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ];
  for (const event of events) yield* assembler.accept(event);
  return undefined;
}

/** The library's errors, told apart by their shape: a status, or a cause. */
const troubleOf = (error: unknown, timeoutMs: number): Trouble => {
  if (!(error instanceof Error)) return networkTrouble(error);
  if ('status' in error && typeof error.status === 'number') {
    const headers = 'headers' in error && isHeaders(error.headers) ? error.headers : new PlainHeaders();
    const body = 'error' in error ? error.error : undefined;
    return httpTrouble(error.status, body, error.message.replace(/^\d{3} /, ''), headers);
  }
  if (error.name === 'APIConnectionTimeoutError') return { kind: 'timeout', ms: timeoutMs };
  const own = [error, error.cause].find((one) => one instanceof Error && OURS.has(one.name));
  if (own instanceof Error)
    return own.name === 'HeaderError'
      ? { kind: 'header', name: own.message }
      : { kind: 'credential', message: own.message };
  return networkTrouble(error);
};

const isHeaders = (value: unknown): value is Headers =>
  typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';

/** Errors that were thrown on this side, before anything was sent. */
const OURS: ReadonlySet<string> = new Set(['CredentialError', 'HeaderError']);
