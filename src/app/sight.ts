/** What a person is shown of the conversation now open: its team, how far its budgets are used up. */
import type { BudgetLevel } from '../contract/budget.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Team } from '../contract/team.ts';
import type { TeamLook } from '../contract/team-look.ts';
import type { Conversation } from '../loop/session.ts';
import type { OpenStores } from '../store/open-stores.ts';
import { lookAtTeam, memberTokens } from './look-at-team.ts';
import type { Purses } from './purses.ts';

export interface Sight {
  budgets(): readonly BudgetLevel[];
  look(team: Team): Promise<TeamLook>;
}

export interface SightDeps {
  readonly stores: Pick<OpenStores, 'teams' | 'tasks' | 'transcripts'>;
  readonly purses: Purses;
  root(): Conversation;
  stateOf(session: SessionId): SessionState | undefined;
  /** How far the limits of the open agents are used up. */
  agents(): readonly BudgetLevel[];
}

export const createSight = ({ stores, purses, root, stateOf, agents }: SightDeps): Sight => {
  const tokens = memberTokens(stores.transcripts, stateOf);
  return {
    look: (team) => lookAtTeam({ ...stores, tokens }, team),
    budgets: () => [
      ...root()
        .levels()
        .map((level) => ({ whose: 'one reply', ...level })),
      ...purses.levels(),
      ...agents(),
    ],
  };
};
