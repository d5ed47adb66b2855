import type { Effort, ModelRequest } from '../contract/model.ts';
import { canonicalModel } from './facts.ts';

/**
 * How a model is told to think.
 * `budget`: a number of tokens, off when nothing is sent. `adaptive`: by itself, off when nothing is sent.
 * `adaptive-on`: by itself, off by `disabled`. `between-tools`: as little as between tools.
 * `always`: cannot be switched off. `asked`: not a Claude model, sent a budget only on a person's word.
 */
type Style = 'budget' | 'adaptive' | 'adaptive-on' | 'between-tools' | 'always' | 'asked';

interface Capability {
  readonly style: Style;
  /** Effort levels it takes; the highest one not above the wish is sent. */
  readonly efforts: readonly Effort[];
  /** False where a forced tool is refused: the choice is left to the model then. */
  readonly forcedTool: boolean;
  /** True where thinking is hidden unless asked for. */
  readonly hidden: boolean;
}

const ORDER: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const THREE = ORDER.slice(0, 3);
const NO_XHIGH = ORDER.filter((effort) => effort !== 'xhigh');

const capable = (style: Style, efforts: readonly Effort[], forcedTool = true, hidden = true): Capability => ({
  style,
  efforts,
  forcedTool,
  hidden,
});

/** First match wins. */
const TABLE: readonly (readonly [RegExp, Capability])[] = [
  [/^claude-(fable|mythos)-/, capable('always', ORDER, false)],
  [/^claude-opus-5-5$/, capable('always', ORDER, false)],
  [/^claude-sonnet-5-5$/, capable('between-tools', ORDER, false)],
  [/^claude-(haiku-5-5|opus-5|sonnet-5)$/, capable('adaptive-on', ORDER)],
  [/^claude-opus-4-[78]$/, capable('adaptive', ORDER)],
  [/^claude-(opus|sonnet)-4-6$/, capable('adaptive', NO_XHIGH, true, false)],
  [/^claude-opus-4-5$/, capable('budget', THREE, true, false)],
  [/^claude-(3-7-sonnet|(opus|sonnet|haiku)-4(-[015])?)$/, capable('budget', [], true, false)],
  [/^claude-3-/, capable('asked', [], true, false)],
  // A Claude model newer than this table: send nothing that any of them refuses.
  [/^claude-/, capable('always', ORDER, false)],
];

const OTHER = capable('asked', [], true, false);

const capabilityOf = (model: string): Capability =>
  TABLE.find(([pattern]) => pattern.test(canonicalModel(model)))?.[1] ?? OTHER;

const MIN_BUDGET = 1024;
const DEFAULT_BUDGET = 16_000;

export interface ThinkingFields {
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly output_config?: { readonly effort: Effort };
  readonly tool_choice?: Readonly<Record<string, unknown>>;
}

const effortFor = (wish: Effort | undefined, { efforts }: Capability): Effort | undefined => {
  if (!wish) return undefined;
  const limit = ORDER.indexOf(wish);
  return efforts.findLast((effort) => ORDER.indexOf(effort) <= limit) ?? efforts[0];
};

/** Thinking, effort and tool choice as this model takes them. `maxTokens` bounds a budget. */
export const thinkingFields = (request: ModelRequest, maxTokens: number): ThinkingFields => {
  const able = capabilityOf(request.model);
  const effort = effortFor(request.effort, able);
  const forced = able.forcedTool ? request.toolChoice : undefined;
  const on = (request.thinkingTokens ?? 0) > 0 && forced === undefined;
  const thinking = thinkingOf(able, on, effort, request.thinkingTokens ?? 0, maxTokens);
  return {
    ...(thinking ? { thinking } : {}),
    ...(effort ? { output_config: { effort } } : {}),
    ...(forced ? { tool_choice: { ...forced } } : {}),
  };
};

const thinkingOf = (
  able: Capability,
  on: boolean,
  effort: Effort | undefined,
  tokens: number,
  maxTokens: number,
): Record<string, unknown> | undefined => {
  const adaptive = { type: 'adaptive', ...(able.hidden ? { display: 'summarized' } : {}) };
  const hard = effort === 'xhigh' || effort === 'max';
  switch (able.style) {
    case 'budget':
    case 'asked': {
      const budget = Math.min(Math.max(tokens, MIN_BUDGET), maxTokens - 1);
      return on && budget >= MIN_BUDGET ? { type: 'enabled', budget_tokens: budget } : undefined;
    }
    case 'adaptive':
      return on ? adaptive : undefined;
    case 'adaptive-on':
      return on || hard ? adaptive : { type: 'disabled' };
    case 'between-tools':
      return on || hard ? adaptive : { type: 'between_tools' };
    case 'always':
      return on ? adaptive : undefined;
  }
};

/** `anthropic-beta` values that this request needs. */
export const thinkingBetas = (request: ModelRequest): readonly string[] =>
  capabilityOf(request.model).style === 'budget' &&
  (request.thinkingTokens ?? 0) > 0 &&
  request.tools.length > 0
    ? ['interleaved-thinking-2025-05-14']
    : [];

/**
 * The thinking budget a session begins with: `MAX_THINKING_TOKENS` where it is set (0 switches thinking off),
 * else on for models that are known to think, off for all others (local servers).
 */
export const thinkingDefault = (model: string, env: Readonly<Record<string, string | undefined>>): number => {
  const set = Number.parseInt(env.MAX_THINKING_TOKENS ?? '', 10);
  if (Number.isInteger(set) && set >= 0) return set;
  return capabilityOf(model).style === 'asked' ? 0 : DEFAULT_BUDGET;
};

/** Effort levels a person can choose for this model; empty where there are none. */
export const effortsOf = (model: string): readonly Effort[] => capabilityOf(model).efforts;
