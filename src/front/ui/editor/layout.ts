import { cells, characters } from '../width.ts';

/** A row of the prompt as it stands on screen. */
export interface Row {
  /** Offsets into the text; the line end itself belongs to no row. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Breaks a text into rows, at blanks where that is possible. The caret may stand after the last character of a row. */
export function layout(text: string, width: number): readonly Row[] {
  const room = Math.max(2, width);
  const rows: Row[] = [];
  let from = 0;
  for (const line of text.split('\n')) {
    rows.push(...rowsOf(line, from, room));
    from += line.length + 1;
  }
  return rows;
}

function rowsOf(line: string, offset: number, room: number): Row[] {
  if (line.length < room && cells(line) < room)
    return [{ from: offset, to: offset + line.length, text: line }];
  const rows: Row[] = [];
  let start = 0;
  let used = 0;
  let at = 0;
  let blank = -1;
  const push = (end: number) => {
    rows.push({ from: offset + start, to: offset + end, text: line.slice(start, end) });
    start = end;
    blank = -1;
  };
  for (const char of characters(line)) {
    const wide = cells(char);
    if (used + wide > room - 1 && at > start) {
      const cut = blank > start ? blank : at;
      push(cut);
      used = cells(line.slice(cut, at));
    }
    at += char.length;
    used += wide;
    if (char === ' ') blank = at;
  }
  push(line.length);
  return rows;
}

/** Row and column of a caret. At a soft break it belongs to the beginning of the next row. */
export function placeOf(
  rows: readonly Row[],
  caret: number,
): { readonly row: number; readonly column: number } {
  let row = rows.findLastIndex((one) => one.from <= caret);
  if (row < 0) row = 0;
  const one = rows[row];
  return { row, column: one ? cells(one.text.slice(0, caret - one.from)) : 0 };
}

/** The caret one row up or down, keeping its column; nothing at the edge. */
export function vertical(
  rows: readonly Row[],
  caret: number,
  step: -1 | 1,
  goal?: number,
): { readonly caret: number; readonly goal: number } | undefined {
  const here = placeOf(rows, caret);
  const target = rows[here.row + step];
  if (!target) return undefined;
  const column = goal ?? here.column;
  let at = target.from;
  let used = 0;
  for (const char of characters(target.text)) {
    const wide = cells(char);
    if (used + wide > column) break;
    used += wide;
    at += char.length;
  }
  // At the end of a softly broken row the caret would show on the next one.
  const soft = rows[here.row + step + 1]?.from === target.to;
  return { caret: soft && at === target.to && at > target.from ? at - 1 : at, goal: column };
}
