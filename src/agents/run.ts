/** One run of an agent, from its seat to its end: opened, told, waited for, reported. Each ends exactly once. */
import { type AgentHandle, type AgentResult, keptText } from '../contract/agent.ts';
import type { HookScope, HookVerdict } from '../contract/hook.ts';
import { usedTokens } from '../contract/message.ts';
import { deferred } from '../lib/deferred.ts';
import type { Ending } from '../loop/deps.ts';
import type { Conversation } from '../loop/session.ts';
import type { Beginning } from './beginning.ts';
import { converse, prompt } from './converse.ts';
import { type Derived, openingOf } from './derive.ts';
import { endOfRun } from './ending.ts';
import type { HostDeps } from './host-deps.ts';
import { giveBack } from './lost-tasks.ts';
import type { Roster, Seat } from './roster.ts';
import { ended as hooksEnded } from './subagent-hooks.ts';

export type Begin = (beginning: Beginning) => Promise<AgentHandle>;

const speakerOf = ({ id, request, definition }: Derived) => ({
  session: id,
  parent: request.parent.id,
  agent: request.name ?? definition.name,
});

const ended = { done: 'finished', failed: 'failed', stopped: 'was stopped' } as const;

export const createRuns = (deps: HostDeps, roster: Roster): Begin => {
  /** Fired exactly once per end of a reply, and once when a run ends without one. */
  const stopped = (seat: Seat, ending: Ending, scope: HookScope): Promise<HookVerdict> => {
    seat.stopFired = true;
    return hooksEnded(deps, seat, ending, scope);
  };

  const resultOf = async (
    seat: Seat,
    conversation: Conversation,
    from: number,
    signal: AbortSignal,
  ): Promise<AgentResult> => {
    const { status, text } = endOfRun(seat, conversation, signal.aborted);
    if (!seat.stopFired) await stopped(seat, { text, active: false }, conversation.scope());
    return {
      status,
      text,
      toolCalls: seat.toolCalls,
      tokens: usedTokens(conversation.state().usage),
      ms: Math.round(performance.now() - from),
    };
  };

  const run = async (seat: Seat, beginning: Beginning): Promise<AgentResult> => {
    const { derived, before, mate } = beginning;
    const { request, id } = derived;
    const from = performance.now();
    const who = speakerOf(derived);
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
      color: derived.definition.color,
    });
    await prompt(deps, seat, beginning, conversation).finally(() => ready.resolve());
    await converse(roster, seat, beginning, conversation);
    const answer = await resultOf(seat, conversation, from, request.signal);
    const worktree = await beginning.leave();
    const result = worktree
      ? { ...answer, text: `${answer.text}\n\n${keptText(worktree)}`, worktree }
      : answer;
    // From here on a kill loses nothing: whoever resumes reads that it ended, and with what.
    await deps.writeOutput(seat.output, result.text);
    await conversation.record({ type: 'ended', run: seat.run, status: result.status });
    if (!seat.silent) await giveBack(deps, seat, conversation.state(), ended[result.status]);
    await mate?.over(seat, result);
    await conversation.close('other');
    roster.rise(seat, result.status);
    deps.emit(who, {
      type: 'agent.finished',
      child: id,
      status: result.status,
      text: result.text,
      ms: result.ms,
      toolCalls: result.toolCalls,
      tokens: result.tokens,
    });
    return result;
  };

  /** Something broke that no agent can do anything about: its parent hears it, and nothing of it stays open. */
  const broken = async (seat: Seat, beginning: Beginning, error: unknown): Promise<AgentResult> => {
    const text = `The agent failed: ${error instanceof Error ? error.message : String(error)}`;
    const failed: AgentResult = { status: 'failed', text, toolCalls: seat.toolCalls, tokens: 0, ms: 0 };
    await seat.conversation?.close('other').catch(() => undefined);
    await beginning.leave().catch(() => undefined);
    await deps.writeOutput(seat.output, text).catch(() => undefined);
    roster.rise(seat, 'failed');
    await beginning.mate?.over(seat, failed);
    return failed;
  };

  return async (beginning) => {
    const { request, id, definition } = beginning.derived;
    const output = await deps.output(id, request.parent);
    beginning.claim?.release();
    const seat = roster.reserve({
      id,
      name: request.name,
      team: beginning.mate?.team,
      type: definition.name,
      label: request.label,
      background: request.background,
      output,
      parent: request.parent.id,
      run: deps.newId(),
      extra: request.verifier,
      toolCalls: beginning.derived.toolCalls,
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
        run: seat.run,
      });
    if (request.background) await fact('running');
    const result = run(seat, beginning).catch((error: unknown) => broken(seat, beginning, error));
    seat.settled = result.then(async (done) => {
      if (!seat.background || seat.silent || deps.closing()) return;
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
    return {
      id,
      output,
      result,
      toBackground: () =>
        roster.toBackground(seat, async () => {
          deps.emit(speakerOf(beginning.derived), { type: 'agent.background', child: id });
          await fact('running');
        }),
    };
  };
};
