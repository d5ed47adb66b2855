import type { AgentInfo } from './agent.ts';
import type { CommandScreen, SlashCommand } from './command.ts';
import type { TypingHabits } from './keys.ts';
import type { ImageBlock } from './message.ts';
import type { Mode } from './mode.ts';
import type { Session } from './session.ts';
import type { Pictures } from './store.ts';
import type { Task } from './task.ts';
import type { TeamLook } from './team-look.ts';
import type { Entry } from './transcript.ts';

/** What a screen needs from the rest of the program; the app wires these. None of them may throw or reject. */
export interface ScreenPorts {
  /**
   * Sends what was typed; the default is `session.send`. Answers whom it went to when that was
   * one agent (`@name text`), or why it could not be said.
   */
  submit?(prompt: Typed): Promise<SaidTo | undefined>;
  readonly slash?: SlashPort;
  readonly history?: HistoryPort;
  readonly completions?: CompletionPort;
  readonly drafts?: DraftPort;
  /** Read with every key: must be cheap. */
  typing?(): TypingHabits;
  /** Opens a text in the person's editor while the terminal is theirs; answers the new text, or nothing when they left without saving. */
  editText?(text: string, extension: string): Promise<string | undefined>;
  /** Runs `! command`; command and output enter the conversation. Answers a sentence when it could not be run. */
  shell?(
    command: string,
    signal: AbortSignal,
    onOutput: (chunk: string) => void,
  ): Promise<string | undefined>;
  readonly images?: ImagePort;
  /** The whole conversation as stored, for the transcript view. */
  transcript?(): Promise<readonly Entry[]>;
  /** One agent's conversation as stored. */
  agentTranscript?(agent: string): Promise<readonly Entry[]>;
  readonly agents?: AgentPort;
  readonly tasks?: TaskPort;
  readonly team?: TeamPort;
  /** Esc twice on an empty prompt: choose a point to go back to. */
  rewind?(): void;
  /** Alt+T and Alt+P: thinking on or off, choose a model. */
  toggleThinking?(): Promise<string | undefined>;
  chooseModel?(): void;
  /** Bell or desktop notice: a question waits, a long turn ended. */
  notify?(notice: {
    readonly title: string;
    readonly message: string;
    readonly kind: 'permission_prompt' | 'idle_prompt' | 'question';
  }): void;
}

export type SaidTo = { readonly to: string } | { readonly refused: string };

/** Text from the prompt, large pastes put back in, with pictures in the order of their marks. */
export interface Typed {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

/** What the menu shows of a slash command. */
export type SlashEntry = Pick<
  SlashCommand,
  'name' | 'aliases' | 'description' | 'argumentHint' | 'instant' | 'complete'
> & { readonly source?: string };

export interface SlashPort {
  list(): readonly SlashEntry[];
  /** By name or alias, those that only say where they went included. */
  find(name: string): SlashEntry | undefined;
  /** Looks whether commands came or went since; true when they did. */
  fresh?(): Promise<boolean>;
  /** Looks now, before a name is said to be unknown. */
  look?(): Promise<void>;
  /** Runs a line such as `/compact keep the plan`; answers false when it is no command and should be sent as text. */
  run(line: string, screen: ScreenCommands): Promise<boolean>;
}

export interface HistoryPort {
  /** Newest first. */
  recent(): Promise<readonly string[]>;
  add(text: string): void;
}

export interface Completion {
  /** What stands in the prompt after `@`. */
  readonly insert: string;
  readonly label: string;
  readonly detail?: string;
}
export interface CompletionPort {
  /** Files, directories, agents and resources for what stands after `@`, best first. */
  mentions(query: string): Promise<readonly Completion[]>;
}

/** Keeps what is typed and not sent, so that a crash or a dialog loses nothing. */
export interface DraftPort {
  readonly initial?: string;
  /** What a session that died was being written; asked once, when the prompt is empty. */
  recover?(): Promise<{ readonly text: string; readonly pictures: Pictures } | undefined>;
  save(text: string, pictures: Pictures): void;
}

export interface ImagePort {
  fromClipboard(): Promise<{ readonly image: ImageBlock } | { readonly refused: string }>;
  /** A picture when the path names one; nothing otherwise. */
  fromPath(path: string): Promise<ImageBlock | undefined>;
}

export interface AgentPort {
  list(): readonly AgentInfo[];
  stop(id: string): Promise<string>;
  /** Text typed in an agent's view. */
  steer(id: string, text: string): Promise<string | undefined>;
}

/** One task of the list, by what is shown of it. */
export interface TaskRow extends Pick<Task, 'id' | 'subject' | 'status' | 'owner' | 'activeForm'> {
  /** Unfinished tasks that it waits for. */
  readonly waitsFor: readonly string[];
  /** This conversation works on it itself. */
  readonly mine: boolean;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  readonly endedAt?: number;
}
export interface TaskBoard {
  /** By number. */
  readonly tasks: readonly TaskRow[];
  /** One sentence per file that is no readable task. */
  readonly problems: readonly string[];
}
export interface TaskPort {
  /** Tells the list now and after every change, whoever makes it; answers the way to stop. */
  follow(tell: (board: TaskBoard) => void): () => void;
  /** Everything about one task, as markdown. */
  show(id: string): Promise<string>;
  /** Cancels it for the person; a sentence says what came of it. */
  cancel(id: string): Promise<{ readonly text: string; readonly failed?: boolean }>;
}

/** What a session's prompt can be coloured in. */
export const promptColours = [
  'default',
  'red',
  'orange',
  'yellow',
  'green',
  'cyan',
  'blue',
  'purple',
  'pink',
] as const;

export interface TeamPort {
  /** Tells the team of this conversation now and as it changes, undefined while there is none; answers the way to stop. */
  follow(tell: (team: TeamLook | undefined) => void): () => void;
}

/** Facts of the footer that no event carries. */
export interface ScreenFacts {
  readonly model: string;
  readonly branch?: string;
  /** Shown as a path under `~` where it is. */
  readonly directory: string;
  readonly mode: Mode;
  /** Modes that Shift+Tab goes through. */
  readonly modes: readonly Mode[];
  /** 0 to 1; absent while unknown. */
  readonly contextShare?: number;
  /** Already formatted: `$0.12`, or tokens where no price is known. */
  readonly cost?: string;
  readonly title?: string;
  /** The person's own status line, already run. */
  readonly statusLine?: string;
  /** One of `promptColours`. */
  readonly colour?: string;
  /** False where the person's own status line says it. */
  readonly vimModeShown?: boolean;
  /** Said beside the name in the welcome and the footer: practice model. */
  readonly label?: string;
}

/** What slash commands and the app may do with the screen. */
export interface ScreenCommands extends CommandScreen {
  notice(level: 'info' | 'warn' | 'error', text: string): void;
  /** A question with a few answers; nothing on Esc. */
  confirm(request: {
    readonly title: string;
    readonly body: string;
    readonly options: readonly { readonly value: string; readonly label: string }[];
  }): Promise<string | undefined>;
  /** Puts text into the prompt. */
  fill(text: string): void;
  setTheme(name: string): void;
  /** The facts changed: draw the footer again. */
  refresh(): void;
  /** Shows this session from now on (the first one, `/clear`, `/resume`); earlier messages are written out first. */
  attach(
    session: Session,
    more?: {
      readonly earlier?: readonly Entry[];
      readonly ports?: ScreenPorts;
      readonly facts?: () => ScreenFacts;
      /** Sent before what was typed while nothing was there yet. */
      readonly first?: string;
    },
  ): void;
  /** Hands the terminal to another program for the time of `work`. */
  suspend<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the screen. */
  exit(): void;
}
