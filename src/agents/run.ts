/** One run of an agent, from its seat to its end: opened, told, waited for, reported. Each ends exactly once. */
import { type AgentHandle, type AgentResult, keptText } from '../contract/agent.ts';
import type { HookScope, HookVerdict } from '../contract/hook.ts';
import { usedTokens } from '../contract/message.ts';
import { type Deferred, deferred } from '../lib/deferred.ts';
import { errorText } from '../lib/error-text.ts';
import type { Ending } from '../loop/deps.ts';
import type { Beginning } from './beginning.ts';
import { converse, prompt } from './converse.ts';
import { type Derived, openingOf } from './derive.ts';
import { type Ended, endOfRun } from './ending.ts';
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

  /** Every run ends here, also one that broke: what fails on the way out is told and keeps nothing else from its end. */
  const end = async (
    seat: Seat,
    { derived, leave, before, mate }: Beginning,
    said: Ended,
    from: number,
    ready: Deferred<void>,
  ): Promise<AgentResult> => {
    const { conversation } = seat;
    const who = speakerOf(derived);
    const step = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        const why = errorText(error);
        deps.emit(who, {
          type: 'notice',
          level: 'error',
          text: `The end of ${who.agent} is not whole: ${why}`,
        });
        return undefined;
      }
    };
    if (conversation && !seat.stopFired)
      await step(() => stopped(seat, { text: said.text, active: false }, conversation.scope()));
    const worktree = await step(leave);
    const words = worktree ? `${said.text}\n\n${keptText(worktree)}` : said.text;
    // From here on a kill loses nothing: whoever resumes reads that it ended, and with what.
    const unkept = await step(() => deps.writeOutput(seat.output, words));
    const result: AgentResult = {
      status: said.status,
      text: unkept ? `${words}\n\n${unkept.failed}` : words,
      toolCalls: seat.toolCalls,
      tokens: conversation ? usedTokens(conversation.state().usage) : 0,
      ms: Math.round(performance.now() - from),
      ...(worktree ? { worktree } : {}),
    };
    if (conversation)
      await step(() => conversation.record({ type: 'ended', run: seat.run, status: result.status }));
    const state = conversation?.state() ?? before;
    if (state && !seat.silent) await step(() => giveBack(deps, seat, state, ended[result.status]));
    if (mate) await step(() => mate.over(seat, result));
    if (conversation)
      await step(() => {
        const closed = conversation.close('other');
        ready.resolve();
        return closed;
      });
    roster.rise(seat, result.status);
    const { status, text, ms, toolCalls, tokens } = result;
    if (conversation)
      deps.emit(who, { type: 'agent.finished', child: derived.id, status, text, ms, toolCalls, tokens });
    return result;
  };

  const work = async (seat: Seat, beginning: Beginning, ready: Deferred<void>): Promise<Ended> => {
    const { derived, before, mate } = beginning;
    const { request, id } = derived;
    const entry = { ...openingOf(derived), ...(mate && !before ? { mailFrom: mate.mailFrom } : {}) };
    const conversation = await deps.open({
      derived,
      ready: ready.promise,
      entry: before ? { ...entry, source: 'resume' } : entry,
      before,
      ending: (ending, scope) => (mate ? mate.ending(seat, scope) : stopped(seat, ending, scope)),
    });
    roster.seat(seat, conversation);
    deps.emit(speakerOf(derived), {
      type: 'agent.started',
      child: id,
      label: request.label,
      agentType: derived.definition.name,
      background: seat.background,
      name: request.name,
      call: request.call,
      color: derived.definition.color,
    });
    await prompt(deps, seat, beginning, conversation);
    // Stopped before it began, or the program ends: its prompt waits for whoever lets it go on, and nothing is asked of the model.
    const unbegun = request.signal.aborted || seat.stopping || deps.closing();
    if (!unbegun) {
      ready.resolve();
      await converse(roster, seat, beginning, conversation);
    }
    return endOfRun(seat, conversation, unbegun || request.signal.aborted);
  };

  /** Something may break that no agent can do anything about: its parent hears it. */
  const run = async (seat: Seat, beginning: Beginning): Promise<AgentResult> => {
    const from = performance.now();
    const ready = deferred<void>();
    const said = await work(seat, beginning, ready).catch(
      (error: unknown): Ended => ({
        status: 'failed',
        text: `The agent failed: ${errorText(error)}`,
      }),
    );
    return await end(seat, beginning, said, from, ready);
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
    const result = run(seat, beginning);
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
