/** The children of one root conversation: where their transcripts lie, what they may use, who is told when they end. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type AgentHost, createAgents } from '../agents/host.ts';
import type { Notice, TeamLink } from '../agents/host-deps.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import type { BudgetLevel } from '../contract/budget.ts';
import type { CallId, SessionId } from '../contract/ids.ts';
import type { Servers } from '../contract/server.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, EntryBody } from '../contract/transcript.ts';
import type { Asks } from '../loop/asks.ts';
import type { LoopDeps, Opening } from '../loop/deps.ts';
import { type Conversation, openSession } from '../loop/session.ts';
import { writeRecord } from '../store/record.ts';
import { agentLimits } from './agent-limits.ts';
import { type AgentParts, type AgentPartsDeps, agentParts } from './agent-parts.ts';
import type { Bus } from './bus.ts';
import { childModel } from './child-model.ts';
import { earlierAgents, noticeId } from './earlier-agents.ts';
import type { Library } from './library.ts';
import { createLineage } from './lineage.ts';
import type { Models } from './models.ts';
import { noticeText } from './notice-text.ts';
import { wakeParked } from './parked-mates.ts';
import { ownLimits, type Purses } from './purses.ts';
import type { RootMember } from './root-member.ts';
import { teammateProcesses } from './teammate-process.ts';
import type { Toolset } from './toolset.ts';
import { verifierDefinition } from './verifier.ts';

export interface Children {
  readonly agents: AgentHost;
  /** An open conversation of this tree; undefined when it is closed. */
  conversation(session: SessionId): Conversation | undefined;
  nameOf(session: SessionId): string | undefined;
  /** Key of the team that pays for an agent: its own, or that of whom started it. */
  payingTeam(session: SessionId): string | undefined;
  /** What the agent of a call that was cut off came to. */
  cutOff(call: CallId, root: SessionId): Promise<string | undefined>;
  /** The definitions of a session's agent and of those above it. */
  lineage(state: SessionState): readonly AgentDefinition[];
  /** The servers that they brought. */
  brought(state: SessionState): readonly Servers[];
  /** In the transcript of the root or of an open child; of the root where the child is closed. */
  record(session: SessionId, body: EntryBody): Promise<void>;
  /** After a resume: tells of background agents that ended or were lost while nobody looked. */
  recover(entries: readonly Entry[]): Promise<void>;
  /** How far the limits of the open agents are used up. */
  levels(): readonly BudgetLevel[];
  close(): Promise<void>;
}

/** What children of every conversation need. */
export interface ChildrenGround extends AgentPartsDeps {
  readonly models: Models;
  readonly library: Pick<Library, 'agents'>;
  /** Folder for what a conversation puts aside. */
  outputs(state: SessionState): Promise<string>;
}

export interface ChildrenDeps {
  readonly deps: LoopDeps;
  readonly toolset: Toolset;
  readonly bus: Bus;
  readonly asks: Asks;
  readonly project: string;
  /** Of the main conversation. */
  readonly id: SessionId;
  root(): Conversation;
  /** Budgets that the agents share. */
  readonly purses: Purses;
  /** Set in a teammate's own process. */
  readonly member?: RootMember;
  /** Of the main conversation, where it is an agent (`--agent`). */
  readonly parts?: AgentParts;
  readonly link: TeamLink;
}

export const createChildren = (ground: ChildrenGround, all: ChildrenDeps): Children => {
  const { world, models, library } = ground;
  const { deps, toolset, bus, project } = all;
  const { transcripts, mailbox } = world.stores;
  const open = new Map<SessionId, Conversation>();
  const depths = new Map<SessionId, number>();
  let closing = false;

  const conversationOf = (id: SessionId): Conversation =>
    id === all.root().id ? all.root() : (open.get(id) ?? all.root());

  const output = async (id: SessionId, parent: SessionState): Promise<string> =>
    join(await ground.outputs(parent), `${id}.output`);
  const notify = async (parent: SessionId, notice: Notice): Promise<void> => {
    await mailbox.send(parent, {
      id: noticeId(notice),
      text: noticeText(notice),
      origin: { kind: 'agent', name: notice.label, session: notice.id, ended: notice.status },
    });
  };
  const earlier = earlierAgents({
    stores: world.stores,
    project,
    roster: () => agents.roster,
    output,
    writeOutput: writeRecord,
    notify,
  });
  const lineage = createLineage(
    () => agents.roster,
    (type) => library.agents().find((one) => one.name === type),
  );

  if (all.parts) lineage.note(all.id, all.parts);
  bus.listen((event) => {
    const seat = event.type === 'tool.started' ? agents.roster.byId(event.session) : undefined;
    if (seat) seat.toolCalls += 1;
  });

  /** Those whom a teammate starts spend what its team has. */
  const payingTeam = (id: SessionId): string | undefined => {
    const seat = agents.roster.byId(id);
    return seat ? (seat.team ?? payingTeam(seat.parent)) : all.member?.team;
  };

  const agents = createAgents({
    hooks: deps.hooks,
    mailbox,
    emit: bus.emit,
    newId: randomUUID,
    definitions: library.agents,
    verifier: verifierDefinition,
    limits: () => agentLimits(world),
    closing: () => closing,
    backgroundTasks: (without) => toolset.backgroundTasks().filter(({ id }) => id !== without),
    depthOf: (state) => depths.get(state.id) ?? (all.member ? 1 : 0),
    async open({ derived, entry, before, ending, ready }) {
      const child = { root: entry.root, name: derived.id };
      const writer = await transcripts.open(derived.id, project, child);
      if ('refused' in writer) throw new Error(writer.refused);
      if ('failed' in writer) throw new Error(writer.failed);
      depths.set(derived.id, derived.depth);
      const { request } = derived;
      const parts = agentParts(derived.definition, ground, 'child');
      const { definition } = parts;
      lineage.note(derived.id, parts);
      await parts.servers?.settled();
      const opening: Opening = {
        id: derived.id,
        entry,
        before,
        writer,
        rootTranscriptPath: transcripts.locate(entry.root, project),
        boxes: [derived.id],
        ready,
        limits: ownLimits(request.maxTurns ?? definition.maxTurns, world.loaded().settings.limits?.agent),
        renewing: true,
        purses: all.purses.of(request.team ?? payingTeam(request.parent.id)),
        hooks: parts.hooks,
        verifier: request.verifier,
        spend: (key) => all.root().record({ type: 'once', key }),
        ending,
        session: { root: false },
      };
      const conversation = await openSession(
        {
          ...deps,
          system: () => parts.system,
        },
        opening,
      );
      const opened: Conversation = {
        ...conversation,
        async close(reason) {
          await conversation.close(reason);
          await parts.servers?.close();
          if (open.get(derived.id) === opened) open.delete(derived.id);
        },
      };
      open.set(derived.id, opened);
      if (before) await earlier.recover(opened, (await transcripts.load(writer.path)).entries);
      // Its words are the prompt; what else it brings holds from the first hook on.
      if (request.skill) await opened.record({ type: 'skill', ...request.skill, text: '' });
      return opened;
    },
    revive: earlier.revive,
    modelFor: childModel(world, models, all.purses),
    place: toolset.place,
    placeAgain: (state) => toolset.worktrees.again(state),
    output,
    writeOutput: writeRecord,
    notify,
    tell: (parent, body) => conversationOf(parent).record(body),
    team: {
      teams: world.stores.teams,
      tasks: toolset.team.tasks,
      events: toolset.team.events,
      lead: all.root,
      left: (session) => {
        if (session === all.root().id) all.member?.leave();
      },
      transcript: (session, root) =>
        transcripts.locate(session, project, root === undefined ? undefined : { root, name: session }),
      processes: teammateProcesses(world),
      link: all.link,
    },
  });

  all.purses.onMore(() => wakeParked(agents.roster, all.member && all.root(), mailbox));

  return {
    agents,
    conversation: (session) => (session === all.root().id ? all.root() : open.get(session)),
    payingTeam,
    record: (session, body) => conversationOf(session).record(body),
    nameOf: (session) => {
      const seat = agents.roster.byId(session);
      return seat?.name ?? seat?.type;
    },
    lineage: lineage.of,
    brought: lineage.brought,
    levels: () =>
      [...open.values()].flatMap((conversation) => {
        const { agent } = conversation.state();
        return conversation
          .levels()
          .map((level) => ({ whose: `agent ${agent.name ?? agent.type}`, ...level }));
      }),
    cutOff: earlier.ofCall,
    async recover(entries) {
      const root = all.root();
      await earlier.remember(root.state());
      await earlier.recover(root, entries);
    },
    async close() {
      closing = true;
      agents.teamwork?.close();
      for (const conversation of open.values()) conversation.interrupt();
      await Promise.all([...open.values()].map((conversation) => conversation.idle()));
      await Promise.all(agents.roster.settled());
    },
  };
};
