/** What a budget counts: requests to the model, US dollars, tokens, minutes of the clock. */
export type BudgetKind = 'turns' | 'usd' | 'tokens' | 'minutes';

/** How far one limit is used up. */
export interface Level {
  readonly kind: BudgetKind;
  readonly used: number;
  readonly allowed: number;
}

/** A limit with its owner: `session`, `team crew`, `agent ann`. */
export interface BudgetLevel extends Level {
  readonly whose: string;
}

/** An amount in words: `$0.5`, `1 minute`, `400 tokens`. */
export const budgetAmount = (kind: BudgetKind, amount: number): string =>
  kind === 'usd'
    ? `$${Number(amount.toFixed(4))}`
    : `${Math.round(amount * 100) / 100} ${amount === 1 ? kind.slice(0, -1) : kind}`;
