import { wireError } from './wire.ts';

/** What can go wrong with one request, before it is put into words. */
export type Trouble =
  | {
      readonly kind: 'http';
      readonly status: number;
      /** The service's error type (`overloaded_error`); absent where the body is not an error of the API. */
      readonly type?: string;
      readonly message?: string;
      readonly headers: Headers;
    }
  /** An `error` event inside the stream. */
  | { readonly kind: 'event'; readonly type?: string; readonly message?: string }
  | { readonly kind: 'network'; readonly code?: string; readonly message: string }
  | { readonly kind: 'timeout'; readonly ms: number }
  | { readonly kind: 'stall'; readonly ms: number }
  /** The stream ended cleanly, but before `message_stop`. */
  | { readonly kind: 'closed' }
  /** An answer that is not the Messages API. */
  | { readonly kind: 'nonsense'; readonly what: string }
  | { readonly kind: 'credential'; readonly message: string }
  /** A header that cannot be sent. */
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'interrupted' };

const MESSAGE_LIMIT = 400;

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MESSAGE_LIMIT ? `${line.slice(0, MESSAGE_LIMIT)}…` : line;
};

/** An answer with an error status. */
export const httpTrouble = (status: number, body: unknown, text: string, headers: Headers): Trouble => {
  const parsed = wireError.safeParse(body);
  if (parsed.success) {
    const { type, message } = parsed.data.error;
    return { kind: 'http', status, type, message: message && oneLine(message), headers };
  }
  const plain = /^\s*</.test(text) ? '' : oneLine(text);
  return { kind: 'http', status, message: plain || undefined, headers };
};

export const eventTrouble = (text: string): Trouble => {
  const parsed = wireError.safeParse(jsonOf(text));
  if (!parsed.success) return { kind: 'event', message: oneLine(text) || undefined };
  const { type, message } = parsed.data.error;
  return { kind: 'event', type, message: message && oneLine(message) };
};

export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What Node says of a name or value that no header may have. */
const HEADER_FAULTS: ReadonlySet<string> = new Set([
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_INVALID_CHAR',
  'ERR_HTTP_INVALID_HEADER_VALUE',
]);

/** The innermost cause tells: libraries wrap it up to three times, and once per address tried. */
export const networkTrouble = (error: unknown): Trouble => {
  const chain: Error[] = [];
  let one: unknown = error;
  while (one instanceof Error && chain.length < 8) {
    chain.push(one);
    one = one instanceof AggregateError ? one.errors[0] : one.cause;
  }
  const codes = chain.flatMap((link) => ('code' in link && typeof link.code === 'string' ? [link.code] : []));
  const last = chain.at(-1);
  const header = chain.find((link) => 'code' in link && HEADER_FAULTS.has(String(link.code)));
  if (header) return { kind: 'header', name: /\["([^"]*)"\]/.exec(header.message)?.[1] ?? '' };
  return { kind: 'network', code: codes.at(-1), message: oneLine(last?.message || String(error)) };
};
