/** What the person waits for beside the turns of a conversation. */
import type { Errand } from '../contract/session.ts';

export interface Errands {
  run<T>(work: (errand: Errand) => Promise<T>): Promise<T>;
  /** Whether one is waited for. */
  open(): boolean;
  stop(): void;
  letGo(): void;
}

export const createErrands = (): Errands => {
  const waited = new Set<{ stop(): void; letGo(): void }>();
  return {
    async run(work) {
      const halt = new AbortController();
      const { promise, resolve } = Promise.withResolvers<void>();
      const mine = { stop: () => halt.abort(), letGo: resolve };
      waited.add(mine);
      void promise.then(() => waited.delete(mine));
      try {
        return await work({ signal: halt.signal, letGo: promise });
      } finally {
        waited.delete(mine);
      }
    },
    open: () => waited.size > 0,
    stop: () => waited.forEach((one) => void one.stop()),
    letGo: () => waited.forEach((one) => void one.letGo()),
  };
};
