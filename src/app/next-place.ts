/** Where the next root conversation begins: what --worktree says counts for the first; one after `/clear` stays where the one before it was. */
import type { WorktreeRef } from '../contract/state.ts';

export interface Stay {
  readonly stay: WorktreeRef;
  /** We chose its name: nobody will miss it when it holds nothing. */
  readonly nameless: boolean;
}

export interface NextPlace {
  /** `enter`: a worktree by its name, or `true` for a new one. Answers each wish once. */
  take(): { readonly enter: true | string } | Stay | undefined;
  /** A conversation ends, and another goes on in its worktree. */
  leave(stay: Stay): void;
}

export const createNextPlace = (flag: true | string | undefined): NextPlace => {
  let next: ReturnType<NextPlace['take']> = flag === undefined ? undefined : { enter: flag };
  return {
    take() {
      const now = next;
      next = undefined;
      return now;
    },
    leave(stay) {
      next = stay;
    },
  };
};
