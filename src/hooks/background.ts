/** Background hooks: who is still running, and how often they may wake the model in a row. */
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';

/** Wakes in a row without a word from the person, as many as Stop hooks may block in a row. */
const WAKE_CAP = 8;

export interface Background {
  /** Aborted when the program ends. */
  readonly signal: AbortSignal;
  track(run: Promise<void>, root: SessionId, wakes: boolean): void;
  /** Hands a woken message over, unless too many came in a row. */
  wake(text: string, label: string, at: HookScope): Promise<void>;
  /** The person has spoken: the count begins anew. */
  heard(root: SessionId): void;
  /** True when a count is running that `heard` would end. */
  counting(): boolean;
  pendingWakes(root?: SessionId): number;
  waking(root?: SessionId): Promise<void>;
  close(): Promise<void>;
}

export const createBackground = (): Background => {
  const stop = new AbortController();
  const running = new Map<Promise<void>, { readonly root: SessionId; readonly wakes: boolean }>();
  const inARow = new Map<SessionId, number>();
  const wakers = (root: SessionId | undefined): readonly Promise<void>[] =>
    [...running].flatMap(([run, about]) =>
      about.wakes && (root === undefined || about.root === root) ? [run] : [],
    );
  return {
    signal: stop.signal,
    track(run, root, wakes) {
      running.set(run, { root, wakes });
      void run.finally(() => running.delete(run));
    },
    async wake(text, label, at) {
      const count = (inARow.get(at.session.root) ?? 0) + 1;
      inARow.set(at.session.root, count);
      if (count <= WAKE_CAP) return at.wake(text, label);
      if (count > WAKE_CAP + 1) return;
      at.emit({
        type: 'notice',
        level: 'warn',
        text: `Hook ${label} wanted to wake the model, but hooks have done so ${WAKE_CAP} times in a row. They will not again until you write something.`,
      });
    },
    heard: (root) => void inARow.delete(root),
    counting: () => inARow.size > 0,
    pendingWakes: (root) => wakers(root).length,
    async waking(root) {
      while (wakers(root).length > 0) await Promise.all(wakers(root));
    },
    async close() {
      stop.abort();
      await Promise.all(running.keys());
    },
  };
};
