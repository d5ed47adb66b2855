/** What a turn does over, and how often before it gives up. */
const most = {
  /** Making room in the model's window. */
  compaction: 3,
  /** Asking for the rest of a reply that a lost connection cut. */
  cut: 5,
  /** Asking for the rest of a reply that reached the output limit. */
  length: 3,
  /** Asking for the one call that counts as the answer. */
  answer: 3,
  /** Going on because a Stop or SubagentStop hook says so. */
  hook: 8,
} as const;

type Trouble = keyof typeof most;

/** How much of it a turn has left. */
export interface Patience {
  left(trouble: Trouble): boolean;
  /** False when there was none left to spend. */
  spend(trouble: Trouble): boolean;
  /** True once something was spent on it. */
  tried(trouble: Trouble): boolean;
}

export const createPatience = (): Patience => {
  const spent: Record<Trouble, number> = { compaction: 0, cut: 0, length: 0, answer: 0, hook: 0 };
  const left = (trouble: Trouble): boolean => spent[trouble] < most[trouble];
  return {
    left,
    spend(trouble) {
      if (!left(trouble)) return false;
      spent[trouble] += 1;
      return true;
    },
    tried: (trouble) => spent[trouble] > 0,
  };
};

/** How often hooks may send a turn on; for the notice that says so. */
export const mostByHooks = most.hook;
