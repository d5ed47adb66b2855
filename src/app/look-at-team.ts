/** What a person is shown of a team, read from the stores. */
import { statSync } from 'node:fs';
import type { SessionId } from '../contract/ids.ts';
import { usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { TranscriptStore } from '../contract/store.ts';
import type { TaskStore } from '../contract/task.ts';
import { LEAD, type Team, type TeamMember, type TeamStore } from '../contract/team.ts';
import { type TeamLook, teamLook } from '../contract/team-look.ts';
import type { Entry } from '../contract/transcript.ts';

/** What says where the transcript of a member lies. */
type TeamPlace = Pick<Team, 'project' | 'leadSessionId'>;
type MemberPlace = Pick<TeamMember, 'name' | 'session' | 'transcript' | 'startedBy'>;

export interface LookDeps {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  tokens(team: TeamPlace, member: MemberPlace): Promise<number | undefined>;
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
export const transcriptOf = (
  transcripts: Pick<TranscriptStore, 'locate'>,
  team: TeamPlace,
  member: MemberPlace,
): string =>
  member.transcript ??
  transcripts.locate(
    member.session,
    team.project,
    member.name === LEAD ? undefined : { root: member.startedBy ?? team.leadSessionId, name: member.session },
  );

/** What an entry adds to what its own session used. */
const usedIn = (entry: Entry): number => {
  const usage =
    entry.type === 'assistant'
      ? entry.message.usage
      : entry.type === 'compacted' || (entry.type === 'spent' && entry.child === undefined)
        ? entry.usage
        : undefined;
  return usage === undefined ? 0 : usedTokens(usage);
};

interface Counted {
  readonly place: number;
  readonly tokens: number;
}

/** Tokens of members: of open conversations as they stand, of others from what their transcripts grew by. */
export const memberTokens = (
  transcripts: Pick<TranscriptStore, 'after' | 'locate'>,
  open: (session: SessionId) => SessionState | undefined,
): LookDeps['tokens'] => {
  const known = new Map<string, Promise<Counted>>();
  const readOn = async (path: string, size: number, { place, tokens }: Counted): Promise<Counted> => {
    if (size === place) return { place, tokens };
    const begun = size < place ? { place: 0, tokens: 0 } : { place, tokens };
    const next = await transcripts.after(path, begun.place);
    return {
      place: next.place,
      tokens: next.entries.reduce((sum, entry) => sum + usedIn(entry), begun.tokens),
    };
  };
  return async (team, member) => {
    const state = open(member.session);
    if (state) return usedTokens(state.usage);
    const path = transcriptOf(transcripts, team, member);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const nothing: Counted = { place: 0, tokens: 0 };
    const before = known.get(path) ?? Promise.resolve(nothing);
    // What cannot be read now is read when it is looked at again.
    const now = before.then((counted) => readOn(path, size, counted).catch(() => counted));
    known.set(path, now);
    return (await now).tokens;
  };
};
