import { errorText } from '../lib/error-text.ts';
import type { ModelClientConfig } from './config.ts';

const KEPT_MS = 5 * 60_000;

export interface Credentials {
  /** The headers that say who we are; throws a `CredentialError` with the helper's words. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Asks the helper again next time. False where there is none, so that asking again is no use. */
  forget(): boolean;
  /** How a person knows the credential in use: `ANTHROPIC_API_KEY`; undefined without one. */
  readonly name: string | undefined;
  /** Every value that must never be shown. */
  secrets(): readonly string[];
}

const secretHeader = /key|token|auth|secret|cookie|password/i;

const refusal = (why: string): Error => Object.assign(new Error(why), { name: 'CredentialError' });

const refuse = (error: unknown): never => {
  throw refusal(errorText(error));
};

/** A token wins over a helper, a helper over a key. */
export const createCredentials = (config: ModelClientConfig, now: () => number = Date.now): Credentials => {
  const { apiKey, authToken, apiKeyHelper, customHeaders = {} } = config;
  let helped: { readonly key: string; readonly until: number } | undefined;
  const seen = new Set<string>();

  const ask = async (helper: () => Promise<string>): Promise<string> => {
    if (helped && helped.until > now()) return helped.key;
    const key = (await helper().catch(refuse)).trim();
    if (key === '') throw refusal('it printed nothing');
    helped = { key, until: now() + KEPT_MS };
    seen.add(key);
    return key;
  };

  return {
    headers: async (): Promise<Readonly<Record<string, string>>> => {
      if (authToken) return { authorization: `Bearer ${authToken}` };
      const key = apiKeyHelper ? await ask(apiKeyHelper) : apiKey;
      return key ? { 'x-api-key': key } : {};
    },
    forget: () => {
      if (authToken || !helped) return false;
      helped = undefined;
      return true;
    },
    name:
      config.credentialName ??
      (authToken
        ? 'ANTHROPIC_AUTH_TOKEN'
        : apiKeyHelper
          ? 'apiKeyHelper'
          : apiKey
            ? 'ANTHROPIC_API_KEY'
            : undefined),
    secrets: () => [
      ...[apiKey, authToken].filter((secret) => secret !== undefined),
      ...seen,
      ...Object.entries(customHeaders).flatMap(([name, value]) => (secretHeader.test(name) ? [value] : [])),
    ],
  };
};
