import type { Tokens } from 'marked';
import { inline } from './markdown-inline.ts';
import { as, blank, type Line, type Span } from './span.ts';
import { clipLine, lineCells, pad, splitLines, wrap } from './wrap.ts';

/** A table fitted to the width: columns shrink to their share and wrap; a table too narrow for that becomes records. */
export function table(token: Tokens.Table, width: number, links: boolean): Line[] {
  const head = token.header.map((cell) => inline(cell.tokens, { bold: true }, links));
  const rows = token.rows.map((row) => row.map((cell) => inline(cell.tokens, {}, links)));
  const columns = head.length;
  const room = width - (columns - 1) * 3;
  const needs = head.map((title, column) => columnNeed([title, ...rows.map((row) => row[column] ?? [])]));
  const words = needs.reduce((sum, need) => sum + Math.min(need.word, 16), 0);
  if (room < words && columns > 1) return records(head, rows, width);
  const widths = fitted(needs, room);
  const rule: Line = [as('border', widths.map((wide) => '─'.repeat(wide)).join('─┼─'))];
  const untitled = head.every((title) => lineCells(title) === 0);
  const out: Line[] = untitled ? [] : [...tableRow(head, widths, token.align), rule];
  const painted = rows.map((row) => tableRow(row, widths, token.align));
  painted.forEach((row, index) => {
    // Rows of several lines are set off from their neighbours; single ones, and names with values, need no line.
    if (!untitled && index > 0 && Math.max(row.length, painted[index - 1]?.length ?? 1) > 1)
      out.push([as('faint', widths.map((wide) => '╌'.repeat(wide)).join('╌┼╌'))]);
    out.push(...row);
  });
  return out;
}

/** A table with one line a row: the columns before the last take at most two fifths of the width, what is longer is cut. */
export function cutTable(token: Tokens.Table, width: number, links: boolean): Line[] {
  const rows = token.rows.map((row) => row.map((cell) => inline(cell.tokens, {}, links)));
  const before = token.header.length - 1;
  const most = Math.floor((width * 0.4) / Math.max(1, before)) - 2;
  return rows
    .map((row) => [
      ...row.slice(0, before).flatMap((cell, column): Line => {
        const wide = Math.min(most, Math.max(...rows.map((one) => lineCells(one[column] ?? blank))));
        return [...pad(clipLine(cell, wide), wide), { text: '  ' }];
      }),
      ...(row[before] ?? blank),
    ])
    .map((line) => clipLine(line, width));
}

interface Need {
  readonly whole: number;
  /** The longest word: narrower than this, words are broken. */
  readonly word: number;
}

const columnNeed = (column: readonly Line[]): Need => ({
  whole: Math.max(3, ...column.flatMap((cell) => splitLines(cell).map(lineCells))),
  word: Math.max(
    3,
    ...column.flatMap((cell) => cell.flatMap((piece) => piece.text.split(/\s+/).map((word) => word.length))),
  ),
});

/**
 * Gives every column what it needs. Where there is too little room, those that need no more than an even part keep that,
 * and the others get their longest word and a share of the rest.
 */
function fitted(needs: readonly Need[], room: number): number[] {
  const whole = needs.reduce((sum, need) => sum + need.whole, 0);
  if (whole <= room) return needs.map((need) => need.whole);
  const modest = (need: Need): boolean => need.whole <= room / needs.length;
  const [kept, wide] = [needs.filter(modest), needs.filter((need) => !modest(need))];
  const shares = shared(
    wide,
    kept.reduce((sum, need) => sum - need.whole, room),
  );
  return needs.map((need) => (modest(need) ? need.whole : (shares[wide.indexOf(need)] ?? need.whole)));
}

const shared = (needs: readonly Need[], room: number): number[] => {
  const cap = Math.max(6, Math.floor(room / needs.length));
  const least = needs.map((need) => Math.min(need.word, need.whole, Math.max(cap, 16)));
  const left = room - least.reduce((sum, part) => sum + part, 0);
  const wish = needs.map((need, index) => need.whole - (least[index] ?? 0));
  const wishes = wish.reduce((sum, part) => sum + part, 0) || 1;
  return least.map((part, index) => part + Math.floor((left * (wish[index] ?? 0)) / wishes));
};

function tableRow(row: readonly Line[], widths: readonly number[], align: Tokens.Table['align']): Line[] {
  const cells = widths.map((wide, column) => wrap(row[column] ?? blank, wide));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => {
    const line: Span[] = [];
    widths.forEach((wide, column) => {
      if (column > 0) line.push(as('border', ' │ '));
      const last = column === widths.length - 1;
      line.push(...aligned(cells[column]?.[index] ?? blank, wide, align[column] ?? null, last));
    });
    return line;
  });
}

function aligned(line: Line, wide: number, align: 'center' | 'left' | 'right' | null, last: boolean): Line {
  const missing = Math.max(0, wide - lineCells(line));
  if (align === 'right') return [{ text: ' '.repeat(missing) }, ...line];
  if (align === 'center')
    return pad([{ text: ' '.repeat(Math.floor(missing / 2)) }, ...line], last ? 0 : wide);
  return last ? line : pad(line, wide);
}

/** One block per row, `title: cell` per line: readable at any width. */
function records(head: readonly Line[], rows: readonly (readonly Line[])[], width: number): Line[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[as('faint', '╌'.repeat(Math.min(width, 12)))]] : []),
    ...head.flatMap((title, column) => wrap([...title, { text: ': ' }, ...(row[column] ?? blank)], width)),
  ]);
}
