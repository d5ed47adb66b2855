import type { Answer, OpenAsk } from './ask.ts';
import type { SessionEvent } from './event.ts';
import type { AskId, SessionId } from './ids.ts';
import type { ImageBlock } from './message.ts';
import type { Mode } from './mode.ts';
import type { SessionState } from './state.ts';
import type { CloseReason, Effect, Entry } from './transcript.ts';

/** How a text was typed that holds more than that: the words of a command, standard input. */
export interface TypedAs {
  readonly display: string;
  /** What `@` names in what was typed. */
  readonly mentions: readonly string[];
}

/** A queued message that was taken back. */
export interface Unsent {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

/** Something that a person waits for beside the turns. */
export interface Errand {
  /** Aborted by `interrupt`, but not once it was let go. */
  readonly signal: AbortSignal;
  /** Resolves when the person lets it go on in the background. */
  readonly letGo: Promise<void>;
}

/** All that a front-end can do with a session. */
export interface Session {
  readonly id: SessionId;
  /** The present fold; a new object after every entry. */
  state(): SessionState;
  /** Resolves when the text is safely on disk (queued); it is answered in its turn. */
  send(text: string, attachments?: readonly ImageBlock[], typed?: TypedAs): Promise<void>;
  /** Takes back what is queued and not yet handed over (Up arrow). */
  unsend(): Promise<readonly Unsent[]>;
  answer(ask: AskId, answer: Answer): void;
  openAsks(): readonly OpenAsk[];
  /** Ends the running turn (keeps the partial answer, answers every open tool call) and every errand. */
  interrupt(): void;
  /** Sends the foreground call or errand that can go there to the background (Ctrl+B). */
  background(): void;
  /** Runs an errand of the person. */
  errand<T>(work: (errand: Errand) => Promise<T>): Promise<T>;
  /** True while one is waited for. */
  onErrand(): boolean;
  setMode(mode: Mode): Promise<void>;
  /** Records facts from outside the loop (slash commands: model, title, directories). */
  record(effect: Effect): Promise<void>;
  compact(focus?: string): Promise<void>;
  /** Asks the model something about the conversation that does not become part of it. Never rejects. */
  aside(question: string): Promise<{ readonly text: string } | { readonly failed: string }>;
  /** Goes back to before an entry of the transcript; what came after is dropped or summarised. A sentence when it cannot. */
  rewind(to: string, how: 'drop' | 'summarise'): Promise<string | undefined>;
  /** All that was recorded, read back. Rejects with a sentence when the transcript cannot be read. */
  entries(): Promise<readonly Entry[]>;
  /** Every event from now on, of this session and all its children. */
  events(): AsyncIterable<SessionEvent>;
  /** Same as `events`, as a callback; returns the way to stop. For screens that coalesce themselves. */
  listen(reader: (event: SessionEvent) => void): () => void;
  /** True while a turn runs. */
  busy(): boolean;
  /** Resolves when nothing runs, nothing is queued and no waking hook is pending. */
  idle(): Promise<void>;
  close(reason: CloseReason): Promise<void>;
}
