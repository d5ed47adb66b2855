/** A session: one queue in, one stream out. The same for the main conversation, sub-agents, forked skills and teammates. */

import type { Level } from '../contract/budget.ts';
import type { EventBody } from '../contract/event.ts';
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { ImageBlock, Usage } from '../contract/message.ts';
import type { Mode } from '../contract/mode.ts';
import type { TypedAs, Unsent } from '../contract/session.ts';
import type { SessionState } from '../contract/state.ts';
import type { CloseReason, Effect, Entry, EntryBody } from '../contract/transcript.ts';
import { Broadcast } from '../lib/broadcast.ts';
import { deferred, orAborted } from '../lib/deferred.ts';
import { errorText } from '../lib/error-text.ts';
import { once } from '../lib/once.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { createBudget } from './budget.ts';
import { compaction } from './compact.ts';
import { openUses, refusal } from './conversation.ts';
import { type Here, type LoopDeps, nameOf, type Opening } from './deps.ts';
import { boxesOf, readMail, unread } from './mail.ts';
import { createRecorder } from './recorder.ts';
import { broken, brokenBy } from './recover.ts';
import { type RewindHow, rewind } from './rewind.ts';
import { createStartContext, endingOf, scopeOf, startedBy } from './session-hooks.ts';
import { type SideAnswer, sideQuestion } from './side-question.ts';
import { respond, usageSince } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

/** A session without the front-end's view of it; app/ and agents/ wrap it. */
export interface Conversation {
  readonly id: SessionId;
  state(): SessionState;
  send(text: string, attachments?: readonly ImageBlock[], typed?: TypedAs): Promise<void>;
  unsend(): Promise<readonly Unsent[]>;
  interrupt(): void;
  background(): void;
  setMode(mode: Mode): Promise<void>;
  record(effect: Effect | EntryBody): Promise<void>;
  compact(focus?: string): Promise<void>;
  /** Asks something about the conversation that does not become part of it. */
  aside(question: string): Promise<SideAnswer>;
  /** Goes back to before an entry; a sentence when it cannot. */
  rewind(to: string, how: RewindHow): Promise<string | undefined>;
  /** All that was recorded, read back. */
  entries(): Promise<readonly Entry[]>;
  busy(): boolean;
  idle(): Promise<void>;
  close(reason: CloseReason): Promise<void>;
  /** How the last turn ended. */
  lastEnd(): TurnEnd | undefined;
  /** How far its own limits are used up. */
  levels(): readonly Level[];
  unsaved(): string | undefined;
  scope(): HookScope;
}

/** What a session that runs no more says of what is typed. */
const KEPT = 'What is said now is kept, and heard when the conversation is resumed.';

/** Opens a session and starts its loop; it waits for mail. */
export const openSession = async (deps: LoopDeps, opening: Opening): Promise<Conversation> => {
  const who = { session: opening.id, parent: opening.entry.parent, agent: nameOf(opening.entry.agent) };
  const emit = (body: EventBody) => deps.emit(who, body);
  const recorder = createRecorder(deps, opening, emit);
  const box = opening.boxes[0] ?? opening.id;
  const closing = new AbortController();
  let turn: AbortController | undefined;
  const awayWishes = new Broadcast<void>();
  let promptId: string | undefined;
  let claimed = 0;
  let last: TurnEnd | undefined;
  let began: { readonly from: number; readonly usage: Usage } | undefined;
  /** The loop is over: it was closed, or a fault ended it. */
  let ended = false;
  /** Places in mailboxes up to which a broken turn left mail: it is heard together with the next. */
  const left: Record<string, number> = {};
  const waiting: (() => void)[] = [];
  let listenAnew: () => void = () => undefined;

  const record: Here['record'] = async (body, sync) => {
    const before = opening.before || body.type !== 'opened' ? recorder.state().cwd : undefined;
    await recorder.record(body, sync);
    if (body.type === 'team') listenAnew();
    const now = recorder.state().cwd;
    if (before !== undefined && before !== now && (body.type !== 'opened' || opening.session.root)) {
      await deps.hooks.dispatch('CwdChanged', { old_cwd: before, new_cwd: now }, scope(closing.signal));
    }
  };
  const told = createStartContext();
  const scope = scopeOf({ deps, opening, recorder, emit, box, told, promptId: () => promptId });
  const started = startedBy({ deps, opening, recorder, scope: () => scope(closing.signal), record });
  const here: Here = {
    deps,
    opening,
    budget: createBudget(deps, opening),
    state: recorder.state,
    record,
    emit,
    scope,
    started,
    ask: (question, signal) => deps.asks.ask({ session: opening.id, agent: who.agent }, question, signal),
    backgrounded: (away) => awayWishes.listen(away),
    claim: (from, place) => {
      if (from === box) claimed = place;
    },
  };

  /** Plan mode always knows its file. */
  const planned = (mode: Mode) =>
    mode === 'plan' ? { planFile: recorder.state().planFile ?? deps.planFile(recorder.state()) } : {};

  await record(opening.entry);
  if (opening.entry.mode === 'plan') await record({ type: 'mode', mode: 'plan', ...planned('plan') });
  for (const use of opening.before ? openUses(recorder.state().messages) : []) {
    const more = await deps.cutOff?.(use.id);
    const text = `[interrupted] The program ended while this call ran. ${more ?? 'It was not run again; what it had done by then stands.'}`;
    await record({ type: 'user', origin: { kind: 'tools' }, content: [refusal(use.id, text)] });
  }
  const opened = (async () => {
    const early = (await opening.prelude?.(scope(closing.signal))) ?? [];
    told.add([...early, ...(await started(opening.entry.source))]);
  })().catch((error: unknown) =>
    emit({ type: 'notice', level: 'error', text: `The start was not complete: ${errorText(error)}` }),
  );

  const mayEnd = endingOf({ deps, opening, scope: () => scope(turn?.signal ?? closing.signal) });

  const finish = (end: TurnEnd): void => {
    const { from, usage } = began ?? { from: performance.now(), usage: recorder.state().usage };
    began = undefined;
    turn = undefined;
    emit({
      type: 'turn.finished',
      stop: end.stop,
      usage: usageSince(here, usage),
      ms: Math.round(performance.now() - from),
      text: end.text,
      error: end.error,
    });
  };

  const queue = oneAtATime();
  /** Whatever rewrites or reads the conversation as a whole: a turn, a compaction, a way back. What is said meanwhile waits. */
  const alone = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    queue(async () => {
      const controller = new AbortController();
      if (closing.signal.aborted) controller.abort();
      turn = controller;
      try {
        return await work(controller.signal);
      } finally {
        turn = undefined;
        listenAnew();
      }
    });

  const takeTurn = async (signal: AbortSignal): Promise<void> => {
    promptId = deps.newId();
    began = { from: performance.now(), usage: recorder.state().usage };
    const hear = () => readMail(here, signal, told.take);
    emit({ type: 'turn.started' });
    const answer = async (): Promise<TurnEnd | undefined> =>
      (await hear()) === 0 ? undefined : await respond(here, { signal, hear, mayEnd });
    const end = await answer().catch((error: unknown) => broken(here, error));
    if (end?.failure) {
      await record({ type: 'failed', failure: end.failure });
      const failed = {
        error: end.failure.kind,
        error_details: end.failure.text,
        last_assistant_message: end.failure.text,
      };
      await deps.hooks.dispatch('StopFailure', failed, scope(closing.signal));
    }
    await recorder.flush();
    if (end?.broken) for (const { box, mail } of await unread(here)) left[box] = mail.place;
    last = end ?? last;
    finish(end ?? { stop: 'stopped', text: '' });
  };

  const reached = (box: string): number => Math.max(recorder.state().mailRead[box] ?? 0, left[box] ?? 0);
  const hasMail = async () => (await unread(here)).some(({ box, mail }) => mail.place > reached(box));
  const release = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const loop = async (): Promise<void> => {
    await orAborted(opening.ready ?? Promise.resolve(), closing.signal);
    while (!closing.signal.aborted) {
      if (await hasMail()) {
        await opened;
        await alone(takeTurn);
        continue;
      }
      if (closing.signal.aborted) break;
      if (!turn) release();
      const pause = new AbortController();
      const stop = () => pause.abort();
      listenAnew = stop;
      closing.signal.addEventListener('abort', stop, { once: true });
      await Promise.race(boxesOf(here).map((one) => deps.mailbox.wait(one, reached(one), pause.signal)));
      closing.signal.removeEventListener('abort', stop);
      pause.abort();
    }
  };
  const running = loop()
    .catch((error: unknown) => {
      last = brokenBy(error);
      emit({ type: 'notice', level: 'error', text: `The session stopped: ${errorText(error)} ${KEPT}` });
      if (began) finish(last);
    })
    .finally(() => {
      ended = true;
      release();
    });

  return {
    id: opening.id,
    state: recorder.state,
    busy: () => turn !== undefined,
    lastEnd: () => last,
    levels: here.budget.levels,
    unsaved: recorder.unsaved,
    entries: recorder.entries,
    scope: () => scope(closing.signal),
    async send(words, attachments, typed) {
      if (closing.signal.aborted) throw new Error('This conversation is closed.');
      const shown = typed?.display ?? words;
      const { text, display } = deps.mask?.({ text: words, display: shown }) ?? {
        text: words,
        display: shown,
      };
      const place = await deps.mailbox.send(box, {
        id: deps.newId(),
        text,
        origin: { kind: 'person' },
        ...(attachments?.length ? { images: attachments } : {}),
        ...(display === text ? {} : { display }),
        ...(typed ? { mentions: typed.mentions } : {}),
      });
      if (turn) emit({ type: 'queued', box, place, text: display });
      if (ended) emit({ type: 'notice', level: 'error', text: `The session has stopped. ${KEPT}` });
    },
    async unsend() {
      const after = Math.max(claimed, recorder.state().mailRead[box] ?? 0);
      const taken = await deps.mailbox.withdraw(box, after);
      return taken.map(({ text, display = text, images = [] }) => ({ text: display, images }));
    },
    interrupt: () => turn?.abort(),
    background: () => awayWishes.emit(),
    async setMode(mode) {
      if (mode !== recorder.state().mode) await record({ type: 'mode', mode, ...planned(mode) });
    },
    record,
    aside: (question) => sideQuestion(here, question, closing.signal),
    async compact(focus) {
      await alone(async (signal) => signal.aborted || compaction(here, { trigger: 'manual', focus, signal }));
    },
    async rewind(to, how) {
      if (turn) return 'A turn is running; interrupt it first, then go back.';
      return await alone((signal) => rewind(here, recorder, to, how, signal));
    },
    async idle() {
      if (ended || (!turn && !(await hasMail()))) return;
      // It may have ended while its mail was looked at.
      if (ended) return;
      const settled = deferred<void>();
      waiting.push(() => settled.resolve());
      await settled.promise;
    },
    close: once(async (reason) => {
      turn?.abort();
      closing.abort();
      deps.asks.settle(opening.id, { kind: 'none', reason: 'The session ended.', source: 'closed' });
      await running;
      await alone(async () => undefined);
      if (opening.session.root)
        await deps.hooks.dispatch('SessionEnd', { reason }, scope(new AbortController().signal));
      await recorder.record({ type: 'closed', reason }, 'sync');
      await recorder.close();
      emit({ type: 'bye' });
    }),
  };
};
