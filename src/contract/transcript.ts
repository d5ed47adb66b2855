import type { SessionId } from './ids.ts';
import type { AssistantMessage, Usage, UserBlock } from './message.ts';
import type { Mode } from './mode.ts';
import type { Effort, Failure } from './model.ts';
import type { AgentIdentity, SeenFile, WorktreeRef } from './state.ts';

/** Who spoke a user-role message. Only `person` fires UserPromptSubmit. */
export type Origin =
  | { readonly kind: 'person' }
  | { readonly kind: 'tools' }
  | { readonly kind: 'hook'; readonly label: string }
  | {
      readonly kind: 'agent';
      readonly name: string;
      readonly session?: SessionId;
      /** Set on a notice that background work ended: nobody's request. */
      readonly ended?: 'completed' | 'failed' | 'stopped';
    }
  | {
      readonly kind: 'mail';
      readonly from: string;
      readonly id: string;
      readonly summary?: string;
      readonly color?: string;
      /** A structured message: its type. Plain text that merely looks like one has none. */
      readonly protocol?: string;
    }
  | { readonly kind: 'command'; readonly name: string }
  /** Our own words to the model: environment facts, reminders, notices. */
  | { readonly kind: 'system'; readonly about: string };

/** A place in a mailbox: entries up to and including `place` are taken. */
export interface MailPlace {
  readonly box: string;
  readonly place: number;
}

/**
 * Durable facts. `apply(state, entry)` folds them; the store writes each as one line (conventions 11).
 * A tool's wish (`Effect`) is an entry too: there is no second vocabulary.
 */
export type EntryBody =
  | {
      readonly type: 'opened';
      readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
      readonly agent: AgentIdentity;
      readonly root: SessionId;
      readonly parent?: SessionId;
      readonly cwd: string;
      readonly project: string;
      readonly model: string;
      readonly mode: Mode;
      readonly effort?: Effort;
      readonly thinkingTokens?: number;
      readonly directories?: readonly string[];
      readonly taskList: string;
      readonly team?: string;
      /** Mailboxes whose earlier mail was for somebody else: from where to read. */
      readonly mailFrom?: Readonly<Record<string, number>>;
      readonly checkout?: string;
      readonly title?: string;
      readonly headless?: boolean;
      readonly toolUse?: string;
      readonly call?: string;
      readonly depth?: number;
      readonly label?: string;
      /** It checks something for a hook. */
      readonly verifier?: boolean;
    }
  | {
      readonly type: 'user';
      readonly content: readonly UserBlock[];
      readonly origin: Origin;
      readonly mail?: MailPlace /** Not typed by a person: hidden in pickers. */;
      readonly meta?: boolean /** Structured tool results by call id. */;
      readonly responses?: Readonly<Record<string, unknown>> /** One line a call for a person, by call id. */;
      readonly summaries?: Readonly<Record<string, string>>;
      readonly display?: string;
      /** It changes the mode: the lead approved this session's plan. */
      readonly mode?: Mode;
    }
  | {
      readonly type: 'assistant';
      readonly message: AssistantMessage;
      readonly requestId?: string /** Cut off: kept for what the person saw. */;
      readonly partial?: boolean;
    }
  /** A prompt that a hook refused: shown, never sent. */
  | { readonly type: 'refused'; readonly text: string; readonly reason: string; readonly mail?: MailPlace }
  | { readonly type: 'failed'; readonly failure: Failure }
  | {
      readonly type: 'mode';
      readonly mode: Mode;
      readonly planFile?: string;
      /** Null: the plan names no files. */
      readonly planScope?: readonly string[] | null;
      /** The id under which the plan lies with the lead. */
      readonly planRequest?: string;
    }
  | {
      readonly type: 'model';
      readonly model?: string;
      readonly effort?: Effort;
      readonly thinkingTokens?: number;
    }
  | { readonly type: 'cwd'; readonly cwd: string }
  | { readonly type: 'directories'; readonly directories: readonly string[] }
  | {
      readonly type: 'team';
      readonly team: string | null;
      readonly taskList: string;
      /** What was said in its boxes up to here was for another lead. */
      readonly mailFrom?: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'worktree';
      readonly worktree: WorktreeRef | null;
      readonly cwd: string;
      readonly checkout: string;
    }
  | { readonly type: 'seen'; readonly path: string; readonly file: SeenFile }
  | { readonly type: 'title'; readonly title: string; readonly byPerson: boolean }
  /** Rules for this session only: allow rules, added, unless it says otherwise. */
  | {
      readonly type: 'grant';
      readonly rules: readonly string[];
      readonly behavior?: 'allow' | 'deny' | 'ask';
      readonly how?: 'add' | 'replace' | 'remove';
    }
  /**
   * A skill came into force: what it allows and changes holds until the person's next message, its hooks to the end of
   * the session, and its text comes back after a compaction.
   */
  | {
      readonly type: 'skill';
      readonly name: string;
      readonly path: string;
      /** What entered the conversation. */
      readonly text: string;
      readonly allow: readonly string[];
      readonly deny?: readonly string[];
      /** Model id as sent. */
      readonly model?: string;
      readonly effort?: Effort;
      /** Recorded before the person's message that it belongs to (slash commands). */
      readonly ahead?: boolean;
    }
  | { readonly type: 'once'; readonly key: string }
  | {
      readonly type: 'compacted';
      readonly trigger: 'manual' | 'auto';
      readonly preTokens: number;
      readonly summary: string /** What the conversation now begins with. */;
      readonly messages: readonly UserBlock[];
      readonly how: 'model' | 'shortened';
      /** What the summary cost, and which model wrote it. */
      readonly usage?: Usage;
      readonly model?: string;
    }
  /** Used up beside its own replies: by a question on its behalf or, in the root's transcript, by an agent under it. */
  | {
      readonly type: 'spent';
      /** What asked: a tool, a hook, the name of an agent. */
      readonly about: string;
      readonly model: string;
      readonly usage: Usage;
      readonly child?: SessionId;
      /** Key of the team that pays for the agent. */
      readonly team?: string;
      /** Where its own process told of it. */
      readonly mail?: MailPlace;
    }
  /** Conversation goes back to just before this entry (`/rewind`). */
  /** `words`: the beginning of the prompt that it went back to before. */
  | { readonly type: 'rewound'; readonly to: string | null; readonly words?: string }
  | { readonly type: 'hook'; readonly run: HookRunRecord }
  | { readonly type: 'checkpoint'; readonly id: string; readonly call: string; readonly prompt?: string }
  /** Things that run on: background commands and agents. Re-told after compaction and resume. */
  | {
      readonly type: 'background';
      readonly id: string;
      readonly kind: 'command' | 'agent';
      readonly label: string;
      readonly status: 'running' | 'completed' | 'failed' | 'stopped' | 'lost';
      readonly output: string;
      readonly call?: string;
      readonly name?: string;
      readonly child?: SessionId;
      /** Which run of an agent: its notice is known by it. */
      readonly run?: string;
    }
  /** A run of an agent is over and its result is in the output file; whether its parent was told stands there. */
  | { readonly type: 'ended'; readonly run: string; readonly status: 'done' | 'failed' | 'stopped' }
  /** Lines that are shown and kept but never sent: slash command output, notices worth keeping. */
  | { readonly type: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly type: 'closed'; readonly reason: CloseReason };

export type CloseReason = 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';

/** One run of one hook, as recorded. */
export interface HookRunRecord {
  readonly id: string;
  readonly event: string;
  readonly type: 'command' | 'prompt' | 'agent' | 'http';
  readonly label: string;
  readonly source: string;
  readonly input: unknown;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly outcome: 'success' | 'blocked' | 'error' | 'timeout' | 'cancelled';
  readonly effect?: string;
  /** Which handler it was: finds it again in the configuration (`hooks replay --run`). */
  readonly key?: string;
}

/** An entry as it stands in a transcript. `uuid`s form the tree that resume follows. */
export type Entry = EntryBody & {
  readonly uuid: string;
  readonly parentUuid: string | null /** ISO 8601. */;
  readonly timestamp: string;
};

/** What a tool may ask the session to record. Applied before the next call is cleared. */
export type Effect = Extract<
  EntryBody,
  {
    type:
      | 'mode'
      | 'cwd'
      | 'directories'
      | 'team'
      | 'worktree'
      | 'seen'
      | 'user'
      | 'background'
      | 'model'
      | 'title'
      | 'grant'
      | 'skill'
      | 'checkpoint'
      | 'note';
  }
>;
