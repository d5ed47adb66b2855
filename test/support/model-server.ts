import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { playStream, playWhole, sendHttp, sendJson } from './play.ts';
import { refusal } from './protocol.ts';
import { bodyOf, type Received, received } from './received.ts';
import { type Reply, reply, type Step, status } from './replies.ts';
import { sentMessage } from './sse.ts';

/** One answer in a script; a function sees the request and may wait before it answers. */
export type Line = Step<Received>;

/** Which requests a lane serves: a part of the system prompt, a pattern on it, or any predicate. */
export type Matcher = string | RegExp | ((request: Received) => boolean);

export interface ModelServerOptions {
  /** Largest body in bytes before the server answers 413 (default 32 MB). */
  readonly maxBody?: number;
  /** Where set, requests with another key or none are answered 401. */
  readonly key?: string;
  /** Ids that `/v1/models` lists. */
  readonly models?: readonly string[];
  /** What `/v1/messages/count_tokens` answers (default: a quarter of the body's length). */
  readonly countTokens?: (request: Received) => number;
  /** Where set, the port to listen on; the system chooses one otherwise. */
  readonly port?: number;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Requests for messages, in order of arrival. */
  readonly requests: readonly Received[];
  /** Every other request, as `METHOD /path`: counting, model lists, unknown paths. */
  readonly others: readonly string[];
  /** Protocol errors and unscripted requests, one sentence each. A sound run leaves this empty. */
  readonly violations: readonly string[];
  /** Adds answers to the default lane. */
  script(...lines: Line[]): void;
  /** Adds answers to the lane of one agent. Lanes are tried first, in the order they were named. */
  lane(matcher: Matcher, ...lines: Line[]): void;
  /** One answer for every request that matches and has no lane line left; tried before the default lane. */
  always(matcher: Matcher, line: Line): void;
  /** Scripted answers nobody has asked for yet. */
  remaining(): number;
  /** Resolves with request number `count` (from 1); rejects with the story so far after `timeout` ms. */
  waitForRequests(count: number, timeout?: number): Promise<Received>;
  /** Ends every socket, open streams included. */
  close(): Promise<void>;
}

/** A scripted Messages API on a loopback port; `script` fills the default lane. */
export const modelServer = async (
  script: readonly Line[] = [],
  options: ModelServerOptions = {},
): Promise<ModelServer> => {
  const requests: Received[] = [];
  const others: string[] = [];
  const violations: string[] = [];
  const plot = plotOf(script);
  const arrivals = new EventTarget();
  const closing = new AbortController();
  const models = options.models ?? ['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5'];

  const refuse = (out: ServerResponse, code: number, why: string): void => {
    violations.push(why);
    sendHttp(out, status(code, { message: why }));
  };

  const answerMessages = async (request: Received, out: ServerResponse): Promise<void> => {
    const serial = requests.push(request);
    arrivals.dispatchEvent(new Event('request'));
    const wrong =
      request.body.max_tokens === undefined ? 'max_tokens: Field required' : refusal(request.body);
    if (wrong) return refuse(out, 400, wrong);
    const left = new AbortController();
    out.once('close', () => left.abort());
    const chosen = await plot.next(request);
    if (chosen === undefined) return refuse(out, 400, unscripted(request, serial));
    if (chosen.kind === 'http') {
      request.outcome = 'sent';
      return sendHttp(out, chosen);
    }
    const play = request.body.stream ? playStream : playWhole;
    const gone = AbortSignal.any([left.signal, closing.signal]);
    const finished = await play(chosen, sentMessage(chosen, request.body.model, serial), out, gone);
    request.outcome = finished ? 'sent' : 'abandoned';
  };

  const answer = async (incoming: IncomingMessage, out: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://loopback');
    const raw = await bodyOf(incoming, options.maxBody ?? 32_000_000);
    const messages = incoming.method === 'POST' && pathname === '/v1/messages';
    const counting = incoming.method === 'POST' && pathname === '/v1/messages/count_tokens';
    if (!messages) others.push(`${incoming.method} ${pathname}`);
    if (raw === undefined) return refuse(out, 413, 'Request exceeds the maximum size');
    if (options.key !== undefined && shownKey(incoming) !== options.key)
      return sendHttp(out, status(401, { message: 'invalid x-api-key' }));
    if (messages || counting) {
      const request = received(incoming.headers, raw);
      if (typeof request === 'string') return refuse(out, 400, request);
      if (messages) return answerMessages(request, out);
      const wrong = refusal(request.body);
      if (wrong) return refuse(out, 400, wrong);
      return sendJson(out, { input_tokens: options.countTokens?.(request) ?? Math.ceil(raw.length / 4) });
    }
    if (pathname === '/v1/models') return sendJson(out, modelList(models));
    const id = decodeURIComponent(pathname.replace('/v1/models/', ''));
    if (models.includes(id)) return sendJson(out, modelEntry(id));
    sendHttp(out, status(404, { message: `Not found: ${pathname}` }));
  };

  const server = createServer((incoming, out) => {
    answer(incoming, out).catch((error: unknown) => {
      if (!incoming.destroyed && !closing.signal.aborted)
        violations.push(`the server itself failed: ${error}`);
      out.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();

  const close = async (): Promise<void> => {
    closing.abort();
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };

  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    requests,
    others,
    violations,
    script: plot.script,
    lane: plot.lane,
    always: plot.always,
    remaining: plot.remaining,
    waitForRequests: (count, timeout = 20_000) =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(timer);
          arrivals.removeEventListener('request', look);
        };
        const timer = setTimeout(() => {
          settle();
          reject(
            new Error(`Request ${count} did not come within ${timeout} ms. ${story(requests, violations)}`),
          );
        }, timeout);
        const look = (): void => {
          const found = requests[count - 1];
          if (!found) return;
          settle();
          resolve(found);
        };
        arrivals.addEventListener('request', look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** The scripted lines and who gets which. */
const plotOf = (opening: readonly Line[]) => {
  const script = [...opening];
  const lanes: { readonly matcher: Matcher; readonly lines: Line[] }[] = [];
  const standing: { readonly matcher: Matcher; readonly line: Line }[] = [];
  const settled = async (line: Line, request: Received): Promise<Reply> => {
    if (typeof line === 'function') return settled(await line(request), request);
    return 'kind' in line ? line : reply(line);
  };
  return {
    script: (...lines: Line[]) => void script.push(...lines),
    lane: (matcher: Matcher, ...lines: Line[]) => {
      const known = lanes.find((lane) => lane.matcher === matcher);
      if (known) known.lines.push(...lines);
      else lanes.push({ matcher, lines });
    },
    always: (matcher: Matcher, line: Line) => void standing.push({ matcher, line }),
    remaining: () => lanes.reduce((sum, { lines }) => sum + lines.length, script.length),
    next: async (request: Received): Promise<Reply | undefined> => {
      const lane = lanes.find(({ matcher, lines }) => lines.length > 0 && matches(matcher, request));
      const line =
        lane?.lines.shift() ??
        standing.find(({ matcher }) => matches(matcher, request))?.line ??
        script.shift();
      return line && settled(line, request);
    },
  };
};

const matches = (matcher: Matcher, request: Received): boolean => {
  if (typeof matcher === 'function') return matcher(request);
  return typeof matcher === 'string' ? request.system.includes(matcher) : matcher.test(request.system);
};

const shownKey = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-api-key']?.toString() ?? headers.authorization?.replace(/^Bearer /, '');

const asked = ({ prompt, results }: Received): string =>
  JSON.stringify(prompt || results.map(({ text }) => text).join('\n')).slice(0, 300);

const unscripted = (request: Received, serial: number): string =>
  `The script has no answer for request ${serial} to ${request.body.model}: ${asked(request)}`;

const story = (requests: readonly Received[], violations: readonly string[]): string =>
  [`${requests.length} came:`, ...requests.map(asked), ...violations.map((one) => `violation: ${one}`)].join(
    '\n  ',
  );

const modelEntry = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '2025-01-01T00:00:00Z',
});

const modelList = (models: readonly string[]) => ({
  data: models.map(modelEntry),
  has_more: false,
  first_id: models[0] ?? null,
  last_id: models.at(-1) ?? null,
});
