import stringWidth from 'string-width';

const simple = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns a text takes in a terminal. */
export const cells = (text: string): number => (simple.test(text) ? text.length : stringWidth(text));

/** The user-perceived characters of a text. */
export const characters = (text: string): readonly string[] =>
  simple.test(text) ? text.split('') : Array.from(graphemes.segment(text), (piece) => piece.segment);

/** Cuts a text to a number of columns, ending in `…` when something is missing. */
export function clip(text: string, columns: number): string {
  if (cells(text) <= columns) return text;
  return `${prefix(text, columns - 1)}…`;
}

/** Keeps the end of a text: for paths, whose last part tells most. */
export function clipStart(text: string, columns: number): string {
  if (cells(text) <= columns) return text;
  let kept = '';
  let used = 1;
  for (const char of [...characters(text)].reverse()) {
    used += cells(char);
    if (used > columns) break;
    kept = char + kept;
  }
  return `…${kept}`;
}

/** The longest beginning that fits into a number of columns. */
function prefix(text: string, columns: number): string {
  if (simple.test(text)) return text.slice(0, Math.max(0, columns));
  let used = 0;
  let kept = '';
  for (const char of characters(text)) {
    used += cells(char);
    if (used > columns) break;
    kept += char;
  }
  return kept;
}
