/** One run of an agent, from its seat to its end: opened, told, waited for, reported. Each ends exactly once. */
import { type AgentHandle, type AgentResult, keptText } from '../contract/agent.ts';
import type { HookScope, HookVerdict } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';
import { actorOf } from '../contract/task.ts';
import { deferred } from '../lib/deferred.ts';
import type { Ending } from '../loop/deps.ts';
import type { Conversation } from '../loop/session.ts';
import { type Derived, openingOf } from './derive.ts';
import type { HostDeps } from './host-deps.ts';
import type { Mate } from './mate.ts';
import type { Roster, Seat } from './roster.ts';

export interface Beginning {
  readonly derived: Derived;
  /** Its prompt; absent when mail that waits already is enough. */
  readonly words?: string;
  leave(): Promise<AgentResult['worktree']>;
  /** Set when an earlier run is continued. */
  readonly before?: SessionState;
  /** Its part in a team. */
  readonly mate?: Mate;
}

export type Begin = (beginning: Beginning) => Promise<AgentHandle>;

export const createRuns = (deps: HostDeps, roster: Roster): Begin => {
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
        background_tasks: deps.backgroundTasks?.(seat.id) ?? [],
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
    const halted = signal.aborted || seat.stopping || (!seat.leaving && end?.stop === 'interrupted');
    const status = halted ? 'stopped' : end?.stop === 'failed' ? 'failed' : 'done';
    const limit =
      end?.stop === 'max_turns' || end?.stop === 'budget'
        ? `\n\n[parked: ${end.error} What it had by then stands above. To let it go on${end.fresh ? ' with the same allowance again' : ''}, send it a message: SendMessageTool, to "${seat.name ?? seat.id}".]`
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

  /** Its tasks in progress go back to the list (ruling 34). */
  const giveBack = async (seat: Seat, state: SessionState, how: string): Promise<void> => {
    if (!deps.team) return;
    const by = actorOf(state);
    const back = await deps.team.tasks.release(state.taskList, by, `Returned to pending: ${by.name} ${how}.`);
    seat.lost = 'failed' in back ? [] : back.map((task) => task.id);
  };

  /** What happened meanwhile to the tasks that it had when it was stopped. */
  const lostTasks = async (seat: Seat, state: SessionState | undefined): Promise<readonly string[]> => {
    if (!deps.team || !state || seat.lost.length === 0) return [];
    const { tasks } = deps.team;
    const lines = await Promise.all(
      seat.lost.map(async (id) => {
        const task = await tasks.get(state.taskList, id);
        if (!('subject' in task)) return `Task ${id} is gone.`;
        return task.status === 'pending' && task.owner === undefined
          ? `Task ${id} (${task.subject}) is free: take it again if you go on with it.`
          : `Task ${id} (${task.subject}) was taken: ${task.status.replace('_', ' ')}${task.owner ? `, owner ${task.owner}` : ''}.`;
      }),
    );
    seat.lost = [];
    return [`Your tasks went back to the list when you were stopped.\n${lines.join('\n')}`];
  };

  /** Its first words, with what hooks add. */
  const prompt = async (seat: Seat, beginning: Beginning, conversation: Conversation): Promise<void> => {
    const { derived, words, before } = beginning;
    const { request, id } = derived;
    const start = await deps.hooks.dispatch(
      'SubagentStart',
      { agent_id: id, agent_type: derived.definition.name },
      conversation.scope(),
    );
    const facts = [
      ...(await lostTasks(seat, before)),
      ...start.context.map((text) => `SubagentStart hook context: ${text}`),
    ];
    if (words !== undefined || facts.length > 0)
      await deps.mailbox.send(id, {
        id: deps.newId(),
        text: [words ?? '', ...facts.map((text) => `<system-reminder>\n${text}\n</system-reminder>`)]
          .join('\n\n')
          .trimStart(),
        origin: {
          kind: 'agent',
          name: request.parent.agent.name ?? request.parent.agent.type,
          session: request.parent.id,
        },
      });
  };

  const converse = async (
    seat: Seat,
    { derived, mate }: Beginning,
    conversation: Conversation,
  ): Promise<void> => {
    const { request } = derived;
    const halt = () => conversation.interrupt();
    const timer = request.timeoutMs === undefined ? undefined : setTimeout(halt, request.timeoutMs);
    request.signal.addEventListener('abort', halt, { once: true });
    // Stopped before it began: nothing is asked of the model.
    if (!request.signal.aborted && !seat.stopping) await conversation.idle();
    if (mate) await mate.live(conversation, seat);
    clearTimeout(timer);
    request.signal.removeEventListener('abort', halt);
  };

  const run = async (seat: Seat, beginning: Beginning): Promise<AgentResult> => {
    const { derived, before, mate } = beginning;
    const { request, id } = derived;
    const from = performance.now();
    const who = { session: id, parent: request.parent.id, agent: request.name ?? derived.definition.name };
    const entry = { ...openingOf(derived), ...(mate && !before ? { mailFrom: mate.mailFrom } : {}) };
    const ready = deferred<void>();
    const conversation = await deps.open({
      derived,
      ready: ready.promise,
      entry: before ? { ...entry, source: 'resume' } : entry,
      before,
      ending: (ending, scope) => (mate ? mate.ending(seat, scope) : stopped(seat, ending, scope)),
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
    await prompt(seat, beginning, conversation).finally(() => ready.resolve());
    await converse(seat, beginning, conversation);
    const answer = await resultOf(seat, conversation, from, request.signal);
    const worktree = await beginning.leave();
    const result = worktree ? { ...answer, text: `${answer.text}\n\n${keptText(worktree)}` } : answer;
    if (!seat.silent) await giveBack(seat, conversation.state(), ended[result.status]);
    await mate?.over(seat, result);
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

  return async (beginning) => {
    const { request, id, definition } = beginning.derived;
    const output = await deps.output(id, request.parent);
    const seat = roster.reserve({
      id,
      name: request.name,
      team: beginning.mate?.team,
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
    const result = run(seat, beginning).catch(async (error: unknown): Promise<AgentResult> => {
      roster.rise(seat, 'failed');
      const failed: AgentResult = {
        status: 'failed',
        text: `The agent failed: ${error instanceof Error ? error.message : String(error)}`,
        toolCalls: 0,
        tokens: 0,
        ms: 0,
      };
      await beginning.mate?.over(seat, failed);
      return failed;
    });
    seat.settled = result.then(async (done) => {
      if (!seat.background || seat.silent) return;
      const status = done.status === 'done' ? 'completed' : done.status;
      // Told first: whoever is killed in between is told again, and the mailbox knows the notice by its id.
      // A teammate that was shut down has told its lead itself.
      if (!seat.leaving)
        await deps.notify(request.parent.id, {
          id,
          run: seat.run,
          label: request.label,
          status,
          output,
          call: request.call,
          text: done.text,
        });
      await fact(status);
    });
    return { id, output, result, toBackground: () => roster.toBackground(seat, () => fact('running')) };
  };
};

const ended = { done: 'finished', failed: 'failed', stopped: 'was stopped' } as const;
