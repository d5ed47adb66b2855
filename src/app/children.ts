/** The children of one root conversation: where their transcripts lie, what they may use, who is told when they end. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type AgentHost, createAgents } from '../agents/host.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, EntryBody } from '../contract/transcript.ts';
import type { Asks } from '../loop/asks.ts';
import type { LoopDeps, Opening } from '../loop/deps.ts';
import { fold } from '../loop/fold.ts';
import { type Conversation, openSession } from '../loop/session.ts';
import { writeRecord } from '../store/record.ts';
import type { Bus } from './bus.ts';
import type { House } from './house.ts';
import { noticeText } from './notice-text.ts';
import { limitsFrom, type Purses } from './purses.ts';
import type { RootMember } from './root-member.ts';
import { teammateProcesses } from './teammate-process.ts';
import type { Toolset } from './toolset.ts';
import { verifierDefinition } from './verifier.ts';

export interface Children {
  readonly agents: AgentHost;
  /** An open conversation of this tree; undefined when it is closed. */
  conversation(session: SessionId): Conversation | undefined;
  nameOf(session: SessionId): string | undefined;
  /** In the transcript of the root or of an open child; of the root where the child is closed. */
  record(session: SessionId, body: EntryBody): Promise<void>;
  /** After a resume: tells of background agents that ended or were lost while nobody looked. */
  recover(entries: readonly Entry[]): Promise<void>;
  close(): Promise<void>;
}

export interface ChildrenDeps {
  readonly house: House;
  readonly deps: LoopDeps;
  readonly toolset: Toolset;
  readonly bus: Bus;
  readonly asks: Asks;
  readonly project: string;
  root(): Conversation;
  /** Budgets that the agents share. */
  readonly purses: Purses;
  /** Set in a teammate's own process. */
  readonly member?: RootMember;
}

export const createChildren = (all: ChildrenDeps): Children => {
  const { house, deps, toolset, bus, project } = all;
  const { transcripts, mailbox } = house.world.stores;
  const open = new Map<SessionId, Conversation>();
  const depths = new Map<SessionId, number>();
  const limits = house.world.loaded().settings.limits ?? {};

  const conversationOf = (id: SessionId): Conversation =>
    id === all.root().id ? all.root() : (open.get(id) ?? all.root());

  const agents = createAgents({
    hooks: deps.hooks,
    mailbox,
    emit: bus.emit,
    newId: randomUUID,
    definitions: () => [verifierDefinition, ...house.library.agents()],
    limits: { depth: limits.agentDepth ?? 3, running: limits.agentsAtOnce ?? 20 },
    backgroundTasks: (without) => toolset.backgroundTasks().filter(({ id }) => id !== without),
    depthOf: (state) => depths.get(state.id) ?? 0,
    async open({ derived, entry, before, ending, ready }) {
      const child = { root: entry.root, name: derived.id };
      const writer = await transcripts.open(derived.id, project, child);
      if ('refused' in writer) throw new Error(writer.refused);
      if ('failed' in writer) throw new Error(writer.failed);
      depths.set(derived.id, derived.depth);
      const { definition, request } = derived;
      const opening: Opening = {
        id: derived.id,
        entry,
        before,
        writer,
        rootTranscriptPath: transcripts.locate(entry.root, project),
        boxes: [derived.id],
        ready,
        limits: {
          ...((request.maxTurns ?? definition.maxTurns)
            ? { maxTurns: request.maxTurns ?? definition.maxTurns }
            : {}),
          ...limitsFrom(limits.agent),
        },
        renewing: true,
        purses: all.purses.of(request.team ?? before?.team),
        hooks: definition.hooks
          ? [
              {
                source: 'agent',
                path: definition.path ?? definition.name,
                foreign: false,
                active: true,
                groups: definition.hooks,
              },
            ]
          : [],
        verifier: request.verifier,
        spend: (key) => all.root().record({ type: 'once', key }),
        ending,
        session: { root: false },
      };
      const conversation = await openSession(
        {
          ...deps,
          tools: (state) => toolset.forDefinition(state, definition),
          serverTools: (state) => toolset.serverTools(state, definition),
          system: () => house.system(definition),
        },
        opening,
      );
      const opened: Conversation = {
        ...conversation,
        async close(reason) {
          await conversation.close(reason);
          if (open.get(derived.id) === opened) open.delete(derived.id);
        },
      };
      open.set(derived.id, opened);
      if (request.allowedTools && request.allowedTools.length > 0)
        await opened.record({ type: 'grant', rules: request.allowedTools });
      return opened;
    },
    async revive(idOrName, parent) {
      const found = await findChild(parent, idOrName);
      return found && { id: found.state.id, state: found.state, label: found.label, depth: found.depth };
    },
    modelFor(request, definition) {
      const env = house.world.env();
      const asked = request.model;
      if (asked !== undefined && !house.models.known(asked))
        return {
          refused: `There is no model "${asked}". Use one of the tiers small, medium, large, or leave it out to use the parent's.`,
        };
      const wish =
        asked ??
        (definition.model && house.models.known(definition.model) ? definition.model : undefined) ??
        env.CLAUDE_CODE_SUBAGENT_MODEL ??
        'inherit';
      const id = house.models.id(wish, request.parent.model);
      if (all.purses.money && house.models.facts(id).price === undefined)
        return {
          refused: `A money limit is set, and the model ${id} has no known price. Use another model, or ask the person to set prices.${id}.`,
        };
      return { id };
    },
    place: toolset.place,
    placeAgain: toolset.worktrees.again,
    output: async (id, parent) => join(await house.outputs(parent), `${id}.output`),
    async writeOutput(path, text) {
      await writeRecord(path, text);
    },
    async notify(parent, notice) {
      await mailbox.send(parent, {
        id: `agent:${notice.id}:${notice.run}:${randomUUID().slice(0, 8)}`,
        text: noticeText(notice),
        origin: { kind: 'agent', name: notice.label, session: notice.id },
      });
    },
    tell: (parent, body) => conversationOf(parent).record(body),
    team: {
      teams: house.world.stores.teams,
      tasks: toolset.team.tasks,
      events: toolset.team.events,
      lead: all.root,
      left: (session) => {
        if (session === all.root().id) all.member?.leave();
      },
      transcript: (session, root) =>
        transcripts.locate(session, project, root === undefined ? undefined : { root, name: session }),
      processes: teammateProcesses(house),
    },
  });

  const childPath = (parent: SessionState, id: string) =>
    transcripts.locate(id as SessionId, project, { root: parent.root, name: id });

  /** By id, or the last child of this root that carried the name. */
  const findChild = async (
    parent: SessionState,
    idOrName: string,
  ): Promise<
    { readonly state: SessionState; readonly label: string; readonly depth: number } | undefined
  > => {
    const read = async (id: string) => {
      const { entries } = await transcripts
        .load(childPath(parent, id))
        .catch(() => ({ entries: [] as readonly Entry[] }));
      const opened = entries.find((entry) => entry.type === 'opened');
      const state = fold(id as SessionId, entries);
      return state && opened?.type === 'opened'
        ? { state, label: opened.label ?? opened.agent.type, depth: opened.depth ?? 1 }
        : undefined;
    };
    const direct = await read(idOrName);
    if (direct) return direct;
    for (const id of (await childIds(parent)).toReversed()) {
      const one = await read(id);
      if (one?.state.agent.name === idOrName) return one;
    }
    return undefined;
  };

  const childIds = async (parent: SessionState): Promise<readonly string[]> => {
    const { readdir, stat } = await import('node:fs/promises');
    const { dirname } = await import('node:path');
    const dir = dirname(childPath(parent, 'x'));
    const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(dir, name))).mtimeMs })),
    );
    return dated
      .toSorted((a, b) => a.at - b.at)
      .map(({ name }) => name.replace(/^agent-/, '').replace(/\.jsonl$/, ''));
  };

  return {
    agents,
    conversation: (session) => (session === all.root().id ? all.root() : open.get(session)),
    record: (session, body) => conversationOf(session).record(body),
    nameOf: (session) => {
      const seat = agents.roster.byId(session);
      return seat?.name ?? seat?.type;
    },
    async recover(entries) {
      const last = new Map<string, Extract<Entry, { type: 'background' }>>();
      for (const entry of entries) if (entry.type === 'background') last.set(entry.id, entry);
      const root = all.root();
      const members = (await house.world.stores.teams.ledBy(root.id))?.members ?? [];
      const mail = await mailbox.read(root.id, 0);
      for (const one of last.values()) {
        if (one.status !== 'running') continue;
        // Teammates are there again by themselves.
        if (members.some((member) => member.session === one.id)) continue;
        const { type: _type, uuid: _uuid, parentUuid: _parent, timestamp: _time, ...rest } = one;
        // It ended and its notice was sent; the program was killed before it could write so here.
        if (mail.some(({ id, at }) => isNoticeOf(id, one.id) && at >= one.timestamp)) {
          await root.record({ type: 'background', ...rest, status: 'completed' });
          continue;
        }
        await root.record({ type: 'background', ...rest, status: 'lost' });
        const text =
          one.kind === 'agent'
            ? noticeText({
                id: one.id as SessionId,
                label: one.label,
                status: 'stopped',
                output: one.output,
                text: 'The program ended while it ran. A message to it goes on where it stopped.',
              })
            : noticeText({
                id: one.id as SessionId,
                label: one.label,
                status: 'stopped',
                output: one.output,
                text: 'The program ended while this command ran; the command was ended with it.',
              });
        await mailbox.send(root.id, {
          id: `lost:${one.id}`,
          text,
          origin: { kind: 'agent', name: one.label },
        });
      }
    },
    async close() {
      agents.teamwork?.close();
      for (const conversation of open.values()) conversation.interrupt();
      await Promise.all([...open.values()].map((conversation) => conversation.idle()));
      await Promise.all(agents.roster.settled());
    },
  };
};

const isNoticeOf = (mail: string, work: string): boolean =>
  mail.startsWith(`agent:${work}:`) || mail === `command:${work}`;
