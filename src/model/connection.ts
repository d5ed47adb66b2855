import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { baseUrlOf, type ModelClientConfig } from './config.ts';
import type { Credentials } from './credentials.ts';
import { plainFetch } from './plain-fetch.ts';
import { PlainHeaders } from './plain-headers.ts';
import type { Answer } from './plain-response.ts';

export interface Connection {
  /** POSTs JSON and gives the answer with its body unread; throws what the library throws. */
  post(path: string, body: unknown, options: PostOptions): Promise<Answer>;
  /** Loads the library ahead of the first request. */
  warm(): Promise<void>;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly betas: readonly string[];
  /** Until the headers are here. */
  readonly timeoutMs: number;
}

/** The platform's own complaint would repeat the value, which may be a key. */
const put = (headers: Headers, name: string, value: string): void => {
  try {
    headers.set(name, value.trim());
  } catch {
    throw Object.assign(new Error(name), { name: 'HeaderError' });
  }
};

/** Half a character (a model may stream one, a tool may cut one) is no JSON that a server takes: it becomes U+FFFD. */
const wholeCharacters = (json: string): string =>
  json.includes('\\ud') ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd') : json;

/**
 * The library makes the request and reads errors; who we are and what we say of ourselves is set here, so that
 * nothing of the process's own environment goes out.
 */
export const createConnection = (config: ModelClientConfig, credentials: Credentials): Connection => {
  const outbound = config.fetch ?? plainFetch;
  let library: Promise<BaseAnthropic> | undefined;

  const send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Answer> => {
    const headers = new PlainHeaders();
    const given = new PlainHeaders(init.headers);
    for (const name of ['content-type', 'accept', 'anthropic-version', 'anthropic-beta']) {
      const value = given.get(name);
      if (value !== null) headers.set(name, value);
    }
    const own = { 'user-agent': config.userAgent ?? 'coppice', ...(await credentials.headers()) };
    for (const [name, value] of [...Object.entries(own), ...Object.entries(config.customHeaders ?? {})])
      put(headers, name, value);
    const body = typeof init.body === 'string' ? wholeCharacters(init.body) : init.body;
    return outbound(url, { ...init, body, headers });
  };

  const load = async (): Promise<BaseAnthropic> => {
    const { createLibrary } = await import('./library.ts');
    return createLibrary({ baseURL: baseUrlOf(config), fetch: send });
  };

  const loaded = (): Promise<BaseAnthropic> => {
    library ??= load();
    return library;
  };

  return {
    post: async (path, body, { signal, betas, timeoutMs }) => {
      const client = await loaded();
      const headers = betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {};
      const options = { body, headers, signal, timeout: timeoutMs, maxRetries: 0, stream: true };
      return client.post(path, options).asResponse();
    },
    // What is wrong with it the first request says.
    warm: () =>
      loaded().then(
        () => undefined,
        () => undefined,
      ),
  };
};
