/** What one session, a team, or a session with all its agents may use up; shared by those who spend from it. */

export interface Limits {
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
}

type Kind = 'turns' | 'usd' | 'tokens' | 'minutes';
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
  /** A sentence when the warning share is passed; once until more is added. */
  nearing(): string | undefined;
  /** Adds what was there at first once more, to the limit that is reached. */
  extend(): void;
  /** Counts these from zero. */
  renew(...kinds: readonly Kind[]): void;
  /** One question for all who wait for its answer. */
  once(question: () => Promise<boolean>): Promise<boolean>;
}

export const allKinds: readonly Kind[] = ['turns', 'usd', 'tokens', 'minutes'];

const shown = (kind: Kind, amount: number): string =>
  kind === 'usd' ? `$${Number(amount.toFixed(4))}` : `${Math.round(amount * 100) / 100} ${kind}`;

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
  let told = false;
  let asking: Promise<boolean> | undefined;
  const used = (kind: Kind): number => (kind === 'minutes' ? (now().getTime() - from) / 60_000 : spent[kind]);
  const over = (share: number): Kind | undefined =>
    allKinds.find((kind) => used(kind) >= (allowed[kind] ?? Number.POSITIVE_INFINITY) * share);
  const sentence = (kind: Kind): string => {
    const limit = allowed[kind] ?? 0;
    if (kind === 'usd')
      return `Reached the budget of ${shown(kind, limit)}${whose} (used $${spent.usd.toFixed(4)}).`;
    return `Reached the limit of ${shown(kind, limit)}${whose}.`;
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
      told = false;
    },
    allow(limits) {
      allowed = amountsOf(limits);
      told = false;
    },
    reached() {
      const kind = over(1);
      return (
        kind && {
          stop: kind === 'turns' ? 'max_turns' : 'budget',
          text: sentence(kind),
          amount: shown(kind, base[kind] ?? 0),
        }
      );
    },
    nearing() {
      const kind = told ? undefined : over(warnAt);
      if (kind === undefined) return undefined;
      told = true;
      return `${Math.round(warnAt * 100)} % of the limit of ${shown(kind, allowed[kind] ?? 0)}${whose} is used (${shown(kind, used(kind))}).`;
    },
    extend() {
      const kind = over(1);
      if (kind === undefined) return;
      allowed[kind] = Math.max(allowed[kind] ?? 0, used(kind)) + (base[kind] ?? 0);
      told = false;
    },
    renew(...kinds) {
      for (const kind of kinds) {
        if (kind === 'minutes') from = now().getTime();
        else spent[kind] = 0;
        allowed[kind] = base[kind];
      }
      told = false;
    },
    async once(question) {
      asking ??= question().finally(() => {
        asking = undefined;
      });
      return await asking;
    },
  };
};
