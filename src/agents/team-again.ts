/** What a lead and its members are told when they are there again. */
import type { SessionState } from '../contract/state.ts';
import { LEAD, memberNameOf, problemOf, type Team, type TeamMember } from '../contract/team.ts';
import type { TeamDeps } from './host-deps.ts';

/** What a member is told that worked when the program ended; nothing to one that only waited. */
export const afterRestart = async (
  { team: { tasks } }: { readonly team: Pick<TeamDeps, 'tasks'> },
  team: Team,
  member: TeamMember,
): Promise<string | undefined> => {
  const kept = await tasks.reclaim(team.taskList, {
    name: member.name,
    session: member.session,
    role: 'agent',
  });
  const own = 'failed' in kept ? [] : kept;
  if (member.state !== 'working' && own.length === 0) return undefined;
  const list = own.map((task) => `task ${task.id} (${task.subject})`).join(', ');
  return `The program was restarted while you worked. Calls that ran then were not repeated. ${list === '' ? 'Go on where you stopped.' : `Still yours and in progress: ${list}. Go on.`}`;
};

/** A lead whose team was deleted or adopted by somebody else while it was away. */
export const withoutTeam = async (
  { lead, teams }: TeamDeps,
  state: SessionState,
): Promise<readonly string[]> => {
  if (state.team === undefined || memberNameOf(state) !== LEAD) return [];
  const damaged = problemOf((await teams.list()).problems, state.team);
  if (damaged) return [`The team "${state.team}" cannot be led before this is mended: ${damaged}`];
  await lead().record({ type: 'team', team: null, taskList: state.root });
  return [
    `The team "${state.team}" is not yours any more: it was deleted or adopted meanwhile. Your own task list is back.`,
  ];
};
