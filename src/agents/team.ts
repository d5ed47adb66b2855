/** Teams of this program: who joins, what a deletion does to members, who is there again after a restart. */
import type { AgentDefinition, AgentHandle, SpawnRequest } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import { actorOf } from '../contract/task.ts';
import { LEAD, memberNameOf, sameName, type Team, type TeamLife } from '../contract/team.ts';
import type { Derived } from './derive.ts';
import { deskOf } from './desk.ts';
import type { HostDeps, Place, TeamDeps } from './host-deps.ts';
import { createMate, type Mate } from './mate.ts';
import { type MateEnds, mateEnds } from './mate-ends.ts';
import { createMateProcesses } from './mate-process.ts';
import type { Roster, Seat } from './roster.ts';
import { afterRestart, withoutTeam } from './team-again.ts';

export interface Teamwork {
  /** The team a request belongs to; a refusal says what is wrong with it. */
  teamOf(request: SpawnRequest): Promise<Team | { readonly refused: string } | undefined>;
  join(derived: Derived, team: Team): Promise<Mate | { readonly refused: string }>;
  /** Starts a teammate as a process of its own; undefined when it is to run in this one. */
  asProcess(
    derived: Derived,
    team: Team,
    place: Place,
  ): Promise<AgentHandle | { readonly refused: string } | undefined>;
  readonly life: TeamLife;
  /** After a restart of the lead: its team and leases are its own again, members go on. One sentence per thing to know. */
  recover(): Promise<readonly string[]>;
  /** Members in processes of their own. */
  readonly apart: MateEnds;
  close(): void;
}

/** How the host continues an agent: with words, or for mail that waits. */
export type Continue = (
  idOrName: string,
  words: string | undefined,
  parent: SessionState,
  by?: 'person',
) => Promise<AgentHandle | { readonly refused: string }>;

const BEAT_MS = 60_000;

export const createTeamwork = (
  deps: HostDeps & { readonly team: TeamDeps },
  roster: Roster,
  go: Continue,
): Teamwork => {
  const { teams, tasks, lead } = deps.team;

  const beat = async (): Promise<void> => {
    const states = [lead().state(), ...roster.seats().flatMap((seat) => seat.conversation?.state() ?? [])];
    for (const state of states) await tasks.renew(state.taskList, actorOf(state));
  };
  const heart = setInterval(() => void beat(), BEAT_MS);
  heart.unref();

  /** Those who are started at once do not see each other in the team yet. */
  let given = 0;
  const colorFor = (team: Team): string => {
    given = Math.max(given + 1, team.members.length);
    return colors[(given - 1) % colors.length] ?? 'blue';
  };
  const mates = createMateProcesses(deps, roster);
  const mateSeats = (team: Team): readonly Seat[] => roster.seats().filter((seat) => seat.team === team.key);

  const end = (seat: Seat): void => {
    seat.halt.abort();
    seat.conversation?.interrupt();
  };

  /** A predecessor's unread mail is the new one's, but not a request to shut down that was never meant for it. */
  const inherit = async (inbox: string, from: number): Promise<number> => {
    const unread = await deps.mailbox.read(inbox, from);
    const isRequest = (mail: (typeof unread)[number]) =>
      mail.origin.kind === 'mail' && mail.origin.protocol === 'shutdown_request';
    if (!unread.some(isRequest)) return from;
    for (const { text, origin, images } of unread.filter((mail) => !isRequest(mail)))
      await deps.mailbox.send(inbox, { id: deps.newId(), text, origin, ...(images ? { images } : {}) });
    return unread.at(-1)?.place ?? from;
  };

  return {
    apart: mateEnds(deps.team, roster),
    async teamOf(request) {
      const { parent, name, background } = request;
      const own = parent.team === undefined ? undefined : await teams.get(parent.team);
      const team = own && 'key' in own ? own : undefined;
      if (request.team !== undefined) {
        if (!team)
          return {
            refused: `You are in no team, so there is no team "${request.team}" to join. Create it with TeamCreateTool first, or leave team_name out.`,
          };
        if (!sameName(team.key, request.team) && !sameName(team.name, request.team))
          return { refused: `Your team is "${team.name}", not "${request.team}".` };
        if (name === undefined)
          return { refused: 'A teammate needs a name: give "name" beside "team_name".' };
        if (memberNameOf(parent) !== LEAD)
          return {
            refused: 'Only the lead can start teammates; ask it, or start an agent without team_name.',
          };
        return team;
      }
      return team && name !== undefined && background && memberNameOf(parent) === LEAD ? team : undefined;
    },
    async join(derived, team) {
      const { request, id, model, cwd } = derived;
      const name = request.name ?? id;
      const before = team.members.find((one) => sameName(one.name, name));
      const joined = await teams.join(team.key, {
        ...memberOf(derived, team, colorFor),
        name,
        session: id,
        model,
        cwd,
        backendType: 'in-process',
        transcript: deps.team.transcript?.(id, request.parent.root),
      });
      if ('refused' in joined) return joined;
      if ('failed' in joined) return { refused: joined.failed };
      const same = before?.session === id;
      const from = same ? 0 : await inherit(joined.inbox, joined.from);
      return createMate(
        { ...deps, ...deps.team, roster },
        { team: team.key, name, mailFrom: { [joined.inbox]: from }, lost: same ? before.lost : undefined },
      );
    },
    asProcess: (derived, team, place) =>
      mates.begin(derived, team, place, () => ({
        ...memberOf(derived, team, colorFor),
        name: derived.request.name ?? derived.id,
        session: derived.id,
        model: derived.model,
        cwd: derived.cwd,
        checkout: derived.checkout,
        backendType: 'process',
        startedBy: derived.request.parent.root,
        transcript: deps.team.transcript?.(derived.id, derived.request.parent.root),
      })),
    life: {
      async leave(session) {
        const seat = roster.byId(session);
        if (!seat) return deps.team.left?.(session);
        seat.leaving = true;
        seat.halt.abort();
      },
      async wake(team, member) {
        const leading = lead().state();
        if (leading.id !== team.leadSessionId) {
          if (!teams.isLed(team)) return 'its lead is not running';
          await deps.team.link?.wake(member.name);
          return undefined;
        }
        if (member.backendType === 'process') return (await mates.again(team, member))?.refused;
        const seat = roster.byId(member.session);
        if (seat && roster.isRunning(seat)) return undefined;
        const going = await go(member.session, undefined, leading);
        return 'refused' in going ? String(going.refused) : undefined;
      },
      async dissolve(team) {
        const seats = mateSeats(team);
        for (const seat of seats) {
          seat.silent = true;
          end(seat);
        }
        const { processes } = deps.team;
        const others = team.members.filter((one) => one.backendType === 'process' && teams.isRunning(one));
        await Promise.all([
          ...seats.map((seat) => seat.settled),
          ...others.map((one) => processes?.end(one)),
        ]);
        deps.team.link?.leave();
      },
      async follow(session, to) {
        for (const seat of roster.seats())
          if (isBelow(roster, seat, session) && seat.conversation)
            await seat.conversation.record({ type: 'team', ...to });
      },
    },
    async recover() {
      const state = lead().state();
      await tasks.reclaim(state.taskList, actorOf(state));
      const led = await teams.ledBy(state.id);
      if (!led) return await withoutTeam(deps.team, state);
      const team = await teams.adopt(led.key, {
        session: state.id,
        project: state.project,
        cwd: state.cwd,
        model: state.model,
        taskList: state.team === led.key ? led.leadTaskList : state.taskList,
      });
      if ('refused' in team) return [team.refused];
      if ('failed' in team) return [team.failed];
      if (state.team !== team.key) {
        // What its processes used before is its earlier lead's.
        const desk = deskOf(team.key);
        const end = (await deps.mailbox.read(desk, 0)).at(-1)?.place ?? 0;
        await lead().record({
          type: 'team',
          team: team.key,
          taskList: team.taskList,
          mailFrom: { [desk]: end },
        });
      }
      const members = team.members.filter(
        (one) => one.name !== LEAD && one.state !== 'ended' && one.state !== 'stopped',
      );
      const notes: string[] = [];
      for (const member of members) {
        if (teams.isRunning(member) && !teams.isMine(member)) {
          await mates.find(team, member);
          continue;
        }
        if (member.backendType === 'process') {
          const failed = await mates.again(team, member);
          if (failed)
            notes.push(`${member.name} of the team "${team.name}" could not go on: ${failed.refused}`);
          continue;
        }
        const words = await afterRestart(deps, team, member);
        const going = await go(member.session, words, lead().state());
        if ('refused' in going)
          notes.push(`${member.name} of the team "${team.name}" could not go on: ${going.refused}`);
      }
      return notes;
    },
    close() {
      clearInterval(heart);
      for (const seat of roster.seats()) {
        if (!seat.team || seat.endProcess) continue;
        seat.silent = true;
        seat.halt.abort();
      }
    },
  };
};

/** What the team file says of a new member. */
const memberOf = ({ request, definition }: Derived, team: Team, color: (team: Team) => string) => {
  const before = team.members.find((one) => sameName(one.name, request.name ?? ''));
  return {
    agentType: definition.name,
    prompt: request.prompt === '' ? before?.prompt : request.prompt,
    state: 'working' as const,
    color: definition.color ?? before?.color ?? color(team),
    ...(isPlanned(request, definition) ? { planModeRequired: true } : {}),
  };
};

const isPlanned = (request: SpawnRequest, definition: AgentDefinition): boolean =>
  (request.mode ?? definition.permissionMode) === 'plan';

const colors = ['blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan', 'red'] as const;

/** Whether somebody was started by a session, or by somebody it started. */
const isBelow = (roster: Roster, seat: Seat, session: SessionId): boolean => {
  const parent = roster.byId(seat.parent);
  return seat.parent === session || (parent !== undefined && isBelow(roster, parent, session));
};
