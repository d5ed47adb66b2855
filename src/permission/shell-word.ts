import { type Problem, type ShellWord, unknown } from './shell-command.ts';
import { childrenOf, parseShell, type SyntaxNode, type Word, type WordPart } from './shell-syntax.ts';
import { ANY, hasWildcard, ONE, STAR } from './wildcard.ts';

/** What words are resolved against. */
export interface WordContext {
  readonly home: string;
  /** Best guesses at variables: literal assignments seen so far, HOME, PWD. Never enough to allow. */
  readonly guesses: ReadonlyMap<string, string>;
  /** Variables that hold one known word here. */
  readonly loops: ReadonlyMap<string, ShellWord>;
  problem(what: Problem): void;
}

interface Piece {
  readonly text: string;
  readonly kind: ShellWord['kind'];
  /** Alternatives of a brace expansion. */
  readonly choices?: readonly string[];
}

const wordLimit = 64;

/** Resolves a word; brace expansion may make it several. */
export const resolveWord = (word: Word, context: WordContext): readonly ShellWord[] => {
  const pieces = word.parts
    ? word.parts.flatMap((part) => pieceOf(part, context, 'bare'))
    : [literal(word.value, word.text, context)];
  return withTilde(word, expand(pieces, word.text), context);
};

/** A word where no brace expansion happens (assignment values, redirection targets, heredoc lines). */
export const resolveOne = (word: Word, context: WordContext): ShellWord => {
  const words = resolveWord(word, context);
  return words.length === 1 && words[0] ? words[0] : unknown(word.text);
};

const pieceOf = (part: WordPart, context: WordContext, where: 'bare' | 'quoted'): readonly Piece[] => {
  switch (part.type) {
    case 'Literal':
      return [literal(part.value, part.text, context, where)];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ text: part.value, kind: 'fixed' }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.flatMap((inner) => pieceOf(inner, context, 'quoted'));
    case 'Glob':
      return [{ text: part.kind === 'star' ? STAR : ONE, kind: 'glob' }];
    case 'BraceExpansion':
      return [bracePiece(part.text)];
    case 'SimpleExpansion':
      return [variable(part.text.slice(1), context, where)];
    case 'ParameterExpansion':
      return [
        part.operation || part.index || part.prefix
          ? { text: ANY, kind: 'dynamic' }
          : variable(part.parameter, context, where),
      ];
    case 'CommandExpansion': {
      const text = where === 'quoted' ? printedText(part.script) : undefined;
      return [text === undefined ? { text: ANY, kind: 'dynamic' } : { text, kind: 'fixed' }];
    }
    case 'ProcessSubstitution':
      return [{ text: ANY, kind: 'pipe' }];
    case 'ExtendedGlob':
      context.problem('an extended glob');
      return [{ text: ANY, kind: 'dynamic' }];
    case 'ArithmeticExpansion':
      return [{ text: ANY, kind: 'dynamic' }];
  }
};

const literal = (
  value: string,
  raw: string,
  context: WordContext,
  where: 'bare' | 'quoted' = 'bare',
): Piece => {
  const bare = raw.replace(/\\[\s\S]/g, '');
  if (/\$[A-Za-z0-9_({[@*#?!$-]|`|[<>]\(/.test(where === 'quoted' ? bare.replace(/[<>]\(/g, '') : bare)) {
    context.problem('an expansion that the parser reports as plain text');
    return { text: ANY, kind: 'dynamic' };
  }
  if (where === 'bare' && /[*?]/.test(bare)) return { text: ANY, kind: 'dynamic' };
  if (where === 'bare' && /\{[^}]*(,|\.\.)/.test(bare)) return { text: ANY, kind: 'dynamic' };
  return hasWildcard(value) ? { text: ANY, kind: 'dynamic' } : { text: value, kind: 'fixed' };
};

const variable = (name: string, context: WordContext, where: 'bare' | 'quoted'): Piece => {
  const word = context.loops.get(name);
  // Without quotes the value is split and its wildcards expanded once more.
  const whole = where === 'quoted' || (word?.kind === 'fixed' && /^[\w./,:@%+=-]+$/.test(word.pattern));
  if (word && whole) return { text: word.pattern, kind: word.kind };
  return { text: context.guesses.get(name) ?? ANY, kind: 'dynamic' };
};

/** Joins pieces, multiplying out braces. */
const expand = (pieces: readonly Piece[], raw: string): readonly ShellWord[] => {
  const kinds = new Set(pieces.map(({ kind }) => kind));
  const onlyPipe = pieces.length === 1 && kinds.has('pipe');
  const kind = onlyPipe
    ? 'pipe'
    : kinds.has('dynamic') || kinds.has('pipe')
      ? 'dynamic'
      : kinds.has('glob')
        ? 'glob'
        : 'fixed';
  let texts: readonly string[] = [''];
  for (const { text, choices } of pieces) {
    texts = texts.flatMap((head) => (choices ?? [text]).map((tail) => head + tail));
    if (texts.length > wordLimit) return [unknown(raw)];
  }
  if (pieces.some(({ choices }) => choices !== undefined)) {
    // Braces come first in bash: what they leave may begin with a tilde, or be nothing at all.
    const unclear = texts.some((text) => text.startsWith('~') || (text === '' && /["'\\]/.test(raw)));
    if (unclear) return [unknown(raw)];
    texts = texts.filter((text) => text !== '');
  }
  return texts.map((pattern) => ({ pattern, raw, kind }));
};

/** `{a,b}` and `{1..3}` of plain text; anything richer is left unknown. */
const bracePiece = (text: string): Piece => {
  const choices =
    /^\{[\w./,:@%+=-]*\}$/.test(text) && !/\{[^}]*\{/.test(text)
      ? braceChoices(text.slice(1, -1))
      : undefined;
  return choices ? { text: '', kind: 'fixed', choices } : { text: ANY, kind: 'dynamic' };
};

const braceChoices = (inside: string): readonly string[] | undefined => {
  if (inside.includes(','))
    return inside.includes('..') && !inside.includes('/') ? undefined : inside.split(',');
  const range = /^(\d{1,4})\.\.(\d{1,4})$/.exec(inside);
  if (!range || /^0\d/.test(range[1] ?? '') || /^0\d/.test(range[2] ?? '')) return undefined;
  const [from, to] = [Number(range[1]), Number(range[2])];
  if (Math.abs(to - from) >= wordLimit) return undefined;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => String(from < to ? from + i : from - i));
};

const withTilde = (word: Word, words: readonly ShellWord[], context: WordContext): readonly ShellWord[] => {
  if (!word.text.startsWith('~')) return words;
  return words.map((resolved) => {
    if (/^~(\/|$)/.test(word.text)) return { ...resolved, pattern: context.home + resolved.pattern.slice(1) };
    return { ...resolved, pattern: ANY, kind: 'dynamic' };
  });
};

/** The text that `"$(cat <<'EOF' ... EOF)"` prints, when it is written right there. */
const printedText = (script: SyntaxNode | undefined): string | undefined => {
  if (script?.type !== 'Script' || script.commands.length !== 1) return undefined;
  const statement = script.commands[0];
  const command = statement?.command;
  if (command?.type !== 'Command' || statement?.background || command.name?.text !== 'cat') return undefined;
  const [only] = command.suffix;
  if (command.prefix.length > 0 || command.suffix.length !== 1 || only?.type !== 'HereDoc') return undefined;
  if (!only.delimiter?.quoted || !only.closing || only.descriptor || only.operator !== '<<') return undefined;
  return only.body.text.replace(/\n+$/, '');
};

/** The resolved words of a rule text, for rules written with quotes or backslashes; undefined if it is no plain command. */
export const plainWords = (text: string, home: string): string | undefined => {
  const parsed = parseShell(text);
  if (!('script' in parsed) || parsed.script.errors?.length || parsed.script.commands.length !== 1)
    return undefined;
  const command = parsed.script.commands[0]?.command;
  if (command?.type !== 'Command' || command.prefix.length > 0 || !command.name) return undefined;
  const trouble: string[] = [];
  const context: WordContext = {
    home,
    guesses: new Map(),
    loops: new Map(),
    problem: (what) => trouble.push(what),
  };
  const words = [command.name, ...command.suffix].flatMap((part) =>
    part.type === 'Word' && childrenOf(part).every((child) => child.type !== 'CommandExpansion')
      ? resolveWord(part, context)
      : [unknown('')],
  );
  const sound = trouble.length === 0 && words.every(({ kind }) => kind === 'fixed' || kind === 'glob');
  return sound ? words.map(({ pattern }) => pattern.replaceAll(STAR, ANY)).join(' ') : undefined;
};
