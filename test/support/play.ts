import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { HttpReply, Interlude, MessageReply } from './replies.ts';
import { errorType, status } from './replies.ts';
import { eventsOf, type SentMessage, sse } from './sse.ts';

/** Answers with a status and a body in one go. */
export const sendHttp = (out: ServerResponse, { status: code, headers, body }: HttpReply): void => {
  out.writeHead(code, { 'request-id': 'req_scripted', ...headers }).end(body);
};

/** Answers 200 with a JSON value. */
export const sendJson = (out: ServerResponse, value: unknown): void =>
  sendHttp(out, {
    kind: 'http',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

/**
 * Streams a reply to its scripted end, faults included.
 * True if it got there, false if `gone` (the client left, or the server closes) came first.
 */
export const playStream = async (
  reply: MessageReply,
  sent: SentMessage,
  out: ServerResponse,
  gone: AbortSignal,
): Promise<boolean> => {
  out.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': 'req_scripted',
  });
  out.flushHeaders();
  const { ending } = reply;
  const events = eventsOf(reply, sent);
  const limit =
    'events' in ending ? (ending.events < 0 ? events.length + ending.events : ending.events) : events.length;
  const stream = byteStream(
    out,
    ending.type === 'cut-bytes' ? ending.bytes : Number.POSITIVE_INFINITY,
    reply.piece,
    gone,
  );
  const began = performance.now();
  try {
    for (const [at, event] of events.slice(0, limit).entries()) {
      await interludesAt(reply.interludes, at, stream.write, gone);
      if (reply.perSecond) await until(began + (at * 1000) / reply.perSecond, gone);
      await stream.write(event);
      if (stream.full()) break;
    }
    await interludesAt(reply.interludes, limit, stream.write, gone);
    return await end(reply, stream.write, out, gone);
  } catch (error) {
    if (gone.aborted) return false;
    throw error;
  }
};

/** The same reply for a client that asked for one JSON answer; stream faults take their nearest form. */
export const playWhole = async (
  reply: MessageReply,
  sent: SentMessage,
  out: ServerResponse,
  gone: AbortSignal,
): Promise<boolean> => {
  const { ending } = reply;
  switch (ending.type) {
    case 'complete':
      sendJson(out, sent);
      return true;
    case 'error':
      sendHttp(out, status(codeOf(ending.error), { type: ending.error, message: ending.message }));
      return true;
    case 'stall':
      return forever(gone);
    case 'cut':
    case 'cut-bytes':
    case 'close':
      out.destroy();
      return true;
  }
};

const end = async (
  { ending }: MessageReply,
  write: (text: string) => Promise<void>,
  out: ServerResponse,
  gone: AbortSignal,
): Promise<boolean> => {
  switch (ending.type) {
    case 'complete':
    case 'close':
      out.end();
      return true;
    case 'cut':
    case 'cut-bytes':
      out.destroy();
      return true;
    case 'error':
      await write(sse('error', { error: { type: ending.error, message: ending.message } }));
      out.end();
      return true;
    case 'stall':
      while (ending.pingEvery !== undefined) {
        await sleep(ending.pingEvery, undefined, { signal: gone });
        await write(sse('ping', {}));
      }
      return forever(gone);
  }
};

const interludesAt = async (
  interludes: readonly Interlude[],
  at: number,
  write: (text: string) => Promise<void>,
  gone: AbortSignal,
): Promise<void> => {
  for (const interlude of interludes.filter((one) => one.at === at)) {
    if ('raw' in interlude) await write(interlude.raw);
    else await Promise.race([interlude.until, aborted(gone)]);
    gone.throwIfAborted();
  }
};

/** Writes whole events or small torn pieces, and stops for good at `limit` bytes. */
const byteStream = (out: ServerResponse, limit: number, piece: number | undefined, gone: AbortSignal) => {
  let written = 0;
  const put = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      if (gone.aborted) return reject(gone.reason);
      out.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  return {
    full: () => written >= limit,
    write: async (text: string): Promise<void> => {
      const bytes = Buffer.from(text).subarray(0, limit - written);
      written += bytes.length;
      const size = piece ?? bytes.length;
      for (let at = 0; at < bytes.length; at += size) {
        await put(bytes.subarray(at, at + size));
        if (piece !== undefined) await turn(undefined, { signal: gone });
      }
    },
  };
};

const until = async (time: number, gone: AbortSignal): Promise<void> => {
  const left = time - performance.now();
  if (left >= 1) await sleep(left, undefined, { signal: gone });
};

const aborted = (gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener('abort', () => resolve(), { once: true });
  });

const forever = async (gone: AbortSignal): Promise<false> => {
  await aborted(gone);
  return false;
};

const codeOf = (error: string): number =>
  [400, 401, 403, 404, 413, 429, 504, 529].find((code) => errorType(code) === error) ?? 500;
