import { safeText } from '../../lib/safe-text.ts';
import { type Highlighter, languageOf } from './highlight.ts';
import { as, type Back, type Line, plain, type Role, type Span, type Style, span } from './span.ts';
import { hardWrap, lineCells, pad } from './wrap.ts';

export interface PatchRow {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  /** Line number in the new file, in the old one for removed lines. */
  readonly number: number;
  readonly text: string;
}

/** Rows of a unified patch, without its headers. */
export function patchRows(patch: string): PatchRow[] {
  const rows: PatchRow[] = [];
  let [old, now] = [0, 0];
  for (const line of safeText(patch).replace(/\t/g, '    ').replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      if (rows.length > 0) rows.push({ kind: 'gap', number: 0, text: '' });
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
    } else if (
      line.startsWith('+++') ||
      line.startsWith('---') ||
      line.startsWith('\\') ||
      (old === 0 && now === 0 && rows.length === 0 && !/^[+\- ]/.test(line))
    )
      continue;
    else if (line.startsWith('+')) rows.push({ kind: 'added', number: now++, text: line.slice(1) });
    else if (line.startsWith('-')) rows.push({ kind: 'removed', number: old++, text: line.slice(1) });
    else {
      rows.push({ kind: 'same', number: now++, text: line.slice(1) });
      old++;
    }
  }
  return rows;
}

/** A coloured diff with line numbers; changed words stand out inside changed lines. */
export function diffLines(
  rows: readonly PatchRow[],
  path: string,
  width: number,
  highlight?: Highlighter,
): Line[] {
  const digits = String(rows.reduce((most, row) => Math.max(most, row.number), 1)).length;
  const words = changedWords(rows);
  const colours = coloured(rows, languageOf(path), highlight);
  const room = width - digits - 3;
  const edge = Math.min(
    room,
    rows.reduce((most, row) => Math.max(most, lineCells([span(row.text)]) + 1), 20),
  );
  return rows.flatMap((row, index): Line[] => {
    if (row.kind === 'gap') return [[as('faint', `${' '.repeat(digits)} ⋯`)]];
    const back: Back | undefined =
      row.kind === 'added' ? 'addedLine' : row.kind === 'removed' ? 'removedLine' : undefined;
    const code = marked(colours[index] ?? [span(row.text)], words.get(index) ?? [], row.kind);
    return hardWrap(code, room).map((part, at) => {
      const number = at === 0 ? String(row.number).padStart(digits) : ' '.repeat(digits);
      const sign = row.kind === 'added' ? '+' : row.kind === 'removed' ? '-' : ' ';
      const role = row.kind === 'added' ? 'added' : row.kind === 'removed' ? 'removed' : 'lineNumber';
      const gutter: Line = [
        as(role === 'lineNumber' ? role : role, `${number} ${sign} `, back ? { back } : {}),
      ];
      return back
        ? [
            ...gutter,
            ...pad(
              part.map((piece) => ({ ...piece, style: { ...piece.style, back: piece.style?.back ?? back } })),
              edge,
              { back },
            ),
          ]
        : [...gutter, ...part];
    });
  });
}

/** Old and new text are coloured as two programs, so that removed lines do not disturb the added ones. */
function coloured(rows: readonly PatchRow[], language: string, highlight: Highlighter | undefined): Line[] {
  const out: Line[] = [];
  if (!highlight || language === '') return out;
  for (const side of ['added', 'removed'] as const) {
    const shown = rows.flatMap((row, index) =>
      row.kind === 'same' || row.kind === side ? [{ row, index }] : [],
    );
    const lines = highlight(shown.map(({ row }) => row.text).join('\n'), language);
    shown.forEach(({ row, index }, at) => {
      const line = lines?.[at];
      if (line && (row.kind === side || side === 'added') && plain(line) === row.text) out[index] = line;
    });
  }
  return out;
}

type Range = readonly [from: number, to: number];

/** Changed ranges per row, for removed lines that are followed by as many added ones. */
function changedWords(rows: readonly PatchRow[]): Map<number, readonly Range[]> {
  const found = new Map<number, readonly Range[]>();
  for (let at = 0; at < rows.length; ) {
    if (rows[at]?.kind !== 'removed') {
      at++;
      continue;
    }
    let mid = at;
    while (rows[mid]?.kind === 'removed') mid++;
    let end = mid;
    while (rows[end]?.kind === 'added') end++;
    if (mid - at === end - mid && mid - at <= 40) {
      for (let index = 0; index < mid - at; index++) {
        const pair = wordChanges(rows[at + index]?.text ?? '', rows[mid + index]?.text ?? '');
        if (!pair) continue;
        found.set(at + index, pair[0]);
        found.set(mid + index, pair[1]);
      }
    }
    at = end;
  }
  return found;
}

/** Ranges that differ between two lines, or nothing when too little is common for them to help. */
export function wordChanges(
  before: string,
  after: string,
): readonly [readonly Range[], readonly Range[]] | undefined {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length * b.length > 40_000) return undefined;
  const keep = common(a, b);
  const same = keep.reduce((sum, [i]) => sum + (a[i]?.trim().length ?? 0), 0);
  if (same * 5 < Math.max(before.trim().length, after.trim().length)) return undefined;
  return [ranges(a, new Set(keep.map(([i]) => i))), ranges(b, new Set(keep.map(([, j]) => j)))];
}

const wordsOf = (text: string): readonly string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? [];

/** Longest common run of words, as pairs of places. */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = table[i];
    if (row)
      for (let j = b.length - 1; j >= 0; j--)
        row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

function ranges(words: readonly string[], kept: ReadonlySet<number>): Range[] {
  const found: [number, number][] = [];
  let place = 0;
  words.forEach((word, index) => {
    if (!kept.has(index)) {
      const last = found.at(-1);
      if (last && last[1] === place) last[1] += word.length;
      else found.push([place, place + word.length]);
    }
    place += word.length;
  });
  return found;
}

/** Too quiet for the stronger background: what changed in them is written as plain text is. */
const QUIET: readonly (Role | undefined)[] = ['comment', 'meta'];

const strong = (style: Style | undefined, back: Back): Style => {
  const { role, ...rest } = style ?? {};
  return { ...rest, ...(role === undefined || QUIET.includes(role) ? {} : { role }), back };
};

/** Lays the stronger background under the changed ranges of a coloured line. */
function marked(line: Line, changes: readonly Range[], kind: PatchRow['kind']): Line {
  if (changes.length === 0) return line;
  const back: Back = kind === 'added' ? 'addedWord' : 'removedWord';
  let place = 0;
  return line.flatMap((piece): Span[] => {
    const start = place;
    place += piece.text.length;
    const cuts = [start, ...changes.flat().filter((cut) => cut > start && cut < place), place];
    return cuts.slice(0, -1).map((from, index) => {
      const to = cuts[index + 1] ?? place;
      const inside = changes.some(([a, b]) => from >= a && to <= b);
      return span(
        piece.text.slice(from - start, to - start),
        inside ? strong(piece.style, back) : piece.style,
      );
    });
  });
}
