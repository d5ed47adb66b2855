import type { Ask } from './ask.ts';
import type { SessionState, WorktreeRef } from './state.ts';

/** A checkout of its own below `.coppice/worktrees`, or wherever a hook or a person made it. */
export interface Worktree {
  readonly name: string;
  readonly path: string;
  /** Absent when its HEAD is detached. */
  readonly branch?: string;
  /** The main checkout it belongs to. */
  readonly root: string;
  /** Commit it began at; absent where that is not known. */
  readonly base?: string;
  /** True when it was there before. */
  readonly reopened: boolean;
  /** Things worth telling: a file that could not be copied, a repair. */
  readonly notes: readonly string[];
}

/** What exists in a worktree and nowhere else. Paths are relative to it. */
export interface Survey {
  readonly worktree: Pick<Worktree, 'name' | 'path' | 'branch'>;
  /** Tracked files that differ from the last commit, staged or not; deletions and conflicts too. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** Ignored files that are neither in folders of dependencies or builds nor the same in the main checkout. */
  readonly ignored: readonly string[];
  /** Commits that no branch, tag or remote has but this worktree's own branch. Newest first. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  /** Entries of the shared stash that were made on this worktree's branch. */
  readonly stashes: readonly { readonly id: string; readonly subject: string }[];
  /** In the middle of a merge, rebase, cherry-pick, revert or bisect. */
  readonly operation?: string;
  /** Populated submodules that hold work of their own. */
  readonly submodules: readonly string[];
  /** Why it could not be looked at in full; counts as work. */
  readonly unclear?: string;
  /** True when removing it loses nothing. */
  readonly clean: boolean;
  /** Every file that differs from where it began, committed or not. */
  readonly touched: readonly string[];
  /** Lines added and removed since it began. */
  readonly stat: { readonly files: number; readonly added: number; readonly removed: number };
}

/** Work that was saved before a worktree was removed. */
export interface Rescue {
  readonly id: string;
  /** `refs/coppice/rescue/<id>` */
  readonly ref: string;
  /** Name of the worktree it came from. */
  readonly name: string;
  readonly branch: string | null;
  /** ISO 8601; rescues are kept 30 days. */
  readonly createdAt: string;
  /** Every file that was saved. */
  readonly files: readonly string[];
  readonly commits: number;
  readonly stashes: number;
  readonly operation: string | null;
}

export interface Restored {
  readonly path: string;
  readonly branch: string | null;
  readonly files: number;
}

/** One line of `coppice worktree list` and `/worktrees`. */
export interface WorktreeRow {
  readonly name: string;
  readonly path: string;
  readonly branch: string | null;
  /** Who works in it now (`process 12, session abc`), or null. */
  readonly owner: string | null;
  /** ISO 8601. */
  readonly createdAt: string | null;
  readonly ageMs: number | null;
  readonly bytes: number | null;
  readonly state: 'clean' | 'work' | 'missing' | 'unclear' | 'unfinished';
  /** One sentence about what it holds. */
  readonly holds: string;
}

/** A sentence that says what to do. */
export type Refused = { readonly refused: string };

export interface WorktreeWish {
  readonly name?: string;
  /** A new one begins at this pull request of origin. */
  readonly pull?: number;
  /** Who works in it, in words. */
  readonly owner: string;
}

export interface RemovalWish {
  readonly rescue: boolean;
  /** Called once it is certain that it may go, before anything is done; what it holds is looked at again after it. */
  readonly before?: () => Promise<unknown>;
}

/** The one service behind EnterWorktreeTool, `--worktree`, `isolation: worktree` and `/worktrees`. Nothing here throws. */
export interface Worktrees {
  /** Makes a worktree, or opens the one of that name. `name` absent: a readable one is chosen. */
  open(at: string, wish: WorktreeWish): Promise<Worktree | Refused>;
  /** Enters a worktree of this repository that exists somewhere. */
  enter(at: string, path: string, owner: string): Promise<Worktree | Refused>;
  survey(path: string): Promise<Survey | Refused>;
  /**
   * Removes a worktree that holds nothing, with its branch. With `rescue` what it holds is saved first.
   * `holds` answers why it was left alone.
   */
  remove(
    path: string,
    how: RemovalWish,
  ): Promise<
    | { readonly removed: true; readonly survey: Survey; readonly rescue?: Rescue }
    | Refused
    | { readonly holds: Survey }
  >;
  /** Gives up the lock that `open` and `enter` took; the worktree stays. */
  release(path: string): Promise<void>;
  list(at: string): Promise<readonly WorktreeRow[] | Refused>;
  /** Finishes what a crash left half done, and removes worktrees nobody uses that are older than `days` and hold nothing. */
  sweep(at: string, days: number): Promise<readonly string[]>;
  rescues(at: string): Promise<readonly Rescue[] | Refused>;
  /** What a rescue holds, as text. */
  showRescue(at: string, id: string): Promise<{ readonly text: string; readonly rescue: Rescue } | Refused>;
  /** Brings a rescue back as a new worktree; never over existing files. */
  restoreRescue(at: string, id: string, to?: string): Promise<Restored | Refused>;
}

/** What merging a worktree's branch would do, found out in memory. */
export interface MergePreview {
  readonly name: string;
  /** Commit that would be merged; uncommitted work is in it. */
  readonly commit: string;
  readonly files: readonly string[];
  /** Files in conflict, with what git says about each; empty when it merges cleanly. */
  readonly conflicts: readonly { readonly path: string; readonly says: string }[];
}

/** Two worktrees that changed the same or neighbouring lines of a file since they parted. */
export interface Overlap {
  readonly names: readonly [string, string];
  readonly path: string;
  /** Lines of the common ancestor. */
  readonly lines: readonly [number, number];
}

export interface QueueReport {
  readonly merged: readonly string[];
  /** The first that did not go through; nothing of it was left in the main checkout. */
  readonly stopped?: {
    readonly name: string;
    readonly why: string;
    readonly conflicts: MergePreview['conflicts'];
    readonly output?: string;
  };
}

/** Brings work back into the main checkout. Everything is checked in memory before anything changes. */
export interface MergeDesk {
  diff(at: string, name: string): Promise<{ readonly text: string } | Refused>;
  preview(at: string, name: string): Promise<MergePreview | Refused>;
  overlaps(at: string, names: readonly string[]): Promise<readonly Overlap[] | Refused>;
  /** One after the other; `check` runs after each, and a merge that fails it is taken back. */
  queue(at: string, names: readonly string[], check?: string): Promise<QueueReport | Refused>;
  /** Its own commits on top of what is checked out, without a merge commit. */
  pick(at: string, name: string): Promise<{ readonly picked: number } | Refused>;
}

/** How a session goes into a worktree and comes out of it; hooks and locks included. */
export interface WorktreeDoor {
  enter(
    state: SessionState,
    wish: { readonly name?: string; readonly pull?: number; readonly path?: string },
    ask: Ask,
  ): Promise<{ readonly worktree: Worktree; readonly ref: WorktreeRef } | Refused>;
  /** `remove` and `rescue`: what is in it is saved and it goes. Without `rescue` only one that holds nothing goes. */
  leave(
    state: SessionState,
    how: { readonly remove: boolean; readonly rescue: boolean },
  ): Promise<Left | Refused | { readonly holds: Survey }>;
  survey(state: SessionState): Promise<Survey | Refused>;
}

export interface Left {
  readonly cwd: string;
  readonly checkout: string;
  /** What was in it; absent where nobody could look. */
  readonly survey?: Survey;
  readonly rescue?: Rescue;
}

/** What a session records about the worktree it is in. */
export const refOf = (worktree: Worktree, from: SessionState, byHook: boolean): WorktreeRef => ({
  name: worktree.name,
  path: worktree.path,
  ...(worktree.branch ? { branch: worktree.branch } : {}),
  originalCwd: from.cwd,
  originalCheckout: from.checkout,
  ...(byHook ? { byHook: true } : {}),
});

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** `2 changed files, 1 commit`; empty when there is nothing. */
export const holdsText = (survey: Survey): string =>
  [
    ...(survey.operation ? [`a ${survey.operation} in progress`] : []),
    ...(survey.changed.length > 0 ? [counted(survey.changed.length, 'changed file')] : []),
    ...(survey.untracked.length > 0 ? [counted(survey.untracked.length, 'untracked file')] : []),
    ...(survey.ignored.length > 0 ? [counted(survey.ignored.length, 'ignored file')] : []),
    ...(survey.commits.length > 0 ? [counted(survey.commits.length, 'commit')] : []),
    ...(survey.stashes.length > 0 ? [counted(survey.stashes.length, 'stash', 'stashes')] : []),
    ...(survey.submodules.length > 0 ? [`work in ${counted(survey.submodules.length, 'submodule')}`] : []),
    ...(survey.unclear ? [survey.unclear] : []),
  ].join(', ');

const SHOWN = 20;

const listed = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? []
    : [
        `${title}:`,
        ...lines.slice(0, SHOWN).map((line) => `  ${line}`),
        ...(lines.length > SHOWN ? [`  ... and ${lines.length - SHOWN} more`] : []),
      ];

/** The whole list, for the model and the person. */
export const surveyText = (survey: Survey): string =>
  [
    ...(survey.operation ? [`A ${survey.operation} is in progress.`] : []),
    ...listed('Changed', survey.changed),
    ...listed('Untracked', survey.untracked),
    ...listed('Ignored, but nowhere else', survey.ignored),
    ...listed(
      'Commits that are on no other branch',
      survey.commits.map(({ id, subject }) => `${id.slice(0, 9)} ${subject}`),
    ),
    ...listed(
      'Stashes made here',
      survey.stashes.map(({ id, subject }) => `${id.slice(0, 9)} ${subject}`),
    ),
    ...listed('Submodules with work', survey.submodules),
    ...(survey.unclear ? [survey.unclear] : []),
  ].join('\n');

/** `3 files changed, 10 lines added, 2 removed`. */
export const statText = ({ files, added, removed }: Survey['stat']): string =>
  `${counted(files, 'file')} changed, ${counted(added, 'line')} added, ${removed} removed`;

/** `12 kB`, `3.4 MB`. */
export const bytesText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
