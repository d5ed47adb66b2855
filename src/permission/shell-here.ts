import type { Problem, ShellCommand, ShellWord, Stdin } from './shell-command.ts';
import type { ParsedScript } from './shell-syntax.ts';

/** What the walk hands out as it goes, so that an abort loses nothing that was understood. */
export interface Walker {
  readonly home: string;
  command(command: ShellCommand): void;
  problem(what: Problem): void;
  /** Walks a script inside another: the walk itself, handed along so that its parts need not know it. */
  walk(script: ParsedScript, here: Here, walker: Walker): void;
}

/** What is known at one point of the script. Copied for subshells. */
export interface Here {
  cwds: readonly string[] | undefined;
  /** Best guesses at variables, for deny and ask only. */
  readonly guesses: Map<string, string>;
  /** Variables of the loops around, each with the word of this round. */
  readonly loops: Map<string, ShellWord>;
  /** Variables that hold nothing but digits. */
  readonly numbers: Set<string>;
  stdin: Stdin;
}

export const nothing: Stdin = { from: 'nothing' };

export const startAt = (cwds: readonly string[] | undefined, home: string): Here => ({
  cwds,
  loops: new Map(),
  guesses: new Map([['HOME', home], ...(cwds?.length === 1 && cwds[0] ? [['PWD', cwds[0]] as const] : [])]),
  numbers: new Set(),
  stdin: nothing,
});

/** What a subshell starts with. */
export const copy = (here: Here, stdin: Stdin = here.stdin): Here => ({
  cwds: here.cwds,
  guesses: new Map(here.guesses),
  loops: new Map(here.loops),
  numbers: new Set(here.numbers),
  stdin,
});
