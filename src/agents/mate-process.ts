/** Teammates in processes of their own, as their lead sees them: a seat without a conversation. */
import type { AgentHandle, AgentResult } from '../contract/agent.ts';
import type { Team, TeamMember } from '../contract/team.ts';
import { type Derived, openingOf } from './derive.ts';
import type { HostDeps, Place, ProcessOpening, StartedProcess, TeamDeps } from './host-deps.ts';
import type { Roster, Seat } from './roster.ts';

export const createMateProcesses = (deps: HostDeps & { readonly team: TeamDeps }, roster: Roster) => {
  const { teams, tasks, processes, lead, link } = deps.team;

  /** Its process ended without a word: its tasks go back to the list. */
  const fell = async (team: Team, { name, session }: TeamMember): Promise<void> => {
    const by = { name, session, role: 'agent' } as const;
    const back = await tasks.release(team.taskList, by, `Returned to pending: ${name} was stopped.`);
    const lost = 'failed' in back ? [] : back.map((task) => task.id);
    await teams.note(team.key, name, { state: 'stopped', ...(lost.length > 0 ? { lost } : {}) });
  };

  /** Two programs that were started for one member settle it between them: the end is that of the one that runs. */
  const lastEnd = async (
    seat: Seat,
    team: Team,
    { session }: TeamMember,
    { ended }: StartedProcess,
  ): Promise<TeamMember | undefined> => {
    await ended;
    const now = await teams.get(team.key);
    const found = 'members' in now ? now.members.find((one) => one.session === session) : undefined;
    if (!processes || !found || !teams.isRunning(found) || teams.isMine(found)) return found;
    const other = processes.attach(found);
    seat.endProcess = other.end;
    return await lastEnd(seat, team, found, other);
  };

  /** Its seat is free again when the process is gone; why it went stands in the team file. */
  const attend = (
    seat: Seat,
    team: Team,
    member: TeamMember,
    started: StartedProcess,
  ): Promise<AgentResult> => {
    const from = performance.now();
    const result = lastEnd(seat, team, member, started).then(async (found): Promise<AgentResult> => {
      link?.gone(member.session);
      // From here on this program has its end in hand, and waits for it before its own.
      seat.endProcess = undefined;
      const over = found === undefined || found.state === 'ended';
      if (!over && !seat.silent && found.state !== 'stopped') await fell(team, member);
      const ms = Math.round(performance.now() - from);
      const status = over ? 'done' : 'stopped';
      const words = over ? `${member.name} has shut down.` : `The process of ${member.name} has ended.`;
      roster.rise(seat, status);
      const unkept = await deps.writeOutput(seat.output, words);
      const text = unkept ? `${words}\n\n${unkept.failed}` : words;
      const who = { session: member.session, parent: seat.parent, agent: member.name };
      deps.emit(who, {
        type: 'agent.finished',
        child: member.session,
        status,
        text,
        ms,
        toolCalls: 0,
        tokens: 0,
      });
      return { status, text, toolCalls: 0, tokens: 0, ms };
    });
    seat.settled = result.then(async ({ status, text }) => {
      if (seat.silent || status === 'done') return;
      await deps.notify(seat.parent, {
        id: seat.id,
        run: seat.run,
        label: seat.label,
        status,
        output: seat.output,
        text,
      });
    });
    return result;
  };

  const sit = async (
    team: Team,
    member: TeamMember,
    label: string,
    started: StartedProcess,
  ): Promise<AgentHandle> => {
    const parent = lead().state();
    const output = await deps.output(member.session, parent);
    const seat = roster.reserve({
      id: member.session,
      name: member.name,
      team: team.key,
      type: member.agentType ?? 'general-purpose',
      label,
      background: true,
      output,
      parent: parent.id,
      run: deps.newId(),
    });
    // Whether it works or waits only its team file says.
    roster.rest(seat, 'waiting');
    seat.endProcess = started.end;
    deps.emit(
      { session: member.session, parent: parent.id, agent: member.name },
      {
        type: 'agent.started',
        child: member.session,
        label,
        agentType: seat.type,
        background: true,
        name: member.name,
      },
    );
    return {
      id: member.session,
      output,
      result: attend(seat, team, member, started),
      toBackground: async () => true,
    };
  };

  const startAgain = async (
    team: Team,
    member: TeamMember,
  ): Promise<{ readonly refused: string } | undefined> => {
    if (!processes) return { refused: 'its process has ended' };
    const { mode, effort, directories } = lead().state();
    // What it began with it knows itself; this counts where it was ended before it spoke.
    const opening: ProcessOpening = { mode: member.planModeRequired ? 'plan' : mode, effort, directories };
    await link?.attend(team.key);
    // One that was stopped may still be ending, and holds its transcript until then.
    if (!teams.isMine(member)) await processes.rest(member);
    const started = await processes.start(team, member, opening);
    if ('refused' in started) return started;
    await sit(team, member, member.name, started);
    return undefined;
  };
  const starting = new Map<TeamMember['session'], ReturnType<typeof startAgain>>();

  return {
    async begin(
      derived: Derived,
      team: Team,
      place: Place,
      about: () => Omit<
        TeamMember,
        'agentId' | 'joinedAt' | 'subscriptions' | 'tmuxPaneId' | 'isActive' | 'runs'
      >,
    ): Promise<AgentHandle | { readonly refused: string } | undefined> {
      if (!processes?.wanted()) return undefined;
      const joined = await teams.join(team.key, about());
      if ('refused' in joined) return joined;
      if ('failed' in joined) return { refused: joined.failed };
      const member = joined.team.members.find((one) => one.session === derived.id);
      if (!member) return { refused: `${derived.request.name} could not join the team.` };
      await link?.attend(team.key);
      await place.handOver?.();
      const { mode, effort, directories = [] } = openingOf(derived);
      const started = await processes.start(joined.team, member, { mode, effort, directories });
      if ('refused' in started) {
        await teams.note(team.key, member.name, { state: 'ended' });
        return started;
      }
      return await sit(joined.team, member, derived.request.label, started);
    },
    /** Takes its seat for a member whose process runs already: an earlier run of the lead started it. */
    async find(team: Team, member: TeamMember): Promise<void> {
      if (!processes) return;
      await link?.attend(team.key);
      await sit(team, member, member.name, processes.attach(member));
    },
    /** Starts a member's process again, unless it is there or coming: each letter to it may ask for it. */
    async again(team: Team, member: TeamMember): Promise<{ readonly refused: string } | undefined> {
      const seat = roster.byId(member.session);
      if (seat && roster.isRunning(seat)) return undefined;
      const coming = starting.get(member.session) ?? startAgain(team, member);
      starting.set(member.session, coming);
      return await coming.finally(() => starting.delete(member.session));
    },
  };
};
