import type { Session } from './session.ts';

/** What a command can show. A front without a screen gives the plain answer of each. */
export interface CommandScreen {
  /** True where a person can answer. */
  readonly interactive: boolean;
  /** Prints Markdown above the prompt; not sent to the model. */
  print(markdown: string): void;
  /** Lets the person choose; undefined when they leave. Not interactive: undefined. */
  pick<T>(question: Picking<T>): Promise<T | undefined>;
  /** One line of text; undefined when they leave. `secret` hides what is typed. */
  input(question: {
    readonly title: string;
    readonly initial?: string;
    readonly secret?: boolean;
  }): Promise<string | undefined>;
  /** Puts text into the prompt, where there is one. */
  fill?(text: string): void;
  /** Shows long text in a scrollable panel until closed. `cut`: rows of tables take one line, cut where the screen ends. */
  panel(title: string, markdown: string, rows?: 'cut'): Promise<void>;
}

export interface Picking<T> {
  readonly title: string;
  /** In place of the title, where keys change what is listed. */
  heading?(): string;
  readonly items: readonly PickItem<T>[];
  readonly initial?: number;
  /** Said below the list. */
  readonly note?: string;
  /** A list to search in by typing; in others digits choose and j and k move while nothing is typed. */
  readonly searched?: boolean;
  /** Shown beside the list for the item under the cursor. */
  preview?(value: T): Promise<string>;
  /** Extra keys by name of the key (`ctrl+r`); the list is rebuilt from the answer. `space` counts while nothing is typed. */
  readonly keys?: readonly PickKey<T>[];
}

export type PickKey<T> = { readonly key: string; readonly label: string } & (
  | {
      /** What it does with the item under the cursor; it may ask something itself. */
      act(value: T): Promise<readonly PickItem<T>[] | undefined>;
    }
  | {
      /** Another list, whatever stands under the cursor. */
      list(): Promise<readonly PickItem<T>[]>;
    }
);
export interface PickItem<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export type CommandResult =
  | { readonly kind: 'done' }
  /** Markdown for the person. `failed` makes a headless run exit 1. */
  | { readonly kind: 'text'; readonly text: string; readonly failed?: boolean }
  /** Goes to the model as a prompt; `display` is what the person sees of it. */
  | { readonly kind: 'prompt'; readonly text: string; readonly display?: string }
  | { readonly kind: 'exit'; readonly reason?: 'logout' }
  /** The screen goes on with another session. */
  | { readonly kind: 'switch'; readonly to: SessionSwitch };

export type SessionSwitch =
  | { readonly how: 'clear'; readonly name?: string }
  | { readonly how: 'resume'; readonly id: string }
  | { readonly how: 'fork'; readonly id: string; readonly name?: string };

export interface CommandPlace {
  readonly session: Session;
  readonly screen: CommandScreen;
}

/** A slash command: one file each, registered in app/. */
export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly argumentHint?: string;
  /** `builtin`, or where a skill or command file came from. */
  readonly source: string;
  /** May run while a turn runs. */
  readonly instant?: boolean;
  /** Values for the first argument, for completion. */
  complete?(): readonly string[];
  run(args: string, place: CommandPlace): Promise<CommandResult>;
}

/** All commands known now; skills and command files come and go. */
export interface CommandRegistry {
  list(): readonly SlashCommand[];
  find(name: string): SlashCommand | undefined;
}
