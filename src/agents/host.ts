/** Sub-agents: the same loop with another opening state. Spawn, stop, continue. */
import type { AgentHandle, AgentInfo, Agents, SpawnRequest } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import { isReservedName, nameProblem, type Team } from '../contract/team.ts';
import { aborted } from '../lib/deferred.ts';
import type { Derived } from './derive.ts';
import type { HostDeps } from './host-deps.ts';
import { createRoster, type Roster } from './roster.ts';
import { createRuns } from './run.ts';
import { createTeamwork, type Teamwork } from './team.ts';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

export interface AgentHost extends Agents {
  readonly roster: Roster;
  /** Absent where there are no teams. */
  readonly teamwork?: Teamwork;
}

export const createAgents = (deps: HostDeps): AgentHost => {
  const roster = createRoster();
  const begin = createRuns(deps, roster);
  const unknown = (idOrName: string): { readonly refused: string } => ({
    refused: `No agent is known as "${idOrName}". Known: ${roster.known()}.`,
  });

  const refuse = (request: SpawnRequest): string | undefined => {
    const known = deps.definitions();
    if (!known.some((one) => one.name === request.type))
      return `There is no agent type "${request.type}". The types are: ${known
        .map((one) => one.name)
        .sort()
        .join(', ')}.`;
    if (known.find((one) => one.name === request.type)?.tools?.length === 0)
      return `The agent type "${request.type}" cannot be started: none of the tools it lists is known here.`;
    if (deps.depthOf(request.parent) + 1 > deps.limits.depth)
      return `Agents may be nested ${deps.limits.depth} deep at most (setting limits.agentDepth); do this work yourself.`;
    if (roster.running() >= deps.limits.running)
      return `${deps.limits.running} agents are running, which is the limit (setting limits.agents). Wait for one to finish or stop one.`;
    if (request.name === undefined) return undefined;
    if (isReservedName(request.name)) return `The name "${request.name}" is reserved. Choose another.`;
    const problem = nameProblem('agent', request.name);
    if (problem) return problem;
    const holder = roster.byName(request.name);
    return holder && roster.isRunning(holder)
      ? `The name "${request.name}" is in use by the agent ${holder.id} (${holder.label}). Choose another, or send it a message.`
      : undefined;
  };

  /** Two that wake the same agent at once wake it once. */
  const waking = new Map<string, ReturnType<typeof reviveNow>>();
  const revive: typeof reviveNow = async (idOrName, words, parent) => {
    const id = roster.find(idOrName)?.id ?? idOrName;
    const first = waking.get(id);
    if (first) {
      const handle = await first;
      if (words !== undefined && !('refused' in handle)) await say(handle.id, words, parent);
      return handle;
    }
    const going = reviveNow(id, words, parent);
    waking.set(id, going);
    return await going.finally(() => waking.delete(id));
  };
  const say = async (id: SessionId, text: string, parent: SessionState): Promise<void> => {
    await deps.mailbox.send(id, {
      id: deps.newId(),
      text,
      origin: { kind: 'agent', name: parent.agent.name ?? parent.agent.type, session: parent.id },
    });
  };

  /** Continues what a stopped or finished agent left on disk. */
  const reviveNow = async (
    idOrName: string,
    words: string | undefined,
    parent: SessionState,
  ): Promise<AgentHandle | { readonly refused: string }> => {
    const revived = await deps.revive(idOrName, parent);
    if (!revived) return unknown(idOrName);
    const { state } = revived;
    const definition = deps.definitions().find((one) => one.name === state.agent.type);
    if (!definition)
      return { refused: `The agent type "${state.agent.type}" of ${idOrName} no longer exists.` };
    const place = await deps.placeAgain?.(state);
    if (place && 'refused' in place) return place;
    const team = await memberTeam(state);
    const request: SpawnRequest = {
      prompt: words ?? '',
      label: revived.label,
      type: definition.name,
      parent,
      name: state.agent.name,
      ...(team ? { team: team.key } : {}),
      mode: state.mode,
      background: true,
      signal: new AbortController().signal,
    };
    const derived: Derived = {
      id: revived.id,
      request,
      definition,
      model: state.model,
      cwd: state.cwd,
      checkout: state.checkout,
      depth: revived.depth,
    };
    const mate = team && (await teamwork?.join(derived, team));
    if (mate && 'refused' in mate) return mate;
    return await begin({
      derived,
      words,
      leave: place?.leave ?? (async () => undefined),
      before: state,
      mate,
    });
  };

  /** The team in which an earlier agent is a member still. */
  const memberTeam = async (state: SessionState): Promise<Team | undefined> => {
    if (!deps.team || state.team === undefined) return undefined;
    const team = await deps.team.teams.get(state.team);
    return 'members' in team && team.members.some((one) => one.session === state.id) ? team : undefined;
  };

  const teamwork: Teamwork | undefined =
    deps.team && createTeamwork({ ...deps, team: deps.team }, roster, revive);

  return {
    roster,
    teamwork,
    async spawn(request) {
      const refused = refuse(request);
      if (refused) return { refused };
      const definition = deps.definitions().find((one) => one.name === request.type);
      if (!definition) return { refused: `There is no agent type "${request.type}".` };
      const model = deps.modelFor(request, definition);
      if ('refused' in model) return model;
      const team = await teamwork?.teamOf(request);
      if (team && 'refused' in team) return team;
      const id = deps.newId() as SessionId;
      const place = await deps.place(request, definition, id);
      if ('refused' in place) return place;
      const derived: Derived = {
        id,
        request: team ? { ...request, team: team.key, background: true } : request,
        definition,
        model: model.id,
        cwd: place.cwd,
        checkout: place.checkout,
        depth: deps.depthOf(request.parent) + 1,
      };
      const apart = team && (await teamwork?.asProcess(derived, team, place.leave));
      if (apart) return apart;
      const mate = team && (await teamwork?.join(derived, team));
      if (mate && 'refused' in mate) {
        await place.leave();
        return mate;
      }
      return begin({ derived, words: request.prompt, leave: place.leave, mate });
    },
    async stop(idOrName) {
      const seat = roster.find(idOrName);
      if (!seat) return unknown(idOrName);
      if (!roster.isRunning(seat))
        return { refused: `The agent ${seat.name ?? seat.id} is not running (${seat.status}).` };
      seat.stopping = true;
      seat.halt.abort();
      seat.conversation?.interrupt();
      seat.endProcess?.();
      return { stopped: seat.id };
    },
    async resume(idOrName, text, parent) {
      const seat = roster.find(idOrName);
      if (!seat || !roster.isRunning(seat)) return await revive(idOrName, text, parent);
      await say(seat.id, text, parent);
      return {
        id: seat.id,
        output: seat.output,
        result: Promise.resolve({ status: 'done', text: '', toolCalls: 0, tokens: 0, ms: 0 }),
        toBackground: async () => undefined,
      };
    },
    async wait(idOrName, timeoutMs, signal) {
      const settled = roster.find(idOrName)?.settled;
      if (settled) await Promise.race([settled, after(timeoutMs), aborted(signal)]);
    },
    list: (): readonly AgentInfo[] => roster.list(),
  };
};
