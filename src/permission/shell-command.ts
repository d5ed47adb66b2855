import { ANY } from './wildcard.ts';

/** One word of a command after quote removal, brace and tilde expansion. */
export interface ShellWord {
  /** The word, with ANY, STAR or ONE where text is not known before it runs. */
  readonly pattern: string;
  /** As written. */
  readonly raw: string;
  /**
   * fixed: exactly `pattern`. glob: file names below the workspace decide. dynamic: a variable or a substitution
   * decides; `pattern` may then still be a good guess (`$HOME/x`). pipe: a `<(...)`, a name of no file.
   */
  readonly kind: 'fixed' | 'glob' | 'dynamic' | 'pipe';
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
  /** False for arrays, subscripts and `+=`. */
  readonly plain: boolean;
}

export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** What a command reads on standard input, when that is text written in the script. */
export type Stdin =
  | { readonly from: 'nothing' }
  | { readonly from: 'pipe' }
  | { readonly from: 'file' }
  | { readonly from: 'text'; readonly text: string | undefined };

/** A simple command as it would run. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assigns: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** Every directory it may run in; undefined: it cannot be known. */
  readonly cwds: readonly string[] | undefined;
  readonly stdin: Stdin;
}

/** A construct that makes a script unanalysable, in words a person can act upon. */
export type Problem = string;

export const fixed = (text: string): ShellWord => ({ pattern: text, raw: text, kind: 'fixed' });
export const unknown = (raw: string): ShellWord => ({ pattern: ANY, raw, kind: 'dynamic' });

export const isFixed = (word: ShellWord): boolean => word.kind === 'fixed';

export const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Words joined by one blank: what rules are matched against. */
export const textOf = (words: readonly ShellWord[]): string => words.map(({ pattern }) => pattern).join(' ');

/** The same for a person: unknown parts as written. */
export const shownText = (words: readonly ShellWord[]): string =>
  words.map(({ kind, pattern, raw }) => (kind === 'fixed' ? pattern : raw)).join(' ');
