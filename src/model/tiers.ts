import type { ModelFacts } from '../contract/model.ts';
import { inTable } from './facts.ts';

export type Tier = 'small' | 'medium' | 'large';

type Env = Readonly<Record<string, string | undefined>>;

/** Today's models; settings map the tiers to others. */
const tierDefaults: Readonly<Record<Tier, string>> = {
  small: 'claude-haiku-5-5',
  medium: 'claude-sonnet-5-5',
  large: 'claude-opus-5-5',
};

export const tierNames: readonly Tier[] = ['small', 'medium', 'large'];

const ALIASES: Readonly<Record<string, Tier>> = {
  small: 'small',
  haiku: 'small',
  medium: 'medium',
  sonnet: 'medium',
  default: 'medium',
  large: 'large',
  opus: 'large',
};

const VARIABLES: Readonly<Record<Tier, readonly string[]>> = {
  small: ['ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'],
  medium: ['ANTHROPIC_DEFAULT_SONNET_MODEL'],
  large: ['ANTHROPIC_DEFAULT_OPUS_MODEL'],
};

export interface TierSources {
  /** Settings: tier or alias to model id. */
  readonly tiers?: Readonly<Record<string, string>>;
  readonly env?: Env;
  /** Price table of settings: its models are known models. */
  readonly facts?: readonly ModelFacts[];
}

const aliasOf = (name: string): Tier | undefined =>
  Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;

const tierModel = (tier: Tier, { tiers = {}, env = {} }: TierSources): string => {
  const spellings = Object.keys(ALIASES).filter((alias) => ALIASES[alias] === tier);
  const set = spellings.map((alias) => tiers[alias]).find((model) => model);
  const exported = VARIABLES[tier].map((name) => env[name]).find((model) => model);
  return set ?? exported ?? tierDefaults[tier];
};

/**
 * The id a name stands for: a tier, an alias (`haiku`, `sonnet`, `opus`), `inherit` (the parent's model),
 * anything else is an id already. Settings win over variables, those over the defaults.
 */
export const modelId = (name: string, sources: TierSources = {}, parent?: string): string => {
  const asked = name.trim();
  const lower = asked.toLowerCase();
  if (lower === 'inherit' || lower === '') return parent ?? tierModel('medium', sources);
  const tier = aliasOf(lower);
  if (tier) return tierModel(tier, sources);
  return sources.tiers && Object.hasOwn(sources.tiers, asked) ? (sources.tiers[asked] ?? asked) : asked;
};

/** Ruling of names: a tier, an alias, `claude-*`, in the price table or in settings. */
export const isKnownModel = (name: string, sources: TierSources = {}): boolean => {
  const lower = name.trim().toLowerCase();
  if (lower === 'inherit' || aliasOf(lower) !== undefined || lower.startsWith('claude-')) return true;
  const mapped = Object.entries(sources.tiers ?? {}).some(([alias, id]) => alias === name || id === name);
  const exported = Object.values(VARIABLES)
    .flat()
    .some((variable) => sources.env?.[variable] === name);
  return mapped || exported || inTable(name, sources.facts);
};
