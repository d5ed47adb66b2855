import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Block, reply } from '../test/support/replies.ts';
import { eventsOf, sentMessage } from '../test/support/sse.ts';

/** One request for a message: when its head came in and when the last byte of its answer was handed over. */
export interface Asked {
  readonly at: number;
  answered: number;
  readonly body: string;
}

export interface Answer {
  readonly blocks: readonly Block[];
  /** Events a second; without it all events go out in one write. */
  readonly perSecond?: number;
  /** Characters in one delta. */
  readonly chunk?: number;
}

/** Told the number of the request, from 0, and the body where it wants to look at it. */
export type Script = (serial: number, body: string) => Answer;

export interface Model extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Forgets what was asked and answers by this script from now on. */
  play(script: Script): void;
}

/**
 * Answers at once and checks nothing, so that what is measured is the client. The wire format is that of the
 * scripted server of the tests; times are those of `performance.now()`.
 */
export const model = async (): Promise<Model> => {
  const asked: Asked[] = [];
  let script: Script = () => ({ blocks: [{ type: 'text', text: 'ok' }] });
  const server = createServer((incoming, out) => {
    const at = performance.now();
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      if (
        incoming.method !== 'POST' ||
        (!incoming.url?.startsWith('/v1/messages?') && incoming.url !== '/v1/messages')
      ) {
        out.writeHead(404).end('{}');
        return;
      }
      const request: Asked = { at, answered: 0, body: Buffer.concat(parts).toString() };
      const serial = asked.push(request) - 1;
      void answer(out, script(serial, request.body), serial).then((time) => {
        request.answered = time;
      });
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    asked,
    play(next) {
      asked.length = 0;
      script = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const answer = async (
  out: ServerResponse,
  { blocks, perSecond, chunk }: Answer,
  serial: number,
): Promise<number> => {
  const message = reply(blocks, { chunk });
  const events = eventsOf(message, sentMessage(message, 'claude-sonnet-5-5', serial));
  out.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  if (perSecond === undefined) {
    out.end(events.join(''));
    return performance.now();
  }
  const began = performance.now();
  for (const [index, event] of events.entries()) {
    const left = began + (index * 1000) / perSecond - performance.now();
    if (left >= 1) await sleep(left);
    if (out.destroyed) break;
    out.write(event);
  }
  out.end();
  return performance.now();
};
