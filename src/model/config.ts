import type { ModelFacts } from '../contract/model.ts';

/** All that a client of the Messages API is told. Nothing is read from the process. */
export interface ModelClientConfig {
  /** Sent as `x-api-key`. */
  readonly apiKey?: string;
  /** Sent as `Authorization: Bearer`; wins over a key. */
  readonly authToken?: string;
  /** Prints a key; its answer is kept for five minutes and asked again after a 401. Wins over `apiKey`. */
  readonly apiKeyHelper?: () => Promise<string>;
  /** Where the credential comes from, as a person knows it; by default the name of its variable. */
  readonly credentialName?: string;
  /** Without a path: `https://api.anthropic.com` unless given. */
  readonly baseUrl?: string;
  /** Added to every request; they win over our own. */
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** Read here: `DISABLE_PROMPT_CACHING`, `CLAUDE_CODE_MAX_OUTPUT_TOKENS`, and the names of proxies for sentences. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** No byte for so long ends a stream (default 120,000 ms). */
  readonly streamIdleMs?: number;
  /** No answer to a request for so long ends it (default 600,000 ms). */
  readonly timeoutMs?: number;
  /** Tries after the first (default 9: ten in all). */
  readonly maxRetries?: number;
  readonly userAgent?: string;
  /** Yield every event of the service as `raw` too. */
  readonly partials?: boolean;
  /** Values of `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** Tried in this order while a model is overloaded. */
  readonly fallbackModels?: readonly string[];
  /** What settings say of models; wins over the built-in table. */
  readonly facts?: readonly ModelFacts[];
  /** Where requests go out: proxies and certificates. The built-in one unless given. */
  readonly fetch?: typeof globalThis.fetch;
  /** First wait before a retry (default 500 ms); it doubles with every try. */
  readonly retryBaseMs?: number;
  /** How long an overloaded model is passed over once a fallback took its place (default five minutes). */
  readonly restMs?: number;
}

const HOME_URL = 'https://api.anthropic.com';

/** The address without a trailing slash and without the `/v1` that people paste along. */
export const baseUrlOf = (config: ModelClientConfig): string =>
  (config.baseUrl?.trim() || HOME_URL).replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '');

/** True for the service itself; other servers are met with more tolerance. */
export const isHome = (config: ModelClientConfig): boolean => {
  const base = baseUrlOf(config);
  return URL.canParse(base) && /(^|\.)anthropic\.com$/.test(new URL(base).hostname);
};

/** Whether requests can go there at all: `localhost:8080` parses as an address, of the scheme `localhost`. */
export const isAddress = (config: ModelClientConfig): boolean => {
  const base = baseUrlOf(config);
  return /^https?:\/\//i.test(base) && URL.canParse(base);
};
