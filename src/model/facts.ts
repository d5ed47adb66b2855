import type { ModelUse, Usage } from '../contract/message.ts';
import type { ModelFacts, ModelPrice } from '../contract/model.ts';

/** Dollars per million tokens; writing to the cache costs a quarter more than input (five-minute entries). */
const price = (input: number, output: number, cacheRead = input / 10): ModelPrice => ({
  input,
  output,
  cacheWrite: input * 1.25,
  cacheRead,
});

const M = 1_000_000;
const K128 = 128_000;
const K64 = 64_000;

/** Published figures, November 2026. Ids with a date belong to the entry they begin with. */
const KNOWN: readonly ModelFacts[] = [
  { id: 'claude-fable-5-2', window: M, maxOutput: K128 },
  { id: 'claude-mythos-5-2', window: M, maxOutput: K128 },
  { id: 'claude-fable-5-1', window: M, maxOutput: K128, price: price(10, 50, 0.25) },
  { id: 'claude-mythos-5-1', window: M, maxOutput: K128, price: price(10, 50, 0.25) },
  { id: 'claude-fable-5', window: M, maxOutput: K128, price: price(10, 50) },
  { id: 'claude-mythos-5', window: M, maxOutput: K128, price: price(10, 50) },
  { id: 'claude-opus-5-5', window: M, maxOutput: K128, price: price(4, 20, 0.2) },
  { id: 'claude-sonnet-5-5', window: M, maxOutput: K128, price: price(2, 10, 0.1) },
  {
    id: 'claude-haiku-5-5',
    window: M,
    maxOutput: K128,
    price: price(0.1, 0.5),
    longPrice: price(0.5, 2.5),
  },
  { id: 'claude-opus-5', window: M, maxOutput: K128, price: price(5, 25) },
  { id: 'claude-sonnet-5', window: M, maxOutput: K128, price: price(2, 10) },
  { id: 'claude-opus-4-8', window: M, maxOutput: K128, price: price(5, 25) },
  { id: 'claude-opus-4-7', window: M, maxOutput: K128, price: price(5, 25) },
  { id: 'claude-opus-4-6', window: M, maxOutput: K128, price: price(5, 25) },
  { id: 'claude-sonnet-4-6', window: M, maxOutput: K64, price: price(3, 15) },
  { id: 'claude-opus-4-5', window: 200_000, maxOutput: K64, price: price(5, 25) },
  { id: 'claude-sonnet-4-5', window: 200_000, maxOutput: K64, price: price(3, 15) },
  { id: 'claude-haiku-4-5', window: 200_000, maxOutput: K64, price: price(1, 5) },
  { id: 'claude-opus-4-1', window: 200_000, maxOutput: 32_000, price: price(15, 75) },
  { id: 'claude-opus-4', window: 200_000, maxOutput: 32_000, price: price(15, 75) },
  { id: 'claude-sonnet-4', window: 200_000, maxOutput: K64, price: price(3, 15) },
  { id: 'claude-3-7-sonnet', window: 200_000, maxOutput: K64, price: price(3, 15) },
  { id: 'claude-3-5-haiku', window: 200_000, maxOutput: 8192, price: price(0.8, 4) },
];

/**
 * The name under which the tables here know a model: `claude-haiku-4-5` for `claude-haiku-4-5-20251001`,
 * `anthropic/claude-haiku-4.5` and `us.anthropic.claude-haiku-4-5-20251001-v1:0`; other names stay.
 */
export const canonicalModel = (model: string): string => {
  const claude = /claude-[a-z0-9.-]+/.exec(model.toLowerCase())?.[0];
  if (!claude) return model;
  return claude.replaceAll('.', '-').replace(/(-\d{8})?(-v\d+)?(-latest)?$/, '');
};

/**
 * What is known of a model, settings first. A model that neither names has a window of 200,000 tokens and
 * 32,000 of output if it is a Claude model, else 128,000 and 8,192 (local servers); its price is not known.
 */
export const factsOf = (model: string, overrides: readonly ModelFacts[] = []): ModelFacts => {
  const set = overrides.find(({ id }) => id === model);
  if (set) return set;
  const canonical = canonicalModel(model);
  const known = [...overrides, ...KNOWN].find(({ id }) => id === canonical);
  if (known) return { ...known, id: model };
  return canonical.startsWith('claude-')
    ? { id: model, window: 200_000, maxOutput: 32_000 }
    : { id: model, window: 128_000, maxOutput: 8192 };
};

/** True for models that can be shown PDF documents as they are; others get their text. */
export const takesDocuments = (model: string): boolean => canonicalModel(model).startsWith('claude-');

/** True where the table, or settings, name the model. */
export const inTable = (model: string, overrides: readonly ModelFacts[] = []): boolean =>
  [...overrides, ...KNOWN].some(({ id }) => id === model || id === canonicalModel(model));

/** Ids for pickers and completions, newest first, settings before them. */
export const knownModels = (overrides: readonly ModelFacts[] = []): readonly string[] => [
  ...new Set([...overrides, ...KNOWN].map(({ id }) => id)),
];

/** US dollars of what a model used; undefined where the price is not known. */
export const cost = (use: ModelUse, { price, longPrice }: ModelFacts): number | undefined => {
  if (!price) return undefined;
  const all = priced(use, price);
  return use.long && longPrice ? all - priced(use.long, price) + priced(use.long, longPrice) : all;
};

const priced = (usage: Usage, rate: ModelPrice): number =>
  (usage.input_tokens * rate.input +
    usage.output_tokens * rate.output +
    usage.cache_creation_input_tokens * rate.cacheWrite +
    usage.cache_read_input_tokens * rate.cacheRead) /
  1_000_000;
