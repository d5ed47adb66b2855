import { knownKeys } from './frontmatter-keys.ts';

/** Where the frontmatter of a text ends and its body begins. */
export interface Block {
  /** YAML between the marks; undefined when the text has no frontmatter. */
  readonly yaml?: string;
  readonly body: string;
  readonly repairs: readonly string[];
}

const mark = /^-{3,}[ \t]*(?:ya?ml|json)?[ \t]*$/i;
const end = /^(?:-{3,}|\.{3})[ \t]*$/;
const fence = /^(`{3,}|~{3,})[ \t]*(?:markdown|md|mdx|yaml|yml|text)?[ \t]*$/i;
const keyLine = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]|$)/;

const isKnown = (row: string | undefined): boolean => {
  const key = keyLine.exec(row ?? '')?.[1];
  return key !== undefined && knownKeys.has(key);
};

/** Text at the margin that belongs to the value before it: a key follows in the same paragraph. */
const runsOn = (rows: readonly string[], from: number): boolean => {
  for (let at = from; at < rows.length; at += 1) {
    const row = rows[at] ?? '';
    if (row.trim() === '' || row.startsWith('#')) return false;
    if (isKnown(row)) return true;
  }
  return false;
};

/** How many lines from `from` on read like YAML: keys, what is indented under them, list items, blank lines before a key. */
const yamlLines = (rows: readonly string[], from: number): number => {
  let at = from;
  for (let next = from; next < rows.length; next += 1) {
    const row = rows[next] ?? '';
    if (row.trim() === '') continue;
    if (row.startsWith('#')) break;
    const blankBefore = next > at;
    const belongs = /^(?:[ \t]+\S|- )/.test(row) || runsOn(rows, next);
    if (keyLine.test(row) ? blankBefore && !isKnown(row) : blankBefore || !belongs) break;
    at = next + 1;
  }
  return at - from;
};

/** The line where Markdown begins although no mark was seen: a heading after a blank line with no key behind it. */
const headingIn = (rows: readonly string[], from: number, to: number): number | undefined => {
  for (let at = from + 1; at < to; at += 1) {
    if (!/^#{1,6} \S/.test(rows[at] ?? '') || (rows[at - 1] ?? '').trim() !== '') continue;
    return rows.slice(at, to).some(isKnown) ? undefined : at;
  }
  return undefined;
};

/** A heading above the block: the mark comes next, and a key behind it. */
const markBelow = (rows: readonly string[], heading: number): number | undefined => {
  const at = rows.findIndex((row, index) => index > heading && row.trim() !== '');
  return mark.test(rows[at] ?? '') && isKnown(rows[at + 1]) ? at : undefined;
};

/** Lines before the first mark that hold nothing of the definition: blank ones, comments of a licence, a heading. */
const leading = (rows: readonly string[]): number => {
  let at = 0;
  let comment = false;
  for (; at < rows.length; at += 1) {
    const row = (rows[at] ?? '').trim();
    if (row.startsWith('<!--')) comment = true;
    else if (!comment && row !== '') return (/^#{1,6} \S/.test(row) ? markBelow(rows, at) : undefined) ?? at;
    if (comment && row.endsWith('-->')) comment = false;
  }
  return 0;
};

/** Inside a fence: its closing line falls away, right after the block or at the end of the text. */
const unfenced = (rows: readonly string[], opening: string): readonly string[] => {
  const closes = (row: string | undefined) => row?.trim() === opening;
  const first = rows.findIndex((row) => row.trim() !== '');
  if (closes(rows[first])) return rows.slice(first + 1);
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return closes(rows[last]) ? rows.slice(0, last) : rows;
};

const bodyOf = (rows: readonly string[]): string => rows.join('\n').replace(/^\n+/, '');

/** What nearly every file is: a block between two marks, and nothing in it that could be anything else. */
const plainBlock = (text: string): Block | undefined => {
  if (!text.startsWith('---\n')) return undefined;
  const close = text.indexOf('\n---\n', 3);
  const yaml = close < 4 ? '' : text.slice(4, close);
  if (yaml === '' || /\n(?:#|-{3}|\.{3})/.test(yaml)) return undefined;
  let from = close + 5;
  while (text[from] === '\n') from += 1;
  return { yaml, body: text.slice(from), repairs: [] };
};

/** Finds the block in a text whose lines end in LF. Never throws, never loses the body. */
export const findBlock = (text: string): Block => plainBlock(text) ?? searchedBlock(text);

/** A text that is indented from its first mark on, moved to the margin. */
const outdented = (text: string): string => {
  const indent = /^(?:[ \t]*\n)*([ \t]+)-{3,}[ \t]*\n\1[A-Za-z_]/.exec(text)?.[1];
  return indent === undefined
    ? text
    : text
        .split('\n')
        .map((row) => (row.startsWith(indent) ? row.slice(indent.length) : row))
        .join('\n');
};

const searchedBlock = (source: string): Block => {
  const text = outdented(source);
  const rows = text.split('\n');
  const repairs: string[] =
    text === source ? [] : ['The file is indented; it was read as if it began at the margin.'];
  const skipped = leading(rows);
  const opening = fence.exec(rows[skipped] ?? '')?.[1];
  let from = skipped;
  if (opening !== undefined) {
    const inside = rows.findIndex((row, at) => at > skipped && row.trim() !== '');
    if (!mark.test(rows[inside] ?? '') && !isKnown(rows[inside])) return { body: text, repairs };
    from = inside;
    repairs.push('The frontmatter stands inside a code fence; it was read as if the fence were not there.');
  }
  const marked = mark.test(rows[from] ?? '');
  if (!marked && opening === undefined && !isKnown(rows[from])) return { body: text, repairs };
  const first = marked ? from + 1 : from;
  const found = rows.findIndex((row, at) => at >= first && end.test(row));
  const fenceEnd =
    opening === undefined ? -1 : rows.findIndex((row, at) => at > from && row.trim() === opening);
  const closed = found >= 0 && !(fenceEnd >= 0 && fenceEnd < found) ? found : -1;
  if (!marked && closed < 0 && fenceEnd < 0) return { body: text, repairs };
  if (skipped > 0) repairs.push('Lines before the frontmatter were skipped.');
  if (!marked) repairs.push('The opening --- is missing; the keys at the top were read as frontmatter.');
  const heading = closed < 0 ? undefined : headingIn(rows, first, closed);
  if (closed >= 0 && heading === undefined) {
    const rest = rows.slice(closed + 1);
    const body = bodyOf(opening === undefined ? rest : unfenced(rest, opening));
    return { yaml: rows.slice(first, closed).join('\n'), body, repairs };
  }
  if (fenceEnd >= 0 && heading === undefined) {
    repairs.push('The closing --- is missing; the frontmatter was taken to end with the fence.');
    return { yaml: rows.slice(first, fenceEnd).join('\n'), body: bodyOf(rows.slice(fenceEnd + 1)), repairs };
  }
  const count = heading === undefined ? yamlLines(rows, first) : heading - first;
  if (count === 0) return { body: text, repairs: [] };
  repairs.push('The closing --- is missing; the frontmatter was taken to end where the text begins.');
  return {
    yaml: rows.slice(first, first + count).join('\n'),
    body: bodyOf(rows.slice(first + count)),
    repairs,
  };
};
