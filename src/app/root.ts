/** Opens root conversations in a house, and the children that grow from them. The only place where everybody is known. */
import { randomUUID } from 'node:crypto';
import type { AgentHost } from '../agents/host.ts';
import { watchMail } from '../agents/mail-watch.ts';
import type { AgentDefinition, AgentResult } from '../contract/agent.ts';
import type { AskId } from '../contract/ids.ts';
import type { Session } from '../contract/session.ts';
import type { TaskStore } from '../contract/task.ts';
import type { Entry } from '../contract/transcript.ts';
import { once } from '../lib/once.ts';
import { createAsks } from '../loop/asks.ts';
import { type Conversation, openSession } from '../loop/session.ts';
import { boundState } from './bound-state.ts';
import { createBus } from './bus.ts';
import { createChildren } from './children.ts';
import { countAgents, countBefore } from './count-agents.ts';
import { frontSession } from './front-session.ts';
import type { House } from './house.ts';
import { loopDeps } from './loop-deps.ts';
import type { Tree } from './open-tree.ts';
import { beginRoot, type RootRefused, rootOpening } from './root-beginning.ts';
import type { RootWish } from './root-wish.ts';
import { createSight, type Sight } from './sight.ts';
import { createLinkedTeam } from './team-link.ts';
import { createToolset } from './toolset.ts';

export interface Root {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly agents: AgentHost;
  /** What a person is shown of it. */
  readonly sight: Sight;
  /** The shared lists, as this conversation and its agents use them. */
  readonly tasks: TaskStore;
  /** Who speaks, where it is not the main agent. */
  readonly definition?: AgentDefinition;
  /** What the transcript held when it was opened. */
  readonly earlier: readonly Entry[];
  /** One sentence per damage repaired or thing that changed since last time. */
  readonly notes: readonly string[];
  toolNames(): readonly string[];
  /** A teammate's process ends: what becomes of the worktree it worked in. */
  leavePlace(): Promise<AgentResult['worktree']>;
  /** What it should know of that worktree. */
  readonly placeFacts: readonly string[];
  /** Resolves when no background agent runs. */
  backgroundAgents(): Promise<void>;
  close(reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other'): Promise<void>;
}

/** A lead that has said nothing yet: a teammate's own mode counts. */
const unbound = { mode: 'bypassPermissions', grants: [] } as const;

export const openRoot = async (house: House, wished: RootWish): Promise<Root | RootRefused> => {
  const begun = await beginRoot(house, wished);
  if ('refused' in begun) return begun;
  const { id, project, wish, before, definition, parts } = begun;
  const { world } = house;
  const { stores } = world;
  const bus = createBus(id, () => house.models.secrets);
  const asks = createAsks({
    newId: () => randomUUID() as AskId,
    standIn: wish.standIn,
    emit: (session, body) =>
      bus.emit({ session, agent: session === id ? 'main' : (children.nameOf(session) ?? 'agent') }, body),
  });
  const toolset = createToolset({
    house,
    agents: () => children.agents,
    lineage: (state) => children.lineage(state),
    brought: (state) => children.brought(state),
    mailbox: stores.mailbox,
    interactive: !wish.headless,
    rootState: () => conversation.state(),
    notice: (text) => bus.emit({ session: id, agent: 'main' }, { type: 'notice', level: 'warn', text }),
    record: (session, body) => children.record(session, body),
    scopeOf: (session) => children.conversation(session)?.scope(),
    tasksChanged: (list) => bus.emit({ session: id, agent: 'main' }, { type: 'tasks.changed', list }),
  });
  const team = createLinkedTeam({
    world,
    governor: house.governor,
    wish,
    bus,
    asks,
    root: () => conversation,
    wake: () => children.agents.teamwork?.life.wake,
    cost: house.models.knownCost,
  });
  const bound: Tree['bound'] = (state) =>
    boundState(state, (above) =>
      above === wish.member?.lead ? (team.binding() ?? unbound) : children.conversation(above)?.state(),
    );
  const deps = loopDeps({
    house,
    wish,
    parts,
    toolset,
    team,
    bus,
    asks,
    bound,
    cutOff: (call) => children.cutOff(call, id),
  });
  const { purses } = team;
  if (before) countBefore(before, purses, deps.cost);
  const children = createChildren(house, {
    deps,
    purses,
    toolset,
    bus,
    asks,
    project,
    root: () => conversation,
    member: wish.member,
    id,
    parts,
    link: team.link,
  });
  // Nobody is asked for anything before members and their tasks are in place again.
  const recovered = Promise.withResolvers<void>();
  const opening = rootOpening(begun, purses, recovered.promise, house.structured?.name);
  const uncount = countAgents(bus.listen, id, (body) => conversation.record(body), children.payingTeam);
  const stopWatching = watchMail(bus.listen, stores.teams, (session) =>
    children.conversation(session)?.state(),
  );
  bus.listen((event) => {
    toolset.foresee(event, () => children.conversation(event.session)?.state());
  });
  const sight = createSight({
    stores,
    purses,
    root: () => conversation,
    stateOf: (session) => children.conversation(session)?.state(),
    agents: children.levels,
  });
  let opened: Conversation | undefined;
  house.open.become({
    state: () => opened?.state(),
    agents: children.agents,
    bound,
    lineage: children.lineage,
    brought: children.brought,
    tools: deps.tools,
    askPerson: async (question, signal) =>
      opened && !wish.headless
        ? asks.ask({ session: id, agent: 'tool server' }, question, signal)
        : undefined,
    history: toolset.checkpoints,
    worktrees: toolset.shelf,
    sight,
    aside: {
      governor: team.governor,
      emit: bus.emit,
      record: children.record,
      money: () => purses.money,
    },
  });
  const conversation: Conversation = await openSession(deps, opening);
  opened = conversation;
  const session = frontSession(conversation, bus, asks);
  const close: Root['close'] = once(async (reason) => {
    // Nobody is there who would miss them.
    if (wish.headless && !wish.member) await children.agents.teamwork?.apart.rest();
    team.close();
    asks.settle('all', { kind: 'none', reason: 'The session ended.', source: 'closed' });
    // Nothing that agents are cut off in, and nothing that still waits for one of them, may lead to another request.
    const cutOff = bus.listen((event) => {
      if (event.type === 'turn.started') children.conversation(event.session)?.interrupt();
    });
    session.interrupt();
    await children.close();
    stopWatching();
    uncount();
    await toolset.close();
    await parts?.servers?.close();
    await toolset.worktrees.close(conversation, reason);
    await conversation.close(reason);
    cutOff();
  });
  const giveUp = async (refused: RootRefused): Promise<RootRefused> => {
    await close('other');
    return refused;
  };
  const settled = await toolset.worktrees.settle(conversation);
  if ('refused' in settled) return await giveUp(settled);
  // A teammate of its own takes over the worktree that its lead made.
  const place =
    wish.member && (await toolset.worktrees.again(conversation.state(), wish.source !== 'resume'));
  if (place && 'refused' in place) return await giveUp(place);
  const notes = [...begun.notes, ...settled.notes];
  if (wish.member) await team.join(wish.member);
  await children.recover(begun.earlier);
  if (!wish.silent) notes.push(...((await children.agents.teamwork?.recover()) ?? []));
  recovered.resolve();
  return {
    session,
    conversation,
    agents: children.agents,
    sight,
    tasks: toolset.team.tasks,
    definition,
    earlier: begun.earlier,
    notes,
    toolNames: () => deps.tools(conversation.state()).map((tool) => tool.schema.name),
    leavePlace: async () => await place?.leave(),
    placeFacts: place?.facts ?? [],
    backgroundAgents: async () => {
      await children.agents.roster.quiet();
      await children.agents.teamwork?.apart.quiet();
    },
    close,
  };
};
