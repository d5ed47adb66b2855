/** What agents use up stands in the transcript of their root too, so that its cost and budgets count it after a resume. */
import { usedBy } from '../agents/used-by.ts';
import type { SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import { allUse, type UseByModel, usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { EntryBody } from '../contract/transcript.ts';
import type { LoopDeps } from '../loop/deps.ts';
import type { Purses } from './purses.ts';

/** Reads the events of a tree of sessions; answers the way to stop. */
export const countAgents = (
  listen: (reader: (event: SessionEvent) => void) => () => void,
  root: SessionId,
  record: (body: Extract<EntryBody, { type: 'spent' }>) => Promise<void>,
  payingTeam: (session: SessionId) => string | undefined,
): (() => void) =>
  listen((event) => {
    if (event.type !== 'entry' || event.session === root) return;
    const used = usedBy(event.entry);
    const team = payingTeam(event.session);
    if (used)
      void record({
        type: 'spent',
        about: event.agent,
        child: event.session,
        ...(team === undefined ? {} : { team }),
        ...used,
      });
  });

/** What one purse counts of models' use. */
export const spendingOf = (use: UseByModel, cost: LoopDeps['cost']) => ({
  tokens: Object.values(use).reduce((sum, usage) => sum + usedTokens(usage), 0),
  usd: cost(use),
});

/** A resumed conversation begins with what it, its agents and its team have used up. */
export const countBefore = (state: SessionState, purses: Purses, cost: LoopDeps['cost']): void => {
  purses.tree.spend(spendingOf(allUse(state), cost));
  if (state.team !== undefined)
    purses.own('team', state.team).spend(spendingOf(state.usageOfTeam ?? {}, cost));
};
