import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Stream } from '@anthropic-ai/sdk/core/streaming';
import { baseUrlOf, type ModelClientConfig } from './config.ts';
import type { Credentials } from './credentials.ts';

export interface Connection {
  /** POSTs JSON and gives the answer with its body unread; throws what the library throws. */
  post(path: string, body: unknown, options: PostOptions): Promise<Response>;
  /** The events of an answer, pings and errors included, their data not yet read. */
  events(answer: Response, ending: AbortController): AsyncIterable<ServerSentEvent>;
  /** Loads the library ahead of the first request. */
  warm(): Promise<void>;
}

export interface ServerSentEvent {
  readonly event: string | null;
  readonly data: string;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly betas: readonly string[];
  /** Until the headers are here. */
  readonly timeoutMs: number;
  /** Called for every piece of the body, pings included. */
  readonly onBytes?: () => void;
}

const PLACEHOLDER = 'set-by-the-connection';

/** Counts what comes in: the library swallows pings, so that a silent stream looks like a stalled one from outside. */
const watched = (answer: Response, onBytes: () => void): Response => {
  if (!answer.body) return answer;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      onBytes();
      controller.enqueue(piece);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(counter), { status, statusText, headers });
};

/**
 * The library makes the request and reads errors; who we are and what we say of ourselves is set here, so that
 * nothing of the process's own environment goes out.
 */
export const createConnection = (config: ModelClientConfig, credentials: Credentials): Connection => {
  const outbound = config.fetch ?? globalThis.fetch;
  let library: Promise<Library> | undefined;

  const send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers();
    const given = new Headers(init.headers);
    for (const name of ['content-type', 'accept', 'anthropic-version', 'anthropic-beta']) {
      const value = given.get(name);
      if (value !== null) headers.set(name, value);
    }
    headers.set('user-agent', config.userAgent ?? 'coppice');
    for (const [name, value] of Object.entries(await credentials.headers())) headers.set(name, value);
    for (const [name, value] of Object.entries(config.customHeaders ?? {})) headers.set(name, value);
    return outbound(url, { ...init, headers });
  };

  const load = async (): Promise<Library> => {
    const [{ BaseAnthropic: Client }, { Stream: Events }] = await Promise.all([
      import('@anthropic-ai/sdk/client'),
      import('@anthropic-ai/sdk/core/streaming'),
    ]);
    const client = new Client({
      apiKey: PLACEHOLDER,
      baseURL: baseUrlOf(config),
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: false,
      fetch: send,
    });
    return { client, Events };
  };

  const loaded = (): Promise<Library> => {
    library ??= load();
    return library;
  };

  return {
    post: async (path, body, { signal, betas, timeoutMs, onBytes }) => {
      const { client } = await loaded();
      const headers = betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {};
      const answer = await client
        .post(path, { body, headers, signal, timeout: timeoutMs, maxRetries: 0, stream: true })
        .asResponse();
      return onBytes ? watched(answer, onBytes) : answer;
    },
    events: async function* (answer, ending) {
      const { Events } = await loaded();
      yield* Events.rawEvents(answer, ending);
    },
    warm: async () => void (await loaded()),
  };
};

interface Library {
  readonly client: BaseAnthropic;
  readonly Events: typeof Stream;
}
