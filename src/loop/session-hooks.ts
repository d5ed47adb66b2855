/** What a session shows its hooks, and what they answer at its start and at the end of a reply. */
import type { Emit } from '../contract/event.ts';
import type { HookScope } from '../contract/hook.ts';
import type { EntryBody } from '../contract/transcript.ts';
import type { Here, LoopDeps, Opening } from './deps.ts';
import type { Recorder } from './recorder.ts';
import type { Turn } from './turn.ts';

/** What hooks said before the first message: the model reads it with that message. */
export interface StartContext {
  add(lines: readonly string[]): void;
  /** Takes it: told once. */
  take(): readonly string[];
}

export const createStartContext = (): StartContext => {
  let lines: readonly string[] = [];
  return {
    add(more) {
      lines = [...lines, ...more];
    },
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
};

interface Sight {
  readonly deps: LoopDeps;
  readonly opening: Opening;
  readonly recorder: Recorder;
  readonly emit: Emit;
  /** The session's own mailbox. */
  readonly box: string;
  readonly told: StartContext;
  promptId(): string | undefined;
}

/** The session as a hook sees it now; `signal` ends the hook. */
export const scopeOf =
  ({ deps, opening, recorder, emit, box, told, promptId }: Sight) =>
  (signal: AbortSignal): HookScope => ({
    session: recorder.state(),
    transcriptPath: opening.writer.path,
    rootTranscriptPath: opening.rootTranscriptPath,
    mode: recorder.state().mode,
    promptId: promptId(),
    extra: [...(opening.hooks ?? []), ...(deps.skillHooks?.(recorder.state()) ?? [])],
    verifier: opening.verifier,
    signal,
    emit,
    async record(run, once) {
      await recorder.record({ type: 'hook', run });
      if (once) await recorder.record({ type: 'once', key: once });
    },
    spend: (key) => (opening.spend ? opening.spend(key) : recorder.record({ type: 'once', key })),
    async later(text, label) {
      told.add([`${label}: ${text}`]);
    },
    async wake(text, label) {
      await deps.mailbox.send(box, { id: deps.newId(), text, origin: { kind: 'hook', label } });
    },
  });

interface Start {
  readonly deps: LoopDeps;
  readonly opening: Opening;
  readonly recorder: Recorder;
  scope(): HookScope;
  record(body: EntryBody): Promise<void>;
}

/** SessionStart, for root sessions: what its hooks want the model to know. */
export const startedBy =
  ({ deps, opening, recorder, scope, record }: Start): Here['started'] =>
  async (source) => {
    if (!opening.session.root) return [];
    const { model, title } = recorder.state();
    const verdict = await deps.hooks.dispatch(
      'SessionStart',
      { source, model, session_title: title },
      scope(),
    );
    if (verdict.watchPaths) deps.follow?.(verdict.watchPaths);
    if (verdict.sessionTitle) await record({ type: 'title', title: verdict.sessionTitle, byPerson: false });
    return verdict.context.map((text) => `SessionStart hook context: ${text}`);
  };

interface End {
  readonly deps: LoopDeps;
  readonly opening: Opening;
  scope(): HookScope;
}

/** Root sessions end a reply with Stop; children with what their host gave (SubagentStop). */
export const endingOf =
  ({ deps, opening, scope }: End): Turn['mayEnd'] =>
  async (text, active) => {
    const at = scope();
    const verdict = opening.ending
      ? await opening.ending({ text, active }, at)
      : await deps.hooks.dispatch(
          'Stop',
          {
            stop_hook_active: active,
            last_assistant_message: text,
            background_tasks: deps.backgroundTasks?.() ?? [],
            session_crons: [],
          },
          at,
        );
    if (verdict.stop !== undefined) return { stop: verdict.stop };
    const goOn = verdict.blocked ?? (verdict.context.length > 0 ? verdict.context.join('\n') : undefined);
    return goOn === undefined ? {} : { goOn };
  };
