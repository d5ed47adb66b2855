/** Which model answers, through which door, at which price. */

import type { ModelUse, UseByModel } from '../contract/message.ts';
import type { ModelClient, ModelFacts } from '../contract/model.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import { outboundFetch } from '../fetch/outbound.ts';
import { createModelClient } from '../model/anthropic.ts';
import { cost, factsOf } from '../model/facts.ts';
import { isKnownModel, modelId, type TierSources } from '../model/tiers.ts';
import type { Flags } from './flags.ts';

export interface Models {
  readonly client: ModelClient;
  /** True when the offline practice model answers. */
  readonly practice: boolean;
  /** Where the credential comes from, in words; undefined without one. */
  readonly credential?: string;
  readonly baseUrl?: string;
  /** Values never shown or written. */
  readonly secrets: readonly string[];
  facts(model: string): ModelFacts;
  /** US dollars; undefined where a price is not known. */
  cost(usageByModel: UseByModel): number | undefined;
  /** US dollars, as far as prices are known. */
  knownCost(usageByModel: UseByModel): number;
  costOf(model: string, use: ModelUse): number | undefined;
  /** Tier, alias or id to id. */
  id(name: string, parent?: string): string;
  known(name: string): boolean;
  readonly sources: TierSources;
  /** Models that answer where the first is overloaded. */
  readonly fallbacks: readonly string[];
  /** `/login` and `/logout`: the key of requests from now on; a stronger credential goes on winning. */
  takeKey(key: string | undefined): void;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface ModelWish {
  readonly flags: Flags;
  readonly env: Env;
  readonly loaded: LoadedSettings;
  /** A key kept in the user home. */
  readonly storedKey?: string;
  readonly version: string;
  readonly practice: boolean;
  helper?(command: string): Promise<string>;
  fetch?: typeof globalThis.fetch;
}

const factsFrom = (loaded: LoadedSettings): readonly ModelFacts[] =>
  Object.entries(loaded.settings.prices ?? {}).map(([id, price]) => {
    const known = factsOf(id);
    return {
      id,
      window: price.window ?? known.window,
      maxOutput: price.maxOutput ?? known.maxOutput,
      price: {
        input: price.input,
        output: price.output,
        cacheWrite: price.cacheWrite ?? price.input * 1.25,
        cacheRead: price.cacheRead ?? price.input * 0.1,
      },
    };
  });

/** `Name: value` lines (conventions 12). */
const headersOf = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (text ?? '').split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
    }),
  );

const numberOf = (text: string | undefined): number | undefined => {
  const value = Number(text);
  return text === undefined || text === '' || !Number.isFinite(value) || value < 0 ? undefined : value;
};

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined
    ? []
    : (typeof value === 'string' ? value.split(',') : value)
        .map((one) => one.trim())
        .filter((one) => one !== '');

/** Where the credential comes from: token, key, helper, stored key (in this order); a local server needs none. */
const credentialOf = (
  env: Env,
  loaded: LoadedSettings,
  storedKey: string | undefined,
): string | undefined => {
  if (env.ANTHROPIC_AUTH_TOKEN) return 'ANTHROPIC_AUTH_TOKEN';
  if (env.ANTHROPIC_API_KEY) return 'ANTHROPIC_API_KEY';
  if (loaded.settings.apiKeyHelper) return 'apiKeyHelper';
  return storedKey ? 'the key kept by /login' : undefined;
};

/** True when there is a way to a model without asking anybody. */
export const hasModel = (env: Env, loaded: LoadedSettings, storedKey: string | undefined): boolean =>
  credentialOf(env, loaded, storedKey) !== undefined || Boolean(env.ANTHROPIC_BASE_URL);

export const createModels = async (wish: ModelWish): Promise<Models> => {
  const { env, loaded, flags } = wish;
  const facts = factsFrom(loaded);
  const sources: TierSources = { tiers: loaded.settings.modelTiers, env, facts };
  let storedKey = wish.storedKey;
  const credential = () => credentialOf(env, loaded, storedKey);
  const helper = loaded.settings.apiKeyHelper;
  const factsFor = (model: string) => factsOf(model, facts);
  const costOf = (model: string, use: ModelUse) => cost(use, factsFor(model));
  const fallbacks = listOf(flags.fallbackModel ?? loaded.settings.fallbackModel).map((name) =>
    modelId(name, sources),
  );
  const connected = () =>
    createModelClient({
      apiKey:
        credential() === 'ANTHROPIC_API_KEY'
          ? env.ANTHROPIC_API_KEY
          : credential() === 'the key kept by /login'
            ? storedKey
            : undefined,
      authToken: env.ANTHROPIC_AUTH_TOKEN || undefined,
      apiKeyHelper:
        credential() === 'apiKeyHelper' && helper && wish.helper
          ? () => (wish.helper as (command: string) => Promise<string>)(helper)
          : undefined,
      credentialName: credential(),
      baseUrl: env.ANTHROPIC_BASE_URL,
      customHeaders: headersOf(env.ANTHROPIC_CUSTOM_HEADERS),
      env,
      streamIdleMs: numberOf(env.COPPICE_STREAM_IDLE_MS),
      timeoutMs: numberOf(env.API_TIMEOUT_MS),
      maxRetries: numberOf(env.CLAUDE_CODE_MAX_RETRIES),
      userAgent: `coppice/${wish.version}`,
      partials: flags.includePartialMessages === true,
      betas: listOf(env.ANTHROPIC_BETAS),
      fallbackModels: fallbacks,
      facts,
      fetch: wish.fetch ?? outboundFetch(env),
    });
  let door: ModelClient = wish.practice
    ? (await import('../practice/practice.ts')).createPracticeModel()
    : connected();
  const client: ModelClient = {
    stream: (request, signal) => door.stream(request, signal),
    count: (request, signal) => door.count(request, signal),
    warm: () => door.warm(),
  };
  return {
    client,
    practice: wish.practice,
    get credential() {
      return credential();
    },
    baseUrl: env.ANTHROPIC_BASE_URL,
    get secrets() {
      return [env.ANTHROPIC_API_KEY, env.ANTHROPIC_AUTH_TOKEN, wish.storedKey, storedKey].filter(
        (one): one is string => one !== undefined && one.length >= 6,
      );
    },
    facts: factsFor,
    costOf,
    cost(usageByModel) {
      const sums = Object.entries(usageByModel).map(([model, usage]) => costOf(model, usage));
      return sums.includes(undefined) ? undefined : sums.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    },
    knownCost: (usageByModel) =>
      Object.entries(usageByModel).reduce((sum, [model, usage]) => sum + (costOf(model, usage) ?? 0), 0),
    id: (name, parent) => modelId(name, sources, parent),
    known: (name) => isKnownModel(name, sources),
    sources,
    fallbacks,
    takeKey(key) {
      storedKey = key;
      if (!wish.practice) door = connected();
    },
  };
};
