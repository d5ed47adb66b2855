/** Sub-agents: the same loop with another opening state. Spawn, stop, continue; each ends exactly once. */
import type {
  AgentDefinition,
  AgentHandle,
  AgentInfo,
  AgentResult,
  Agents,
  SpawnRequest,
} from '../contract/agent.ts';
import type { EventBody } from '../contract/event.ts';
import type { HookScope, Hooks, HookVerdict } from '../contract/hook.ts';
import type { CallId, SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mailbox } from '../contract/store.ts';
import { aborted } from '../lib/deferred.ts';
import type { Ending, Opening } from '../loop/deps.ts';
import type { Conversation } from '../loop/session.ts';
import { type Derived, openingOf } from './derive.ts';
import { createRoster, type Roster, type Seat } from './roster.ts';

export interface HostDeps {
  /** Opens a child's conversation over its own transcript; the composition gives it its tools and prompt. */
  open(child: ChildOpening): Promise<Conversation>;
  /** What a stopped or finished child left on disk, for continuing it after a restart. */
  revive(idOrName: string, parent: SessionState): Promise<Revived | undefined>;
  definitions(): readonly AgentDefinition[];
  /** The model id for a child, or a sentence that says which names are known. */
  modelFor(
    request: SpawnRequest,
    definition: AgentDefinition,
  ): { readonly id: string } | { readonly refused: string };
  /** Place of work: worktree, override or the parent's. */
  place(
    request: SpawnRequest,
    definition: AgentDefinition,
    id: SessionId,
  ): Promise<
    | { readonly cwd: string; readonly checkout: string; leave(): Promise<AgentResult['worktree']> }
    | { readonly refused: string }
  >;
  readonly hooks: Hooks;
  readonly mailbox: Mailbox;
  /** Absolute path of the file that will hold the child's final text. */
  output(id: SessionId, parent: SessionState): Promise<string>;
  writeOutput(path: string, text: string): Promise<void>;
  emit(
    from: { readonly session: SessionId; readonly parent?: SessionId; readonly agent: string },
    body: EventBody,
  ): void;
  /** Tells the parent, once, that a background child ended. */
  notify(parent: SessionId, notice: Notice): Promise<void>;
  /** Records a fact in the parent's transcript. */
  tell(
    parent: SessionId,
    body: {
      readonly type: 'background';
      readonly id: string;
      readonly kind: 'agent';
      readonly label: string;
      readonly status: 'running' | 'completed' | 'failed' | 'stopped';
      readonly output: string;
      readonly call?: string;
      readonly name?: string;
      readonly child: SessionId;
    },
  ): Promise<void>;
  newId(): string;
  depthOf(state: SessionState): number;
  readonly limits: { readonly depth: number; readonly running: number };
}

export interface ChildOpening {
  readonly derived: Derived;
  readonly entry: Opening['entry'];
  readonly before?: SessionState;
  readonly ending: NonNullable<Opening['ending']>;
}
export interface Revived {
  readonly id: SessionId;
  readonly state: SessionState;
  readonly label: string;
  readonly depth: number;
}
export interface Notice {
  readonly id: SessionId;
  readonly run: number;
  readonly label: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: string;
  readonly call?: CallId;
  readonly text: string;
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

const reserved: ReadonlySet<string> = new Set(['*', 'team-lead', 'lead', 'main']);

export const createAgents = (deps: HostDeps): Agents & { readonly roster: Roster } => {
  const roster = createRoster();

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
    if (reserved.has(request.name)) return `The name "${request.name}" is reserved. Choose another.`;
    const holder = roster.byName(request.name);
    return holder && roster.isRunning(holder)
      ? `The name "${request.name}" is in use by the agent ${holder.id} (${holder.label}). Choose another, or send it a message.`
      : undefined;
  };

  /** Fired exactly once per end of a reply, and once when a run ends without one. */
  const stopped = (seat: Seat, ending: Ending, scope: HookScope): Promise<HookVerdict> => {
    seat.stopFired = true;
    return deps.hooks.dispatch(
      'SubagentStop',
      {
        agent_id: seat.id,
        agent_type: seat.type,
        agent_transcript_path: scope.transcriptPath,
        stop_hook_active: ending.active,
        last_assistant_message: ending.text,
        background_tasks: [],
        session_crons: [],
      },
      scope,
    );
  };

  const resultOf = async (
    seat: Seat,
    conversation: Conversation,
    from: number,
    signal: AbortSignal,
  ): Promise<AgentResult> => {
    const end = conversation.lastEnd();
    const status =
      signal.aborted || seat.stopping || end?.stop === 'interrupted'
        ? 'stopped'
        : end?.stop === 'failed'
          ? 'failed'
          : 'done';
    const limit =
      end?.stop === 'max_turns' || end?.stop === 'budget'
        ? `\n\n[parked: ${end.error} A message to it goes on.]`
        : '';
    const text =
      status === 'failed'
        ? `${end?.text ? `${end.text}\n\n` : ''}The agent failed: ${end?.error ?? 'unknown reason'}`
        : `${end?.text ?? ''}${limit}`;
    if (!seat.stopFired) await stopped(seat, { text, active: false }, conversation.scope());
    const usage = conversation.state().usage;
    return {
      status,
      text: text.trim() === '' ? '(the agent gave no answer)' : text,
      toolCalls: seat.toolCalls,
      tokens:
        usage.input_tokens +
        usage.output_tokens +
        usage.cache_creation_input_tokens +
        usage.cache_read_input_tokens,
      ms: Math.round(performance.now() - from),
    };
  };

  /** Says the words, waits for the end, reports. `before` is set when an earlier run is continued. */
  const run = async (
    derived: Derived,
    words: string,
    seat: Seat,
    leave: () => Promise<AgentResult['worktree']>,
    before?: SessionState,
  ): Promise<AgentResult> => {
    const { request, id } = derived;
    const from = performance.now();
    const who = { session: id, parent: request.parent.id, agent: request.name ?? derived.definition.name };
    const entry = openingOf(derived);
    const conversation = await deps.open({
      derived,
      entry: before ? { ...entry, source: 'resume' } : entry,
      before,
      ending: (ending, scope) => stopped(seat, ending, scope),
    });
    roster.seat(seat, conversation);
    deps.emit(who, {
      type: 'agent.started',
      child: id,
      label: request.label,
      agentType: derived.definition.name,
      background: seat.background,
      name: request.name,
      call: request.call,
    });
    const start = await deps.hooks.dispatch(
      'SubagentStart',
      { agent_id: id, agent_type: derived.definition.name },
      conversation.scope(),
    );
    const prompt = [
      words,
      ...start.context.map(
        (text) => `<system-reminder>\nSubagentStart hook context: ${text}\n</system-reminder>`,
      ),
    ].join('\n\n');
    const halt = () => conversation.interrupt();
    const timer = request.timeoutMs === undefined ? undefined : setTimeout(halt, request.timeoutMs);
    request.signal.addEventListener('abort', halt, { once: true });
    await deps.mailbox.send(id, {
      id: deps.newId(),
      text: prompt,
      origin: {
        kind: 'agent',
        name: request.parent.agent.name ?? request.parent.agent.type,
        session: request.parent.id,
      },
    });
    if (request.signal.aborted) halt();
    await conversation.idle();
    clearTimeout(timer);
    request.signal.removeEventListener('abort', halt);
    const result = await resultOf(seat, conversation, from, request.signal);
    const worktree = await leave();
    await conversation.close('other');
    roster.rise(seat, result.status);
    await deps.writeOutput(seat.output, result.text);
    deps.emit(who, {
      type: 'agent.finished',
      child: id,
      status: result.status,
      text: result.text,
      ms: result.ms,
      toolCalls: result.toolCalls,
      tokens: result.tokens,
    });
    return worktree ? { ...result, worktree } : result;
  };

  const begin = async (
    derived: Derived,
    words: string,
    leave: () => Promise<AgentResult['worktree']>,
    before?: SessionState,
  ): Promise<AgentHandle> => {
    const { request, id, definition } = derived;
    const output = await deps.output(id, request.parent);
    const seat = roster.reserve({
      id,
      name: request.name,
      type: definition.name,
      label: request.label,
      background: request.background,
      output,
      parent: request.parent.id,
    });
    const fact = (status: 'running' | 'completed' | 'failed' | 'stopped') =>
      deps.tell(request.parent.id, {
        type: 'background',
        id,
        kind: 'agent',
        label: request.label,
        status,
        output,
        call: request.call,
        name: request.name,
        child: id,
      });
    if (request.background) await fact('running');
    const result = run(derived, words, seat, leave, before).catch(
      async (error: unknown): Promise<AgentResult> => {
        roster.rise(seat, 'failed');
        return {
          status: 'failed',
          text: `The agent failed: ${error instanceof Error ? error.message : String(error)}`,
          toolCalls: 0,
          tokens: 0,
          ms: 0,
        };
      },
    );
    seat.settled = result.then(async (done) => {
      if (!seat.background) return;
      const status = done.status === 'done' ? 'completed' : done.status;
      await fact(status);
      await deps.notify(request.parent.id, {
        id,
        run: seat.run,
        label: request.label,
        status,
        output,
        call: request.call,
        text: done.text,
      });
    });
    return { id, output, result, toBackground: () => roster.toBackground(seat, () => fact('running')) };
  };

  return {
    roster,
    async spawn(request) {
      const refused = refuse(request);
      if (refused) return { refused };
      const definition = deps.definitions().find((one) => one.name === request.type);
      if (!definition) return { refused: `There is no agent type "${request.type}".` };
      const model = deps.modelFor(request, definition);
      if ('refused' in model) return model;
      const id = deps.newId() as SessionId;
      const place = await deps.place(request, definition, id);
      if ('refused' in place) return place;
      const derived: Derived = {
        id,
        request,
        definition,
        model: model.id,
        cwd: place.cwd,
        checkout: place.checkout,
        depth: deps.depthOf(request.parent) + 1,
      };
      return begin(derived, request.prompt, place.leave);
    },
    async stop(idOrName) {
      const seat = roster.find(idOrName);
      if (!seat) return { refused: `No agent is known as "${idOrName}". Known: ${roster.known()}.` };
      if (!roster.isRunning(seat))
        return { refused: `The agent ${seat.name ?? seat.id} is not running (${seat.status}).` };
      seat.stopping = true;
      seat.conversation?.interrupt();
      return { stopped: seat.id };
    },
    async resume(idOrName, text, parent) {
      const seat = roster.find(idOrName);
      if (seat && roster.isRunning(seat)) {
        await deps.mailbox.send(seat.id, {
          id: deps.newId(),
          text,
          origin: { kind: 'agent', name: parent.agent.name ?? parent.agent.type, session: parent.id },
        });
        return {
          id: seat.id,
          output: seat.output,
          result: Promise.resolve({ status: 'done', text: '', toolCalls: 0, tokens: 0, ms: 0 }),
          toBackground: async () => undefined,
        };
      }
      const revived = await deps.revive(seat?.id ?? idOrName, parent);
      if (!revived) return { refused: `No agent is known as "${idOrName}". Known: ${roster.known()}.` };
      const { state } = revived;
      const definition = deps.definitions().find((one) => one.name === state.agent.type);
      if (!definition)
        return { refused: `The agent type "${state.agent.type}" of ${idOrName} no longer exists.` };
      const request: SpawnRequest = {
        prompt: text,
        label: revived.label,
        type: definition.name,
        parent,
        name: state.agent.name,
        team: state.team,
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
      return begin(derived, text, async () => undefined, state);
    },
    async wait(idOrName, timeoutMs, signal) {
      const settled = roster.find(idOrName)?.settled;
      if (settled) await Promise.race([settled, after(timeoutMs), aborted(signal)]);
    },
    list: (): readonly AgentInfo[] => roster.list(),
  };
};
