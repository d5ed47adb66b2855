/** Budgets that several conversations share: the session with all its agents, and each team. */
import type { Budget, Settings } from '../contract/settings.ts';
import type { Opening } from '../loop/deps.ts';
import { createPurse, type Limits, type Purse } from '../loop/purse.ts';

export type Share = (purse: Purse, which: 'session' | 'team') => Purse;

export interface Purses {
  /** Of the main conversation and everything under it. */
  readonly tree: Purse;
  /** Some limit is in money. */
  readonly money: boolean;
  /** What an agent spends from, beside its own. */
  of(team: string | undefined): NonNullable<Opening['purses']>;
  /** What is kept here of a budget that other processes spend from as well. */
  own(which: 'session' | 'team', team: string | undefined): Purse;
}

export const limitsFrom = (budget: Budget | undefined): Limits => ({
  ...(budget?.usd === undefined ? {} : { maxCostUsd: budget.usd }),
  ...(budget?.tokens === undefined ? {} : { maxTokens: budget.tokens }),
  ...(budget?.turns === undefined ? {} : { maxTurns: budget.turns }),
  ...(budget?.minutes === undefined ? {} : { maxMinutes: budget.minutes }),
});

/** Turns are the main conversation's own; money, tokens and minutes count with all agents. */
export const createPurses = (session: Limits, limits: Settings['limits'], share: Share): Purses => {
  const { maxTurns: _own, ...shared } = session;
  const { warnAt } = limits ?? {};
  const now = () => new Date();
  const own = createPurse(shared, { whose: ' of the session', warnAt, now });
  const tree = share(own, 'session');
  const teams = new Map<string, Purse>();
  const ofTeam = (key: string): Purse => {
    const purse =
      teams.get(key) ?? createPurse(limitsFrom(limits?.team), { whose: ` of the team ${key}`, warnAt, now });
    teams.set(key, purse);
    return purse;
  };
  return {
    tree,
    money: [session.maxCostUsd, limits?.agent?.usd, limits?.team?.usd].some((usd) => usd !== undefined),
    of: (team) => [
      ...(team === undefined ? [] : [{ purse: share(ofTeam(team), 'team'), asks: true }]),
      // Whoever started it hears that it parked; the main conversation asks.
      { purse: tree, asks: false },
    ],
    own: (which, team) => (which === 'session' ? own : ofTeam(team ?? '')),
  };
};
