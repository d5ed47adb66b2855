import type { Problem, ShellCommand, ShellWord } from './shell-command.ts';
import { ANY } from './wildcard.ts';

/** A file that a command would read or write. */
export interface PathUse {
  readonly word: ShellWord;
  /** True when everything below it is used too. */
  readonly deep?: boolean;
  /** False when names that begin with a dot are left out of what lies below. */
  readonly hidden?: boolean;
  /** True when a folder is named that files land in: naming the workspace itself is then harmless. */
  readonly folder?: boolean;
}

/** Shell text inside a command. Unless it is sure, parts of it are only known when it runs. */
export interface ScriptText {
  readonly text: string;
  readonly sure: boolean;
}

/** Words that a shell will read again as one text. */
export const scriptText = (words: readonly (ShellWord | undefined)[]): ScriptText => ({
  text: words.map((word) => word?.pattern ?? ANY).join(' '),
  sure: words.length > 0 && words.every((word) => word?.kind === 'fixed'),
});

/** What is known of one command from its words alone. */
export interface CommandFacts {
  /** Options and operands that run, write or redirect: they ask even under `Bash(tool *)`. */
  readonly hazards: readonly string[];
  readonly reads: readonly PathUse[];
  readonly writes: readonly PathUse[];
  /** Writing is what the command is for (`cp`, `touch`): a rule for it covers targets inside the workspace. */
  readonly writer?: boolean;
  /** In the built-in read-only set, with these very arguments. */
  readonly readOnly?: boolean;
  /** Read-only git: counts only where the world says so. */
  readonly gitReadOnly?: boolean;
  /** Words that are not known before it runs cannot do harm (`echo $x`). */
  readonly tolerant?: boolean;
  /** File names from a glob cannot do harm (`ls *.ts`). */
  readonly globSafe?: boolean;
  /** Edits files in place and nothing else: acceptEdits covers it. */
  readonly editor?: boolean;
  /** transparent: as good as what it runs. guard: asks even then. */
  readonly wrapper?: 'transparent' | 'guard';
  /** Commands in its own words. */
  readonly runs?: readonly ShellCommand[];
  /** Shell text it runs. */
  readonly scripts?: readonly ScriptText[];
  readonly problems?: readonly Problem[];
  /** Shell text that it may run although it asks in any case: only deny and ask rules look at it. */
  readonly hints?: readonly string[];
  /** Operands of a tool that is not known: naming a denied file makes it ask. */
  readonly mentions?: readonly PathUse[];
  /** Program text for an interpreter that is not a shell. */
  readonly code?: readonly string[];
  /** The same command in the spelling that rules are written in (`git -C . push` is `git push`). */
  readonly plainWords?: readonly ShellWord[];
}

export const noFacts: CommandFacts = { hazards: [], reads: [], writes: [] };
