import { after, type Buffer, before, insert, lineEnd, lineStart, moveTo, remove } from '../editor/buffer.ts';
import { firstInLine, onCharacter } from './motions.ts';
import type { Range } from './objects.ts';

/** What was deleted, changed or yanked last. */
export interface Register {
  readonly text: string;
  readonly lines: boolean;
}

export type Operator = 'd' | 'c' | 'y' | '<' | '>';

export interface Operated {
  readonly buffer: Buffer;
  readonly register?: Register;
  /** Goes on typing there. */
  readonly insert?: boolean;
}

const INDENT = '  ';

/** Whole lines that a range touches, the last line end not included. */
export const linesOf = (text: string, range: Range): Range => ({
  from: lineStart(text, range.from),
  to: lineEnd(text, Math.max(range.from, range.to)),
});

/** Replaces a range as one step of undo. */
export const replaced = (buffer: Buffer, range: Range, text: string): Buffer => {
  const cut = range.from < range.to ? remove(buffer, range.from, range.to) : moveTo(buffer, range.from);
  if (text === '') return cut;
  const put = insert({ ...cut, last: 'other' }, text);
  return { ...put, past: range.from < range.to ? put.past.slice(0, -1) : put.past, last: 'other' };
};

/** An operator on a range of characters. */
export function onRange(operator: Operator, buffer: Buffer, range: Range): Operated {
  if (operator === '<' || operator === '>') return onLines(operator, buffer, range);
  const register = { text: buffer.text.slice(range.from, range.to), lines: false };
  if (operator === 'y') return { buffer: moveTo(buffer, range.from), register };
  const cut = replaced(buffer, range, '');
  return operator === 'c'
    ? { buffer: cut, register, insert: true }
    : { buffer: moveTo(cut, onCharacter(cut.text, range.from)), register };
}

/** An operator on the whole lines that a range touches. */
export function onLines(operator: Operator, buffer: Buffer, range: Range): Operated {
  const { text } = buffer;
  const lines = linesOf(text, range);
  const body = text.slice(lines.from, lines.to);
  const register = { text: body, lines: true };
  switch (operator) {
    case 'y':
      return { buffer: moveTo(buffer, range.from), register };
    case 'c':
      return { buffer: replaced(buffer, lines, ''), register, insert: true };
    case 'd': {
      const last = lines.to >= text.length;
      const cut = replaced(
        buffer,
        {
          from: last ? Math.max(0, lines.from - 1) : lines.from,
          to: last ? lines.to : lines.to + 1,
        },
        '',
      );
      return { buffer: moveTo(cut, firstInLine(cut.text, Math.min(lines.from, cut.text.length))), register };
    }
    case '<':
    case '>': {
      const moved = body
        .split('\n')
        .map((row) =>
          operator === '<' ? row.replace(/^( {1,2}|\t)/, '') : row === '' ? row : `${INDENT}${row}`,
        )
        .join('\n');
      const next = replaced(buffer, lines, moved);
      return { buffer: moveTo(next, firstInLine(next.text, lines.from)) };
    }
  }
}

/** `p` and `P`: behind or before the caret, lines below or above it. */
export function put(buffer: Buffer, register: Register, where: 'p' | 'P', count: number): Buffer {
  const { text, caret } = buffer;
  if (register.lines) {
    const body = Array.from({ length: count }, () => register.text).join('\n');
    const at = where === 'p' ? lineEnd(text, caret) : lineStart(text, caret);
    const next = replaced(buffer, { from: at, to: at }, where === 'p' ? `\n${body}` : `${body}\n`);
    return moveTo(next, firstInLine(next.text, where === 'p' ? at + 1 : at));
  }
  const body = register.text.repeat(count);
  const at = where === 'p' && caret < lineEnd(text, caret) ? after(text, caret) : caret;
  const next = replaced(buffer, { from: at, to: at }, body);
  return moveTo(next, onCharacter(next.text, before(next.text, at + body.length)));
}

/** `J`: the next line behind this one, with one blank between. */
export function join(buffer: Buffer, count: number): Buffer {
  let now = buffer;
  for (let done = 0; done < Math.max(1, count - 1); done++) {
    const end = lineEnd(now.text, now.caret);
    if (end >= now.text.length) break;
    const blanks = /^\n[^\S\n]*/.exec(now.text.slice(end))?.[0].length ?? 1;
    const glue = end === lineStart(now.text, end) || /\s/.test(now.text[end - 1] ?? ' ') ? '' : ' ';
    now = moveTo(replaced(now, { from: end, to: end + blanks }, glue), end);
  }
  return now;
}

/** `~`: large letters small and small ones large. */
export const turned = (text: string): string =>
  [...text].map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join('');
