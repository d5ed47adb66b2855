/** `once`: one run per session tree, however many calls come at the same time (ruling 25). */
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Placed } from './selection.ts';

export interface Once {
  /** Takes the run. False: it has been taken. */
  claim(placed: Placed, at: HookScope): boolean;
  /** Gives it back: the run never started. */
  release(placed: Placed, at: HookScope): void;
}

export const createOnce = (): Once => {
  const taken = new Map<SessionId, Set<string>>();
  const of = (root: SessionId): Set<string> => {
    const keys = taken.get(root) ?? new Set<string>();
    taken.set(root, keys);
    return keys;
  };
  return {
    claim({ handler, key }, { session }) {
      if (!handler.once) return true;
      const keys = of(session.root);
      if (keys.has(key) || session.onceDone.includes(key)) return false;
      keys.add(key);
      return true;
    },
    release({ handler, key }, { session }) {
      if (handler.once) of(session.root).delete(key);
    },
  };
};
