import type { SessionState } from './state.ts';

/** What was at a path: the blob is in the checkpoint store. `unsaved`: too large, or neither file nor link. */
export type FileState =
  | {
      readonly kind: 'file';
      readonly blob: string;
      readonly executable: boolean;
      /** Permission bits, where they are known: git's trees hold only whether a file can be run. */
      readonly mode?: number;
    }
  | { readonly kind: 'link'; readonly blob: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unsaved'; readonly why: string };

export interface FileChange {
  /** Absolute, with all links resolved when it was recorded. */
  readonly path: string;
  readonly before: FileState;
  /** Absent while the call runs, and after a crash. */
  readonly after?: FileState;
}

/** What one call of one agent did to files. */
export interface CheckpointStep {
  readonly id: string;
  /** Epoch milliseconds, before the call ran. */
  readonly at: number;
  readonly session: string;
  /** `main`, or the agent's name or type. */
  readonly agent: string;
  /** `Edit`, `Bash`, ...; `rewind` when files were put back. */
  readonly tool: string;
  readonly subject: string;
  readonly checkout: string;
  /** In which order steps ended: several agents work at a time. */
  readonly ended: number;
  readonly changes: readonly FileChange[];
}

/** A file that going back would change. */
export interface PlannedFile {
  readonly path: string;
  readonly checkout: string;
  readonly target: FileState;
  readonly now: FileState;
  /** Somebody else changed it too: going back would lose that. */
  readonly foreign: boolean;
}

export interface RewindPlan {
  /** The checkout it is about: names are told from there. */
  readonly top: string;
  readonly files: readonly PlannedFile[];
  /** Files that cannot be put back, with the reason. */
  readonly lost: readonly { readonly path: string; readonly why: string }[];
  /** What commands may have changed and nobody recorded: a sentence each. */
  readonly gaps: readonly string[];
}

export interface Rewound {
  readonly restored: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** A call about to run. */
export interface CallAhead {
  readonly id: string;
  readonly state: SessionState;
  readonly tool: string;
  readonly subject: string;
  /** The one file it writes; absent: it may change anything below the checkout. */
  readonly file?: string;
}

/** The history of files in one session tree, independent of the person's git. Nothing here throws. */
export interface Checkpoints {
  /** A command is likely to follow: what the first record of a checkout costs is paid meanwhile. Says nothing. */
  ahead(checkout: string): void;
  /** Records what is there before a call. Answers an id, or nothing when there is nothing to record. */
  before(call: CallAhead): Promise<string | undefined>;
  /** Records what the call left. Does not keep anybody waiting: the next `before` does. */
  after(call: string): void;
  /** Resolves when what calls left so far is recorded. */
  settled(): Promise<void>;
  /** In order of time, the finished ones. */
  steps(): Promise<readonly CheckpointStep[]>;
  /** What going back to before all steps from this time on would do. */
  planSince(at: number): Promise<RewindPlan>;
  /** What taking back this one step would do. */
  planOf(step: CheckpointStep): Promise<RewindPlan>;
  /** Puts files back. Those that somebody else changed too are left alone unless `foreign` says otherwise. */
  restore(
    plan: RewindPlan,
    how: { readonly foreign: 'keep' | 'overwrite'; readonly why: string },
  ): Promise<Rewound>;
  /** A unified diff of what these steps did together, and its sums. */
  diff(steps: readonly CheckpointStep[]): Promise<DiffText>;
  /** The diff between what is now and what a plan would put there. */
  preview(plan: RewindPlan): Promise<DiffText>;
}

export interface DiffText {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
}

/** Runs git with safe settings; never rejects for an exit code. */
export type RunGit = (
  cwd: string,
  args: readonly string[],
  options?: { readonly env?: Readonly<Record<string, string>>; readonly input?: string | Buffer },
) => Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: string }>;
