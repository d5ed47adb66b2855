/** Teammates in processes of their own, as their lead sees them: a seat without a conversation. */
import type { AgentHandle, AgentResult } from '../contract/agent.ts';
import type { Team, TeamMember } from '../contract/team.ts';
import { type Derived, openingOf } from './derive.ts';
import type { HostDeps, StartedProcess, TeamDeps } from './host-deps.ts';
import type { Roster, Seat } from './roster.ts';

export const createMateProcesses = (deps: HostDeps & { readonly team: TeamDeps }, roster: Roster) => {
  const { teams, tasks, processes, lead } = deps.team;

  /** Its seat is free again when the process is gone; why it went stands in the team file. */
  const attend = (seat: Seat, team: Team, member: TeamMember, ended: Promise<void>): Promise<AgentResult> => {
    const result = ended.then(async (): Promise<AgentResult> => {
      const now = await teams.get(team.key);
      const state =
        'members' in now ? now.members.find((one) => one.session === member.session)?.state : undefined;
      const over = state === 'ended' || state === undefined;
      if (!over && !seat.silent) {
        await teams.note(team.key, member.name, { state: 'stopped' });
        await tasks.release(
          team.taskList,
          { name: member.name, session: member.session, role: 'agent' },
          `Returned to pending: ${member.name} was stopped.`,
        );
      }
      const status = over ? 'done' : 'stopped';
      roster.rise(seat, status);
      const who = { session: member.session, parent: seat.parent, agent: member.name };
      const text = over ? `${member.name} has shut down.` : `The process of ${member.name} has ended.`;
      deps.emit(who, {
        type: 'agent.finished',
        child: member.session,
        status,
        text,
        ms: 0,
        toolCalls: 0,
        tokens: 0,
      });
      return { status, text, toolCalls: 0, tokens: 0, ms: 0 };
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
      result: attend(seat, team, member, started.ended),
      toBackground: async () => true,
    };
  };

  return {
    async begin(
      derived: Derived,
      team: Team,
      leave: () => Promise<unknown>,
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
      const started = await processes.start(joined.team, member, openingOf(derived).mode);
      if ('refused' in started) {
        await teams.note(team.key, member.name, { state: 'ended' });
        await leave();
        return started;
      }
      void started.ended.then(leave);
      return await sit(joined.team, member, derived.request.label, started);
    },
    /** Starts a member's process again. */
    async again(team: Team, member: TeamMember): Promise<{ readonly refused: string } | undefined> {
      if (!processes) return { refused: 'its process has ended' };
      const state = lead().state();
      const started = await processes.start(team, member, member.planModeRequired ? 'plan' : state.mode);
      if ('refused' in started) return started;
      await sit(team, member, member.name, started);
      return undefined;
    },
  };
};
