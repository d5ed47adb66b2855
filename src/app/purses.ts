/** Budgets that several conversations share: the session with all its agents, and each team. */
import type { BudgetLevel } from '../contract/budget.ts';
import type { Budget, Settings } from '../contract/settings.ts';
import { steadyNow } from '../lib/steady-now.ts';
import type { Opening } from '../loop/deps.ts';
import { createPurse, type Limits, type Purse } from '../loop/purse.ts';

export type Share = (purse: Purse, which: 'session' | 'team') => Purse;

export interface Purses {
  /** Of the main conversation and everything under it. */
  readonly tree: Purse;
  /** Some limit is in money. */
  readonly money: boolean;
  /** The session's and those of its teams. */
  levels(): readonly BudgetLevel[];
  /** Calls when the person has added to one of them. */
  onMore(listener: () => void): void;
  /** What an agent spends from, beside its own. */
  of(team: string | undefined): NonNullable<Opening['purses']>;
  /** The conversation has another team now, or none: one that is made anew has used nothing. */
  forgetTeams(): void;
  /** What is kept here of a budget that other processes spend from as well. */
  own(which: 'session' | 'team', team: string | undefined): Purse;
}

export const limitsFrom = (budget: Budget | undefined): Limits => ({
  ...(budget?.usd === undefined ? {} : { maxCostUsd: budget.usd }),
  ...(budget?.tokens === undefined ? {} : { maxTokens: budget.tokens }),
  ...(budget?.turns === undefined ? {} : { maxTurns: budget.turns }),
  ...(budget?.minutes === undefined ? {} : { maxMinutes: budget.minutes }),
});

/** Of one agent: what its definition or its call says of turns and the setting both hold. */
export const ownLimits = (turns: number | undefined, setting: Budget | undefined): Limits => {
  const limits = limitsFrom(setting);
  const most = Math.min(turns ?? Number.POSITIVE_INFINITY, limits.maxTurns ?? Number.POSITIVE_INFINITY);
  return { ...limits, ...(Number.isFinite(most) ? { maxTurns: most } : {}) };
};

/** Turns are the main conversation's own; money, tokens and minutes count with all agents. */
export const createPurses = (session: Limits, limits: Settings['limits'], share: Share): Purses => {
  const { maxTurns: _own, ...shared } = session;
  const { warnAt } = limits ?? {};
  const now = () => new Date(steadyNow());
  const own = createPurse(shared, { whose: ' of the session', warnAt, now });
  const tree = share(own, 'session');
  const teams = new Map<string, Purse>();
  const listeners = new Set<() => void>();
  const told = (purse: Purse): Purse => {
    purse.onMore(() => {
      for (const listener of listeners) listener();
    });
    return purse;
  };
  told(tree);
  const ofTeam = (key: string): Purse => {
    const purse =
      teams.get(key) ??
      told(createPurse(limitsFrom(limits?.team), { whose: ` of the team ${key}`, warnAt, now }));
    teams.set(key, purse);
    return purse;
  };
  return {
    tree,
    forgetTeams: () => teams.clear(),
    onMore: (listener) => void listeners.add(listener),
    money: [session.maxCostUsd, limits?.agent?.usd, limits?.team?.usd].some((usd) => usd !== undefined),
    of: (team) => [...(team === undefined ? [] : [share(ofTeam(team), 'team')]), tree],
    levels: () => [
      ...tree.levels().map((level) => ({ whose: 'session', ...level })),
      ...[...teams].flatMap(([key, purse]) =>
        purse.levels().map((level) => ({ whose: `team ${key}`, ...level })),
      ),
    ],
    own: (which, team) => (which === 'session' ? own : ofTeam(team ?? '')),
  };
};
