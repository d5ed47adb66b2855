/**
 * Patterns are plain strings in which three private characters are wildcards, so that text never needs escaping.
 * Text that contains them is refused before it gets here (shell-tripwire.ts, access.ts).
 */
/** Any text, also none, across every separator. */
export const ANY = '\uE000';
/** Any text inside one path segment. */
export const STAR = '\uE001';
/** One character inside a path segment. */
export const ONE = '\uE002';

const wild = /[\uE000-\uE002]/;

export const hasWildcard = (pattern: string): boolean => wild.test(pattern);

/** Above this many steps two patterns count as meeting: the careful answer. */
const stepLimit = 4_000_000;

/**
 * True when some text matches both patterns; with one side free of wildcards this is ordinary matching.
 * Linear in the product of the lengths, whatever the patterns.
 */
export const meets = (a: string, b: string): boolean => {
  if (!hasWildcard(a) && !hasWildcard(b)) return a === b;
  if (fixedEnds(a, b)) return false;
  if (a.length * b.length > stepLimit) return true;
  let row = new Uint8Array(b.length + 1);
  for (let i = a.length; i >= 0; i--) {
    const next = new Uint8Array(b.length + 1);
    for (let j = b.length; j >= 0; j--) next[j] = step(a, b, i, j, next, row) ? 1 : 0;
    row = next;
  }
  return row[0] === 1;
};

/** `here` is the row of i (filled right of j), `below` the row of i + 1. */
const step = (a: string, b: string, i: number, j: number, here: Uint8Array, below: Uint8Array): boolean => {
  const x = a[i];
  const y = b[j];
  if (x === undefined && y === undefined) return true;
  if (isRun(x) && (below[j] || (y !== undefined && takes(x, y) && here[j + 1]))) return true;
  if (isRun(y) && (here[j + 1] || (x !== undefined && takes(y, x) && below[j]))) return true;
  if (x === undefined || y === undefined || isRun(x) || isRun(y)) return false;
  const same = x === y || (x === ONE && y !== '/') || (y === ONE && x !== '/');
  return same && below[j + 1] === 1;
};

const isRun = (char: string | undefined): boolean => char === ANY || char === STAR;
const takes = (run: string | undefined, char: string): boolean => run === ANY || char !== '/';

/** A cheap no: the fixed heads or tails already differ. */
const fixedEnds = (a: string, b: string): boolean => {
  const shortest = Math.min(a.length, b.length);
  for (let i = 0; i < shortest; i++) {
    const x = a[i] ?? '';
    const y = b[i] ?? '';
    if (wild.test(x) || wild.test(y)) return false;
    if (x !== y) return true;
  }
  return false;
};

/**
 * Linear matching of a pattern whose only wildcard is ANY against plain text.
 */
export const matches = (pattern: string, text: string): boolean => {
  const pieces = pattern.split(ANY);
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  const last = pieces.at(-1) ?? '';
  return text.length - at >= last.length && text.endsWith(last);
};

/** Turns `*` into ANY; a backslash keeps the next character plain. */
export const fromStars = (text: string): string => {
  let pattern = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    const next = text[i + 1];
    if (char === '\\' && (next === '*' || next === '\\')) {
      pattern += next;
      i++;
    } else pattern += char === '*' ? ANY : char;
  }
  return pattern;
};
