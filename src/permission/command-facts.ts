import type { Problem, ShellCommand, ShellWord } from './shell-command.ts';

/** A file that a command would read or write. */
export interface PathUse {
  readonly word: ShellWord;
  /** True when everything below it is used too. */
  readonly deep?: boolean;
  /** True when a folder is named that files land in: naming the workspace itself is then harmless. */
  readonly folder?: boolean;
}

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
  /** Shell text it runs; undefined: text that is not known before it runs. */
  readonly scripts?: readonly (string | undefined)[];
  readonly problems?: readonly Problem[];
  /** Operands of a tool that is not known: naming a denied file makes it ask. */
  readonly mentions?: readonly PathUse[];
  /** Program text for an interpreter that is not a shell. */
  readonly code?: readonly string[];
  /** The same command in the spelling that rules are written in (`git -C . push` is `git push`). */
  readonly plainWords?: readonly ShellWord[];
}

export const noFacts: CommandFacts = { hazards: [], reads: [], writes: [] };
