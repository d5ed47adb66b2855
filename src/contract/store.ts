import type { SessionId } from './ids.ts';
import type { ImageBlock } from './message.ts';
import type { Entry, Origin } from './transcript.ts';

/** What waits in a mailbox. A log: nothing is taken out; the place reached is an entry of the reader's transcript. */
export interface Mail {
  readonly place: number;
  readonly id: string;
  readonly text: string;
  readonly origin: Origin;
  readonly images?: readonly ImageBlock[];
  /** ISO 8601. */
  readonly at: string;
  /** Taken back before it was read. */
  readonly withdrawn?: boolean;
}

/** Append-only log per session: typed text, woken hooks, finished agents, mail. On disk before it is acted upon. */
export interface Mailbox {
  send(box: string, mail: Omit<Mail, 'place' | 'at' | 'withdrawn'>): Promise<number>;
  read(box: string, after: number): Promise<readonly Mail[]>;
  /** Marks not yet read mail as taken back; answers which ones it was in time for. */
  withdraw(box: string, after: number): Promise<readonly Mail[]>;
  /** Resolves when there is something after this place; rejects never, resolves on abort too. */
  wait(box: string, after: number, signal: AbortSignal): Promise<void>;
}

export interface SessionSummary {
  readonly id: SessionId;
  readonly path: string;
  readonly project: string;
  readonly cwd: string;
  readonly branch?: string;
  readonly title: string;
  readonly firstPrompt: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly messages: number;
  readonly bytes: number;
  readonly headless: boolean;
}

export interface Loaded {
  readonly entries: readonly Entry[];
  /** One sentence per damage found and repaired (with the path). */
  readonly repairs: readonly string[];
}

/** One writer per session (ruling 16). */
export interface TranscriptWriter {
  readonly path: string;
  /** Resolves when the line is in the file. Lines keep their order. Rejects with a sentence that names path and cause. */
  append(entry: Entry, facts: { readonly cwd: string; readonly branch?: string }): Promise<void>;
  /** Flushes to the disk itself (turn ends). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type OpenRefused = { readonly refused: string; readonly pid: number; readonly since: string };

export interface TranscriptStore {
  /** Locks a session for writing; refused when a living process has it open. `parent`: a child's file lies under its root's folder. */
  open(
    session: SessionId,
    project: string,
    child?: { readonly root: SessionId; readonly name: string },
  ): Promise<TranscriptWriter | OpenRefused>;
  load(path: string): Promise<Loaded>;
  locate(
    session: SessionId,
    project: string,
    child?: { readonly root: SessionId; readonly name: string },
  ): string;
  /** Newest first. Without a project: all of them. A damaged file never hides others. */
  list(project?: string): Promise<readonly SessionSummary[]>;
  find(idOrName: string, project?: string): Promise<SessionSummary | undefined>;
  /** Directory for a session's outputs (background results, spilled output); made 0700 on first use. */
  outputs(session: SessionId, project: string): Promise<string>;
  remove(session: SessionId, project: string): Promise<void>;
}
