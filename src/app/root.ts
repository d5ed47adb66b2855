/** Opens root conversations in a house, and the children that grow from them. The only place where everybody is known. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { watchMail } from '../agents/mail-watch.ts';
import { planAnswer } from '../agents/plan-answer.ts';
import type { AgentDefinition, AgentResult, Agents } from '../contract/agent.ts';
import type { AskId, SessionId } from '../contract/ids.ts';
import type { Session } from '../contract/session.ts';
import type { TaskStore } from '../contract/task.ts';
import type { Entry } from '../contract/transcript.ts';
import { maskAll } from '../lib/mask.ts';
import { once } from '../lib/once.ts';
import { createAsks } from '../loop/asks.ts';
import type { LoopDeps, Opening } from '../loop/deps.ts';
import { type Conversation, openSession } from '../loop/session.ts';
import { agentParts } from './agent-parts.ts';
import { boundState } from './bound-state.ts';
import { createBus } from './bus.ts';
import { createChildren } from './children.ts';
import { countAgents, countBefore } from './count-agents.ts';
import { earlier, earlierAgent } from './earlier-root.ts';
import { frontSession } from './front-session.ts';
import { branchOf } from './git-facts.ts';
import type { House } from './house.ts';
import { asBefore, openingEntry, type RootWish } from './root-wish.ts';
import { createSight } from './sight.ts';
import { createLinkedTeam } from './team-link.ts';
import { createToolset } from './toolset.ts';
import { verifyWith } from './verifier.ts';
import { guarded } from './worktree-guard.ts';

export interface Root {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly agents: Agents;
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

export type RootRefused = { readonly refused: string };

/** A lead that has said nothing yet: a teammate's own mode counts. */
const unbound = { mode: 'bypassPermissions', grants: [] } as const;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

export const openRoot = async (house: House, wished: RootWish): Promise<Root | RootRefused> => {
  const { world } = house;
  const { transcripts, mailbox } = world.stores;
  const resumed = wished.source === 'resume' ? wished.from : undefined;
  const id = resumed?.id ?? wished.id ?? (randomUUID() as SessionId);
  const project = resumed?.project ?? world.project;
  const writer = await transcripts.open(
    id,
    project,
    wished.member && { root: wished.member.startedBy, name: id },
  );
  if ('refused' in writer) return { refused: `${writer.refused} Go on in a copy with --fork-session.` };
  if ('failed' in writer) return { refused: writer.failed };
  const past = await earlier(house, wished, id);
  const notes = [...past.repairs];
  const before = past.before;
  const wish = { ...wished, ...asBefore(house, wished, before) };
  const gone = before !== undefined && !(await exists(before.cwd));
  if (gone) notes.push(`${before.cwd} is gone; going on in ${world.cwd}.`);
  const settings = world.loaded().settings;
  const definition = wish.definition ?? earlierAgent(house, wish, before);
  const parts = definition && agentParts(definition, house, wish.member ? 'child' : 'main');
  if (wish.headless) await parts?.servers?.settled();
  const entry = openingEntry(
    house,
    { ...wish, definition },
    id,
    gone ? { ...before, cwd: world.cwd, checkout: world.project } : before,
  );
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
    mailbox,
    interactive: !wish.headless,
    rootState: () => conversation.state(),
    notice: (text) => bus.emit({ session: id, agent: 'main' }, { type: 'notice', level: 'warn', text }),
    record: (session, body) => children.record(session, body),
    scopeOf: (session) => children.conversation(session)?.scope(),
    tasksChanged: (list) => bus.emit({ session: id, agent: 'main' }, { type: 'tasks.changed', list }),
  });
  const team = createLinkedTeam({
    house,
    wish,
    bus,
    asks,
    root: () => conversation,
    wake: () => children.agents.teamwork?.life.wake,
    cost: house.models.knownCost,
  });
  house.bound = (state) =>
    boundState(state, (above) =>
      above === wish.member?.lead ? (team.binding() ?? unbound) : children.conversation(above)?.state(),
    );
  const deps: LoopDeps = {
    model: house.models.client,
    hooks: house.hookHouse.hooks,
    mailbox,
    asks,
    emit: bus.emit,
    mask: (value) => maskAll(value, house.models.secrets),
    tools: toolset.tools,
    withheld: toolset.withheld,
    serverTools: toolset.serverTools,
    system: () => parts?.system ?? house.system(undefined),
    opening: house.opening,
    news: async (state, at) => [...(await house.news(state, at)), ...(await toolset.team.news(state))],
    ledger: (state) => toolset.ledger(state),
    backgroundTasks: toolset.backgroundTasks,
    skillHooks: house.library.skillHooks,
    governor: team.governor,
    upToDate: team.upToDate,
    warnAt: settings.limits?.warnAt,
    facts: house.models.facts,
    cost: house.models.knownCost,
    bound: house.bound,
    judge: guarded(house.gate.judge, world.homes.user ?? '/'),
    remember: house.saving.remember,
    updatePermissions: house.saving.updatePermissions,
    checkpoint: toolset.checkpoint,
    follow: wish.follow,
    planFile: toolset.planFile,
    render: house.render,
    planAnswer,
    entries: async (path) => (await transcripts.load(path)).entries,
    cutOff: (call) => children.cutOff(call, id),
    branch: branchOf,
    exists,
    now: () => new Date(),
    newId: randomUUID,
    partials: world.flags.includePartialMessages === true,
    autoCompact: house.compactAt,
  };
  const { purses } = team;
  if (before) countBefore(before, purses, deps.cost);
  const children = createChildren({
    house,
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
  house.lineage = children.lineage;
  house.brought = children.brought;
  house.verifier = verifyWith(children.agents);
  house.running = () => children.agents;
  // Nobody is asked for anything before members and their tasks are in place again.
  const recovered = Promise.withResolvers<void>();
  const opening: Opening = {
    id,
    entry,
    ...(before ? { before: wish.source === 'fork' ? { ...before, last: undefined } : before } : {}),
    writer,
    rootTranscriptPath: writer.path,
    boxes: [id],
    ready: wish.member?.ready ?? recovered.promise,
    limits: wish.member ? wish.limits : { maxTurns: wish.limits.maxTurns ?? definition?.maxTurns },
    renewing: wish.member !== undefined,
    purses: wish.member ? purses.of(wish.member.team) : [purses.tree],
    session: { root: !wish.silent && !wish.member },
    hooks: parts?.hooks ?? [],
    ...(wish.prelude ? { prelude: wish.prelude } : {}),
    ...(wish.member ? { ending: wish.member.ending } : {}),
    ...(house.endsWith ? { endsWith: house.endsWith } : {}),
  };
  // A copy carries the earlier lines: its own file must stand alone.
  if (wish.source === 'fork')
    for (const line of past.entries ?? [])
      await writer.append(line, { cwd: entry.cwd, branch: branchOf(entry.cwd) });
  house.aside = {
    governor: team.governor,
    emit: bus.emit,
    record: (session, body) => children.record(session, body),
    money: () => purses.money,
  };
  const uncount = countAgents(bus.listen, id, (body) => conversation.record(body), children.payingTeam);
  const stopWatching = watchMail(bus.listen, world.stores.teams, (session) =>
    children.conversation(session)?.state(),
  );
  bus.listen((event) => {
    toolset.foresee(event, () => children.conversation(event.session)?.state());
  });
  const conversation: Conversation = await openSession(deps, opening);
  const close: Root['close'] = once(async (reason) => {
    // Nobody is there who would miss them.
    if (wish.headless && !wish.member) await children.agents.teamwork?.apart.rest();
    team.close();
    asks.settle('all', { kind: 'none', reason: 'The session ended.', source: 'closed' });
    // Nothing that agents are cut off in, and nothing that still waits for one of them, may lead to another request.
    const cutOff = bus.listen((event) => {
      if (event.type === 'turn.started') children.conversation(event.session)?.interrupt();
    });
    conversation.interrupt();
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
  const place = wish.member && (await toolset.worktrees.again(conversation.state(), !resumed));
  if (place && 'refused' in place) return await giveUp(place);
  notes.push(...settled.notes);
  if (wish.member) await team.join(wish.member);
  await children.recover(past.entries ?? []);
  if (!wish.silent) notes.push(...((await children.agents.teamwork?.recover()) ?? []));
  recovered.resolve();
  const stateOf = (session: SessionId) => children.conversation(session)?.state();
  house.sight = createSight({
    stores: world.stores,
    purses,
    root: () => conversation,
    stateOf,
    agents: children.levels,
  });
  house.toolsFor = deps.tools;
  house.teamwork = () => children.agents.teamwork;
  house.outputsNow = () => house.outputs(conversation.state());
  house.askPerson = wish.headless
    ? undefined
    : (question, signal) => asks.ask({ session: id, agent: 'tool server' }, question, signal);
  house.directoriesNow = () => conversation.state().directories;
  const session = frontSession(conversation, bus, asks);
  return {
    session,
    conversation,
    agents: children.agents,
    tasks: toolset.team.tasks,
    definition,
    earlier: past.entries ?? [],
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
