/** Sub-agents: the same loop with another opening state. Spawn, stop, continue. */
import type { AgentHandle, AgentInfo, Agents, SpawnRequest } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Team } from '../contract/team.ts';
import { orAborted } from '../lib/deferred.ts';
import { errorText } from '../lib/error-text.ts';
import { createAdmission } from './admission.ts';
import { originOf } from './beginning.ts';
import type { Derived } from './derive.ts';
import type { HostDeps, Place } from './host-deps.ts';
import { lateLetters } from './late-letters.ts';
import { type Claim, createRoster, type Roster, type Seat } from './roster.ts';
import { createRuns } from './run.ts';
import { type Continue, createTeamwork, type Teamwork } from './team.ts';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Whatever keeps an agent from beginning gives up its place: no worktree stays locked for nobody. */
const orLeft = async <T extends object>(place: Place | undefined, begin: () => Promise<T>): Promise<T> => {
  let begun = false;
  try {
    const done = await begin();
    begun = !('refused' in done);
    return done;
  } finally {
    if (!begun) await place?.leave();
  }
};

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

  const { definitionOf, refuse, full } = createAdmission(deps, roster);

  /** Two that wake the same agent at once wake it once. */
  const waking = new Map<SessionId, ReturnType<typeof reviveNow>>();
  const revive: Continue = async (idOrName, words, parent, by) => {
    const id = roster.find(idOrName)?.id ?? (idOrName as SessionId);
    const first = waking.get(id);
    if (first) {
      const handle = await first;
      if (words !== undefined && !('refused' in handle)) await say(handle.id, words, parent, by);
      return handle;
    }
    const going = reviveNow(id, words, parent, by);
    waking.set(id, going);
    return await going.finally(() => waking.delete(id));
  };
  const say = async (to: SessionId, text: string, speaker: SessionState, by?: 'person'): Promise<void> => {
    const id = deps.newId();
    const { parent } = roster.byId(to) ?? {};
    await deps.mailbox.send(to, { id, text, origin: originOf(speaker, { by, parent, id }) });
  };

  /** A message that came while it was ending: it goes on with it, unless it was stopped. */
  const hearLate = async (seat: Seat, parent: SessionState): Promise<void> => {
    await seat.settled;
    if (roster.byId(seat.id) !== seat || seat.team || seat.status === 'stopped' || deps.closing()) return;
    const state = (await deps.revive(seat.id, parent))?.state;
    const waiting = state && (await deps.mailbox.read(seat.id, state.mailRead[seat.id] ?? 0));
    if (waiting && waiting.length > 0) await revive(seat.id, undefined, parent);
  };

  const waits = ({ id, name, parent }: Seat, error: unknown): void =>
    deps.emit(
      { session: parent, agent: name ?? id },
      { type: 'notice', level: 'warn', text: `A message to ${name ?? id} waits: ${errorText(error)}` },
    );

  /** Continues what a stopped or finished agent left on disk. */
  const reviveNow = async (
    id: SessionId,
    words: string | undefined,
    parent: SessionState,
    by: 'person' | undefined,
  ): Promise<AgentHandle | { readonly refused: string }> => {
    const crowded = full();
    if (crowded) return { refused: crowded };
    const claim = roster.claim(undefined);
    return await continued(id, words, { parent, by, claim }).finally(claim.release);
  };

  const continued = async (
    id: SessionId,
    words: string | undefined,
    { parent, by, claim }: { readonly parent: SessionState; readonly by?: 'person'; readonly claim: Claim },
  ): Promise<AgentHandle | { readonly refused: string }> => {
    const revived = await deps.revive(id, parent);
    if (!revived) return unknown(id);
    const { state } = revived;
    const definition = deps.definitions().find((one) => one.name === state.agent.type);
    if (!definition) return { refused: `The agent type "${state.agent.type}" of ${id} no longer exists.` };
    const place = await deps.placeAgain?.(state);
    if (place && 'refused' in place) return place;
    return await orLeft(place, async () => {
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
        cwd: place?.cwd ?? state.cwd,
        checkout: place?.checkout ?? state.checkout,
        depth: revived.depth,
        toolCalls: revived.toolCalls,
      };
      const mate = team && (await teamwork?.join(derived, team));
      if (mate && 'refused' in mate) return mate;
      return await begin({
        derived,
        words,
        by,
        facts: place?.facts,
        leave: place?.leave ?? (async () => undefined),
        before: state,
        mate,
        claim,
      });
    });
  };

  const begun = async (
    request: SpawnRequest,
    claim: Claim | undefined,
  ): Promise<AgentHandle | { readonly refused: string }> => {
    const definition = definitionOf(request);
    if ('refused' in definition) return definition;
    const model = deps.modelFor(request, definition);
    if ('refused' in model) return model;
    const team = await teamwork?.teamOf(request);
    if (team && 'refused' in team) return team;
    const id = deps.newId() as SessionId;
    const place = await deps.place(request, definition, id);
    if ('refused' in place) return place;
    return await orLeft(place, async () => {
      const derived: Derived = {
        id,
        request: team ? { ...request, team: team.key, background: true } : request,
        definition,
        model: model.id,
        cwd: place.cwd,
        checkout: place.checkout,
        depth: deps.depthOf(request.parent) + 1,
      };
      const apart = team && (await teamwork?.asProcess(derived, team, place));
      if (apart) return apart;
      const mate = team && (await teamwork?.join(derived, team));
      if (mate && 'refused' in mate) return mate;
      return await begin({
        derived,
        words: request.prompt,
        facts: place.facts,
        leave: place.leave,
        mate,
        claim,
      });
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
      const claim = request.verifier ? undefined : roster.claim(request.name);
      return await begun(request, claim).finally(() => claim?.release());
    },
    async stop(idOrName) {
      const seat = roster.find(idOrName);
      if (!seat) return unknown(idOrName);
      if (!roster.isRunning(seat))
        return { refused: `The agent ${seat.name ?? seat.id} is not running (${seat.status}).` };
      const heardLate =
        deps.team && teamwork && lateLetters({ ...deps, team: deps.team }, seat, teamwork.life.wake);
      seat.stopping = true;
      seat.halt.abort();
      seat.conversation?.interrupt();
      const late = await heardLate;
      seat.settled?.then(late).catch((error: unknown) => waits(seat, error));
      if (seat.endProcess) {
        seat.endProcess();
        // A message that comes while it ends would lie in its inbox; one that comes after starts it again.
        await seat.settled;
      }
      return { stopped: seat.id };
    },
    async resume(idOrName, text, parent, by) {
      const seat = roster.find(idOrName);
      if (!seat || !roster.isRunning(seat)) return await revive(idOrName, text, parent, by);
      await say(seat.id, text, parent, by);
      hearLate(seat, parent).catch((error: unknown) => waits(seat, error));
      return {
        id: seat.id,
        output: seat.output,
        result: Promise.resolve({ status: 'done', text: '', toolCalls: 0, tokens: 0, ms: 0 }),
        toBackground: async () => true,
      };
    },
    async wait(idOrName, timeoutMs, signal) {
      const settled = roster.find(idOrName)?.settled;
      if (settled) await orAborted(Promise.race([settled, after(timeoutMs)]), signal);
    },
    list: (): readonly AgentInfo[] => roster.list(),
  };
};
