/** Tells of files that come, change and go. Owner: watch/. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly event: 'change' | 'add' | 'unlink';
}

export interface Watcher {
  /** Replaces the whole list of files and directories that are watched. */
  watch(paths: readonly string[]): void;
  close(): Promise<void>;
}
