/** One block of an assistant message, as the scripted model will send it. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id?: string; readonly name: string; readonly json: string };

export type Stop = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal';

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** How a stream ends. `events` counts SSE events sent before the fault, `bytes` counts body bytes. */
export type Ending =
  | { readonly type: 'complete' }
  | { readonly type: 'cut'; readonly events: number }
  | { readonly type: 'cut-bytes'; readonly bytes: number }
  | { readonly type: 'close'; readonly events: number }
  | { readonly type: 'stall'; readonly events: number; readonly pingEvery?: number }
  | { readonly type: 'error'; readonly events: number; readonly error: string; readonly message: string };

/** A step in the middle of a stream: before event `at`, write `raw`, or wait for the gate. */
export type Interlude =
  | { readonly at: number; readonly raw: string }
  | { readonly at: number; readonly until: Promise<void> };

export interface MessageReply {
  readonly kind: 'message';
  readonly blocks: readonly Block[];
  readonly stop?: Stop;
  readonly usage?: Partial<Usage>;
  readonly ending: Ending;
  readonly interludes: readonly Interlude[];
  /** Events a second; without it the events go out as fast as they can. */
  readonly perSecond?: number;
  /** Characters of text, thinking or tool JSON in one delta (default 24). */
  readonly chunk?: number;
  /** Body bytes in one write; small values tear characters and lines apart. */
  readonly piece?: number;
}

export interface HttpReply {
  readonly kind: 'http';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Reply = MessageReply | HttpReply;

/** What a script may hold at a place that answers one request. */
export type Step<Request = never> =
  | Block
  | readonly Block[]
  | Reply
  | ((request: Request) => Step<Request> | Promise<Step<Request>>);

type Plain = Block | readonly Block[] | Reply;

/** A text block. */
export const say = (text: string): Block => ({ type: 'text', text });

/** A thinking block; its signature is computed, so an altered block is noticed. */
export const think = (thinking: string): Block => ({ type: 'thinking', thinking });

/** A tool call. The id is made up by the server unless given. */
export const use = (name: string, input: unknown, id?: string): Block => ({
  type: 'tool_use',
  name,
  json: JSON.stringify(input),
  id,
});

/** A tool call whose input is sent exactly as written, broken JSON included. */
export const useRaw = (name: string, json: string, id?: string): Block => ({
  type: 'tool_use',
  name,
  json,
  id,
});

/** A whole assistant message with its numbers, stop reason and pace. */
export const reply = (
  blocks: Block | readonly Block[],
  options: Partial<Pick<MessageReply, 'stop' | 'usage' | 'perSecond' | 'chunk' | 'piece'>> = {},
): MessageReply => ({
  kind: 'message',
  blocks: 'type' in blocks ? [blocks] : blocks,
  ending: { type: 'complete' },
  interludes: [],
  ...options,
});

/** An HTTP answer in place of a message. `retryAfter` is in seconds. */
export const status = (
  code: number,
  options: {
    retryAfter?: number;
    type?: string;
    message?: string;
    body?: string;
    headers?: Record<string, string>;
  } = {},
): HttpReply => ({
  kind: 'http',
  status: code,
  headers: {
    'content-type': 'application/json',
    ...(options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) }),
    ...options.headers,
  },
  body:
    options.body ??
    JSON.stringify({
      type: 'error',
      error: {
        type: options.type ?? errorType(code),
        message: options.message ?? `The script answers ${code}.`,
      },
      request_id: 'req_scripted',
    }),
});

/** 529, the service's word for "too many customers". */
export const overloaded = (): HttpReply => status(529, { message: 'Overloaded' });

/** The message as the service refuses it when the conversation no longer fits the window. */
export const tooLong = (tokens = 210_000, limit = 200_000): HttpReply =>
  status(400, { message: `prompt is too long: ${tokens} tokens > ${limit} maximum` });

/** Destroys the socket after so many SSE events. */
export const cutAfterEvents = (step: Plain, events: number): MessageReply =>
  ending(step, { type: 'cut', events });

/** Destroys the socket after so many body bytes. */
export const cutAfterBytes = (step: Plain, bytes: number): MessageReply =>
  ending(step, { type: 'cut-bytes', bytes });

/** Ends the response cleanly after so many events (default: all but `message_stop`). */
export const cleanCloseBeforeStop = (step: Plain, events = -1): MessageReply =>
  ending(step, { type: 'close', events });

/** Sends so many events, then nothing, and keeps the socket open until the client goes away. */
export const stallAfter = (step: Plain, events: number): MessageReply =>
  ending(step, { type: 'stall', events });

/** Sends so many events, then only `ping`, every so many milliseconds, until the client goes away. */
export const pingForever = (step: Plain, events: number, pingEvery: number): MessageReply =>
  ending(step, { type: 'stall', events, pingEvery });

/** Sends so many events (default: `message_start` only), then an SSE `error` event, and ends. */
export const sseError = (error = 'overloaded_error', step: Plain = say('lost'), events = 1): MessageReply =>
  ending(step, { type: 'error', events, error, message: `The script ends the stream with ${error}.` });

/** Waits before event number `at` until the gate opens: a stream that can be looked at half way. */
export const pauseAfter = (step: Plain, at: number, gate: Gate): MessageReply =>
  interlude(step, { at, until: gate.opened });

/** Writes raw bytes before event number `at`, for streams that are not proper SSE. */
export const garbled = (step: Plain, at: number, raw: string): MessageReply => interlude(step, { at, raw });

/** Leaves a pause of so many milliseconds between any two events. */
export const slowly = (step: Plain, delay: number): MessageReply => ({
  ...message(step),
  perSecond: 1000 / delay,
});

/** Tears the body into writes of so many bytes, in the middle of characters and lines. */
export const inPieces = (step: Plain, piece: number): MessageReply => ({ ...message(step), piece });

/** A text of `count` short words, one delta each, at a steady rate. */
export const tokens = (
  count: number,
  options: { perSecond?: number; perLine?: number } = {},
): MessageReply => {
  const perLine = options.perLine ?? 12;
  const words = Array.from({ length: count }, (_, i) => ((i + 1) % perLine === 0 ? 'word\n' : 'word '));
  return { ...reply(say(words.join(''))), perSecond: options.perSecond, chunk: 5 };
};

/** A door that a test opens; steps may wait for it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export const gate = (): Gate => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
};

/** Any plain step as a whole message; faults that need a stream refuse an HTTP answer. */
const message = (step: Plain): MessageReply => {
  if ('kind' in step && step.kind === 'http')
    throw new TypeError('A stream fault needs a message, not an HTTP status.');
  return 'kind' in step ? step : reply(step);
};

/** `error.type` as the service names it for a status. */
export const errorType = (code: number): string =>
  ({
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  })[code] ?? 'api_error';

const ending = (step: Plain, how: Ending): MessageReply => ({ ...message(step), ending: how });

const interlude = (step: Plain, added: Interlude): MessageReply => {
  const base = message(step);
  return { ...base, interludes: [...base.interludes, added] };
};
