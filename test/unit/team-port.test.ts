import { expect, it, vi } from 'vitest';
import { lookAtTeam } from '../../src/app/look-at-team.ts';
import { teamPort } from '../../src/app/team-port.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { TeamLook } from '../../src/contract/team-look.ts';
import { memoryShelf } from '../../src/store/task-memory.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { memoryTeamShelf } from '../../src/store/team-shelf.ts';
import { teamStore } from '../../src/store/teams.ts';
import { gate } from '../support/replies.ts';
import { state } from './team-desk.ts';

it('what changes while a team is being looked at is looked at again', async () => {
  const tasks = taskStore(memoryShelf());
  const teams = teamStore(memoryTeamShelf(), tasks);
  await teams.create({ name: 'crew', lead: { session: 'lead' as SessionId, project: '/p', cwd: '/p' } });
  const lead = state('lead', { team: 'crew', taskList: 'crew' });
  const [looking, go] = [gate(), gate()];
  let looks = 0;
  const told = vi.fn<(team: TeamLook | undefined) => void>();
  const stop = teamPort({
    session: { id: lead.id, state: () => lead, listen: () => () => undefined },
    teams,
    tasks,
    look: async (team) => {
      looks += 1;
      const seen = await lookAtTeam({ teams, tasks, tokens: async () => undefined }, team);
      looking.open();
      await go.opened;
      return seen;
    },
  }).follow(told);
  await looking.opened;
  await teams.join('crew', {
    name: 'ann',
    session: 'ann' as SessionId,
    cwd: '/p',
    backendType: 'in-process',
    state: 'working',
  });
  go.open();
  await vi.waitFor(() =>
    expect(told.mock.lastCall?.[0]?.members.map(({ name }) => name)).toEqual(['team-lead', 'ann']),
  );
  expect(looks).toBe(2);
  stop();
});
