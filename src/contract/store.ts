import type { SessionId } from './ids.ts';
import type { ImageBlock } from './message.ts';
import type { Entry, Origin } from './transcript.ts';

/** The disk refused: one sentence that names path and cause. A value, so that a turn goes on when saving does not. */
export interface StoreFailed {
  readonly failed: string;
  /** The system's name of the error (`ENOSPC`, `EROFS`), or `LOST` when another process took the session over. */
  readonly code: string;
  readonly path: string;
}

/** What waits in a mailbox. A log: nothing is taken out; the place reached is an entry of the reader's transcript. */
export interface Mail {
  readonly place: number;
  readonly id: string;
  readonly text: string;
  readonly origin: Origin;
  readonly images?: readonly ImageBlock[];
  /** What a person typed, where the text holds more: attached files, the words of a skill. */
  readonly display?: string;
  /** What `@` names; absent: whatever the text does. */
  readonly mentions?: readonly string[];
  /** ISO 8601. */
  readonly at: string;
  /** Taken back before it was read. */
  readonly withdrawn?: boolean;
}

/** Append-only log per session: typed text, woken hooks, finished agents, mail. On disk before it is acted upon. */
export interface Mailbox {
  /**
   * Answers the place. When the disk refuses, mail to a box that is read in this process is kept in memory (and said
   * once); mail to any other box is not sent and this rejects with the sentence.
   */
  send(box: string, mail: Omit<Mail, 'place' | 'at' | 'withdrawn'>): Promise<number>;
  /** Mail after this place, withdrawn mail left out. */
  read(box: string, after: number): Promise<readonly Mail[]>;
  /** Marks what a person typed and nobody read yet as taken back; answers which ones it was in time for. */
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
  /** User and assistant lines; estimated for files too large to read whole. */
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
  /**
   * Resolves when the line is in the file. Lines keep their order. Rejects with a sentence that names path and cause;
   * the line is kept then and written first at the next append or sync.
   */
  append(entry: Entry, facts: { readonly cwd: string; readonly branch?: string }): Promise<void>;
  /** Flushes to the disk itself (turn ends). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type OpenRefused = { readonly refused: string; readonly pid: number; readonly since: string };

/** An agent of an earlier run of a conversation, from the ends of its file. */
export interface ChildSummary {
  readonly id: SessionId;
  /** How it was opened first. */
  readonly opened: Extract<Entry, { type: 'opened' }>;
  /** How its last run ended; absent where the program was killed before. */
  readonly ended?: Extract<Entry, { type: 'ended' }>['status'];
}

export interface TranscriptStore {
  /** Locks a session for writing; refused when a living process has it open. `parent`: a child's file lies under its root's folder. */
  open(
    session: SessionId,
    project: string,
    child?: { readonly root: SessionId; readonly name: string },
  ): Promise<TranscriptWriter | OpenRefused | StoreFailed>;
  load(path: string): Promise<Loaded>;
  /** The last entries, however long the transcript is. */
  latest(path: string): Promise<readonly Entry[]>;
  /**
   * What another process wrote after a place (0: the beginning; else as answered before). A line that is being written
   * is left for the next time; nothing is repaired.
   */
  after(path: string, place: number): Promise<{ readonly entries: readonly Entry[]; readonly place: number }>;
  locate(
    session: SessionId,
    project: string,
    child?: { readonly root: SessionId; readonly name: string },
  ): string;
  /** The agents of a conversation, in the order in which they came. */
  children(root: SessionId, project: string): Promise<readonly ChildSummary[]>;
  /** Newest first. Without a project: all of them. A damaged file never hides others. */
  list(project?: string): Promise<readonly SessionSummary[]>;
  find(idOrName: string, project?: string): Promise<SessionSummary | undefined>;
  /** Directory for a session's outputs (background results, spilled output); made 0700 on first use. */
  outputs(session: SessionId, project: string): Promise<string>;
  remove(session: SessionId, project: string): Promise<OpenRefused | StoreFailed | undefined>;
}

/** Prompts across sessions, newest first (`history.jsonl`). */
export interface PromptHistory {
  add(text: string, at: { readonly project: string; readonly session: SessionId }): Promise<void>;
  recent(want: { readonly project?: string; readonly limit: number }): Promise<readonly HistoryItem[]>;
}
export interface HistoryItem {
  readonly text: string;
  readonly project: string;
  readonly session: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What is being typed, kept at every change, so that a crash loses no letter. */
export interface Drafts {
  /** Cheap enough for every key; an empty text removes the draft. Each picture is written once. */
  save(session: SessionId, project: string, text: string, pictures?: Pictures): void;
  /** Drafts that crashed processes left in this project, newest first; taking them removes them. */
  recover(project: string): Promise<readonly Draft[]>;
}
/** By the number in their mark, `[Image #1]`. */
export type Pictures = Readonly<Record<number, ImageBlock>>;
export interface Draft {
  readonly text: string;
  readonly pictures: Pictures;
  readonly session: string;
  /** Epoch milliseconds. */
  readonly at: number;
}
