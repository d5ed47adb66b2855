/** What one session, a team, or a session with all its agents may use up; shared by those who spend from it. */

import { type BudgetKind, budgetAmount, type Level } from '../contract/budget.ts';

export interface Limits {
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
}

type Kind = BudgetKind;
export type Spending = Partial<Readonly<Record<Exclude<Kind, 'minutes'>, number>>>;

export interface Reached {
  readonly stop: 'max_turns' | 'budget';
  /** A sentence: which limit. */
  readonly text: string;
  /** The amount that `extend` adds, in words. */
  readonly amount: string;
}

/** How a purse stands; plain data. */
export interface Account {
  readonly limits: Limits;
  readonly spent: Omit<Spending, 'turns'>;
  /** From when its minutes count, epoch milliseconds. */
  readonly since: number;
}

export interface Purse {
  spend(use: Spending): void;
  account(): Account;
  /** Stands as another one does. */
  assume(account: Account): void;
  /** What was added elsewhere counts here. */
  allow(limits: Limits): void;
  reached(): Reached | undefined;
  /** A sentence when the warning share of a limit is passed; once for each until more is added. */
  nearing(): string | undefined;
  /** Adds what was there at first once more, to the limit that is reached. */
  extend(): void;
  /** Counts these from zero. */
  renew(...kinds: readonly Kind[]): void;
  /** Calls when more was added, here or elsewhere; answers the way to stop. */
  onMore(listener: () => void): () => void;
  /**
   * One question for all who wait for its answer. After a no nobody is asked again until `reopen`; where the one who
   * asked is gone, the next one asks.
   */
  once(question: () => Promise<'yes' | 'no' | 'gone'>): Promise<boolean>;
  /** The person has spoken since: the question may be put again. */
  reopen(): void;
  /** Its limits. */
  levels(): readonly Level[];
}

export const allKinds: readonly Kind[] = ['turns', 'usd', 'tokens', 'minutes'];

const amountsOf = (limits: Limits) => ({
  turns: limits.maxTurns,
  usd: limits.maxCostUsd,
  tokens: limits.maxTokens,
  minutes: limits.maxMinutes,
});

/** `whose` ends the sentences: '', ' of the session'. */
export const createPurse = (
  limits: Limits,
  {
    whose = '',
    warnAt = 0.8,
    now,
  }: { readonly whose?: string; readonly warnAt?: number; readonly now: () => Date },
): Purse => {
  let base = amountsOf(limits);
  let allowed = { ...base };
  const spent = { turns: 0, usd: 0, tokens: 0 };
  let from = now().getTime();
  const told = new Set<Kind>();
  const listeners = new Set<() => void>();
  let asking: Promise<'yes' | 'no' | 'gone'> | undefined;
  let declined = false;
  const used = (kind: Kind): number => (kind === 'minutes' ? (now().getTime() - from) / 60_000 : spent[kind]);
  const over = (share: number, but: ReadonlySet<Kind> = new Set()): Kind | undefined =>
    allKinds.find(
      (kind) => !but.has(kind) && used(kind) >= (allowed[kind] ?? Number.POSITIVE_INFINITY) * share,
    );
  const sentence = (kind: Kind): string => {
    const limit = allowed[kind] ?? 0;
    if (kind === 'usd')
      return `Reached the budget of ${budgetAmount(kind, limit)}${whose} (used $${spent.usd.toFixed(4)}).`;
    return `Reached the limit of ${budgetAmount(kind, limit)}${whose}.`;
  };
  return {
    spend(use) {
      for (const kind of ['turns', 'usd', 'tokens'] as const) spent[kind] += use[kind] ?? 0;
    },
    account: () => ({
      limits: {
        maxCostUsd: allowed.usd,
        maxTokens: allowed.tokens,
        maxMinutes: allowed.minutes,
        maxTurns: allowed.turns,
      },
      spent: { usd: spent.usd, tokens: spent.tokens },
      since: from,
    }),
    assume(account) {
      base = amountsOf(account.limits);
      allowed = { ...base };
      spent.usd = account.spent.usd ?? 0;
      spent.tokens = account.spent.tokens ?? 0;
      from = account.since;
      told.clear();
    },
    allow(limits) {
      allowed = amountsOf(limits);
      told.clear();
      for (const listener of listeners) listener();
    },
    reached() {
      const kind = over(1);
      return (
        kind && {
          stop: kind === 'turns' ? 'max_turns' : 'budget',
          text: sentence(kind),
          amount: budgetAmount(kind, base[kind] ?? 0),
        }
      );
    },
    nearing() {
      const kind = over(warnAt, told);
      if (kind === undefined) return undefined;
      told.add(kind);
      return `${Math.round(warnAt * 100)} % of the limit of ${budgetAmount(kind, allowed[kind] ?? 0)}${whose} is used (${budgetAmount(kind, used(kind))}).`;
    },
    extend() {
      const kind = over(1);
      if (kind === undefined) return;
      allowed[kind] = Math.max(allowed[kind] ?? 0, used(kind)) + (base[kind] ?? 0);
      told.delete(kind);
      for (const listener of listeners) listener();
    },
    onMore(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    renew(...kinds) {
      for (const kind of kinds) {
        if (kind === 'minutes') from = now().getTime();
        else spent[kind] = 0;
        allowed[kind] = base[kind];
        told.delete(kind);
      }
    },
    async once(question) {
      while (!declined) {
        const asks = asking === undefined;
        asking ??= question().finally(() => {
          asking = undefined;
        });
        const said = await asking;
        if (said === 'gone' && !asks) continue;
        declined = said === 'no';
        return said === 'yes';
      }
      return false;
    },
    reopen() {
      declined = false;
    },
    levels: () =>
      allKinds.flatMap((kind) => {
        const limit = allowed[kind];
        return limit === undefined ? [] : [{ kind, used: used(kind), allowed: limit }];
      }),
  };
};
