import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { PlainHeaders } from './plain-headers.ts';
import { type Answer, answerOf } from './plain-response.ts';
import { unpacked } from './unpacked.ts';

/**
 * A small `fetch` on Node's own HTTP client, for requests with text as body. It answers the first request 10 ms
 * sooner than the platform's, has no time limits of its own (a local model may think for minutes before its first
 * byte) and follows no redirect: a key goes to the address it is meant for and nowhere else.
 */
export const plainFetch = async (
  input: string | URL | { readonly url: string },
  init: RequestInit = {},
): Promise<Answer> => {
  const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
  try {
    return responseOf(url, await sent(url, init));
  } catch (error) {
    // A kept connection that the server closed while we reached for it: nothing was read, so nothing is repeated.
    if (!isStale(error)) throw error;
    return responseOf(url, await sent(url, init));
  }
};

/** An abort between the last byte of an answer and its reading is an error of the connection alone, which Node leaves unheard. */
const ignore = (): void => undefined;

const isStale = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && 'reused' in error;

const sent = async (
  url: URL,
  { body, headers, method = 'GET', signal }: RequestInit,
): Promise<IncomingMessage> => {
  if (body && typeof body !== 'string') throw new TypeError('The body of a request is text.');
  if (signal?.aborted) throw signal.reason;
  // As a whole, not by import: naming its exports one by one would load the platform's fetch after all.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const length = body ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return new Promise((resolve, reject) => {
    const asked: ClientRequest = request(url, {
      method,
      headers: { ...Object.fromEntries(new PlainHeaders(headers)), ...length },
      signal: signal ?? undefined,
    });
    asked.once('socket', (socket) => {
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
    });
    asked.once('response', resolve);
    asked.once('error', (error) =>
      reject(asked.reusedSocket ? Object.assign(error, { reused: true }) : error),
    );
    asked.end(body);
  });
};

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const responseOf = (url: URL, answer: IncomingMessage): Answer => {
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) throw new TypeError(`The server answered with the status ${status}.`);
  const headers = new PlainHeaders();
  for (const [name, value] of Object.entries(answer.headersDistinct))
    for (const one of value ?? []) headers.append(name, one);
  const empty = NO_BODY.has(status);
  if (empty) answer.resume();
  // Its reader hears of errors, as long as there is one.
  answer.on('error', ignore);
  return answerOf(empty ? null : bodyOf(unpacked(answer)), { status, url: url.href, headers });
};

/** How long the rest of an answer may take whose reader has all that it wanted. */
const REST_MS = 1_000;

/**
 * Pieces that came in one read go on as one: a server that streams writes every event by itself, and one wake-up
 * for each would cost more than reading it. No stream of the platform's: to load those takes longer than to read a
 * short answer. What is left when the reader leaves early is read away, so that the connection can be used again.
 */
async function* bodyOf(answer: Readable): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    yield* answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer<ArrayBuffer>>;
  } finally {
    if (!answer.readableEnded && !answer.destroyed) {
      setTimeout(() => answer.destroy(), REST_MS).unref();
      answer.resume();
    }
  }
}
