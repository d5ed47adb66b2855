import { diffArrays } from 'diff';

/** The same text as the model knows it: every line ends with `\n`. */
export const unified = (text: string): string => text.replaceAll('\r\n', '\n');

export type LineEnds = 'lf' | 'crlf' | 'mixed';

export const lineEndsOf = (text: string): LineEnds => {
  if (!text.includes('\r\n')) return 'lf';
  return /(?<!\r)\n/.test(text) ? 'mixed' : 'crlf';
};

/**
 * Gives the lines of `next` (unified) the endings of the lines of `old` (as stored) that they come from: unchanged
 * lines keep their own, a changed one gets that of the line it replaces, a new one that of the line before it, and
 * the first one, where there is nothing before it, `fallback`.
 */
export const withLineEnds = (old: string, next: string, ends: LineEnds, fallback: string): string => {
  if (ends === 'lf') return next;
  if (ends === 'crlf') return next.replaceAll('\n', '\r\n');
  const stored = linesOf(old);
  let replaced: string[] = [];
  let last = endingOf(stored[0] ?? '') || fallback;
  let at = 0;
  const result: string[] = [];
  for (const { value, added, removed } of diffArrays(stored.map(unified), linesOf(next))) {
    if (removed) {
      replaced = stored.slice(at, at + value.length);
      at += value.length;
      continue;
    }
    value.forEach((line, index) => {
      const from = added ? replaced[index] : stored[at + index];
      last = from === undefined ? last : endingOf(from) || last;
      result.push(line.endsWith('\n') ? line.slice(0, -1) + last : line);
    });
    if (!added) at += value.length;
    replaced = [];
  }
  return result.join('');
};

/** The ending of the line at an offset; of the last line, where there is none, that of the line before. */
export const endingAt = (stored: string, offset: number): string => {
  const next = stored.indexOf('\n', offset);
  const end = next === -1 ? stored.lastIndexOf('\n') : next;
  return stored[end - 1] === '\r' ? '\r\n' : '\n';
};

/** Lines with their endings; the last may have none. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

const endingOf = (line: string): string => (line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '');
