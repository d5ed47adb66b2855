/** What a person is shown of a team, read from the stores. */
import { statSync } from 'node:fs';
import type { SessionId } from '../contract/ids.ts';
import { noUsage, usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { TranscriptStore } from '../contract/store.ts';
import type { TaskStore } from '../contract/task.ts';
import { LEAD, type Team, type TeamMember, type TeamStore } from '../contract/team.ts';
import { type TeamLook, teamLook } from '../contract/team-look.ts';
import { fold } from '../loop/fold.ts';

export interface LookDeps {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  tokens(team: Team, member: TeamMember): Promise<number | undefined>;
}

export const lookAtTeam = async ({ teams, tasks, tokens }: LookDeps, team: Team): Promise<TeamLook> => {
  const listing = await tasks.list(team.taskList);
  const used = await Promise.all(
    team.members.map(async (member) => [member.session, await tokens(team, member)] as const),
  );
  const running = team.members.filter((one) =>
    one.name === LEAD ? teams.isLed(team) : teams.isRunning(one),
  );
  return teamLook({
    team,
    tasks: 'failed' in listing ? [] : listing.tasks,
    events: await teams.events(team.key),
    receipts: await teams.receipts(team.key),
    running: new Set(running.map(({ session }) => session)),
    tokens: new Map(used.flatMap(([session, count]) => (count === undefined ? [] : [[session, count]]))),
  });
};

/** Where a member's transcript lies. */
export const transcriptOf = (transcripts: TranscriptStore, team: Team, member: TeamMember): string =>
  member.transcript ??
  transcripts.locate(
    member.session,
    team.project,
    member.name === LEAD ? undefined : { root: member.startedBy ?? team.leadSessionId, name: member.session },
  );

/** Tokens of members: of open conversations as they stand, of others from their transcripts, read again when they grew. */
export const memberTokens = (
  transcripts: TranscriptStore,
  open: (session: SessionId) => SessionState | undefined,
): LookDeps['tokens'] => {
  const known = new Map<string, { readonly size: number; readonly tokens: number }>();
  return async (team, member) => {
    const state = open(member.session);
    if (state) return usedTokens(state.usage);
    const path = transcriptOf(transcripts, team, member);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const before = known.get(path);
    if (before?.size === size) return before.tokens;
    // It may go between two looks.
    const { entries } = await transcripts.load(path).catch(() => ({ entries: [] }));
    const tokens = usedTokens(fold(member.session, entries)?.usage ?? noUsage);
    known.set(path, { size, tokens });
    return tokens;
  };
};
