import type { Line, Span, Style } from './span.ts';
import { cells, characters } from './width.ts';

/** Breaks a line of spans at words to fit a width; words that are too long are broken where they must be. */
export function wrap(line: Line, width: number, options: { readonly keepBlanks?: boolean } = {}): Line[] {
  const room = Math.max(1, width);
  if (line.every((piece) => !piece.text.includes('\n')) && lineCells(line) <= room) return [line];
  const rows: Line[] = [];
  for (const part of splitLines(line)) rows.push(...wrapOne(part, room, options.keepBlanks ?? false));
  return rows;
}

/** Wraps and puts `first` before the first row and `rest` before the others; both must be equally wide. */
export function wrapUnder(line: Line, width: number, first: Line, rest: Line): Line[] {
  return wrap(line, width - lineCells(first)).map((row, index) => [...(index === 0 ? first : rest), ...row]);
}

/** Breaks at the edge only: for code, where every blank counts. */
export function hardWrap(line: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineCells(line) <= room) return [line];
  const row = rowBuilder();
  for (const piece of line) for (const char of characters(piece.text)) row.char(char, piece.style, room);
  return row.done();
}

export const lineCells = (line: Line): number => line.reduce((sum, piece) => sum + cells(piece.text), 0);

/** Splits spans at line ends. */
export function splitLines(line: Line): Line[] {
  const rows: Span[][] = [[]];
  for (const piece of line) {
    const parts = piece.text.split('\n');
    parts.forEach((text, index) => {
      if (index > 0) rows.push([]);
      if (text !== '') rows.at(-1)?.push(piece.style ? { text, style: piece.style } : { text });
    });
  }
  return rows;
}

/** Cuts a line to a width, with `…` where something is missing. */
export function clipLine(line: Line, width: number): Line {
  if (lineCells(line) <= width) return line;
  const row = rowBuilder();
  for (const piece of line)
    for (const char of characters(piece.text)) row.char(char, piece.style, Math.max(1, width - 1));
  return [...(row.done()[0] ?? []), { text: '…', style: { role: 'dim' } }];
}

/** Fills a line with blanks up to a width. */
export function pad(line: Line, width: number, style?: Style): Line {
  const missing = width - lineCells(line);
  return missing > 0 ? [...line, { text: ' '.repeat(missing), ...(style ? { style } : {}) }] : line;
}

function wrapOne(line: Line, width: number, keepBlanks: boolean): Line[] {
  const row = rowBuilder();
  for (const word of words(line)) {
    if (word.blank) {
      // What a line begins with is its indentation; what a break leaves behind is not.
      if (keepBlanks || row.used() > 0 || row.first()) row.blanks(word.pieces, width);
      continue;
    }
    if (row.used() + word.cells > width && row.used() > 0 && (word.cells <= width || row.used() > width - 8))
      row.next();
    for (const piece of word.pieces) {
      if (row.used() + cells(piece.text) <= width) row.piece(piece);
      else for (const char of characters(piece.text)) row.char(char, piece.style, width);
    }
  }
  return row.done();
}

interface Word {
  readonly blank: boolean;
  readonly pieces: Span[];
  cells: number;
}

/** Signs that no row may begin with, in Chinese, Japanese and Korean text. */
const CLOSING = /^[、。」』】〉》〕！），．：；？］｝ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々]$/u;

/** Words may span several styles (`**a**b`), so they are lists of spans. Wide characters may break anywhere. */
function words(line: Line): Word[] {
  const found: Word[] = [];
  let open = false;
  for (const piece of line) {
    for (const text of piece.text.split(/( +|[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60])/u)) {
      if (text === '') continue;
      const isBlank = text.trim() === '' && text !== '\u3000';
      const wide = !isBlank && /^[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]$/u.test(text);
      const last = found.at(-1);
      const span: Span = piece.style ? { text, style: piece.style } : { text };
      if (last && ((open && !isBlank && !wide) || (wide && !last.blank && CLOSING.test(text)))) {
        last.pieces.push(span);
        last.cells += cells(text);
      } else found.push({ blank: isBlank, pieces: [span], cells: cells(text) });
      open = !isBlank && !wide;
    }
  }
  return found;
}

function rowBuilder() {
  const rows: Line[] = [];
  let row: { text: string; style?: Style }[] = [];
  let used = 0;
  const put = (text: string, style: Style | undefined) => {
    const last = row.at(-1);
    if (last && last.style === style) last.text += text;
    else row.push(style ? { text, style } : { text });
    used += cells(text);
  };
  const next = () => {
    rows.push(trimEnd(row));
    row = [];
    used = 0;
  };
  return {
    used: () => used,
    first: () => rows.length === 0,
    next,
    piece: (piece: Span) => put(piece.text, piece.style),
    blanks(pieces: readonly Span[], width: number) {
      for (const piece of pieces) put(piece.text.slice(0, Math.max(0, width - used)), piece.style);
    },
    char(char: string, style: Style | undefined, width: number) {
      if (used > 0 && used + cells(char) > width) next();
      put(char, style);
    },
    done() {
      rows.push(trimEnd(row));
      return rows;
    },
  };
}

/** Blanks at the end of a row only widen it; ones with a background or link stay. */
function trimEnd(row: readonly Span[]): Line {
  const kept = [...row];
  for (;;) {
    const last = kept.at(-1);
    if (!last || last.style?.back || last.style?.underline) break;
    const text = last.text.replace(/ +$/, '');
    if (text === last.text) break;
    kept.pop();
    if (text !== '') kept.push({ ...last, text });
    if (text !== '') break;
  }
  return kept;
}
