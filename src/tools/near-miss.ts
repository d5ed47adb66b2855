import { lineAt, placesOf } from './replace-text.ts';

const SHOWN_LINES = 12;
const LIKE_ENOUGH = 0.5;
const MOST_LINES = 50_000;

/** Why a text is not in a file although the model thought so: where it nearly is, and what differs. */
export const nearMiss = (text: string, wanted: string): string => {
  if (text.trim() === '') return 'The file is empty.';
  const lines = text.split('\n').slice(0, MOST_LINES);
  const sought = wanted.replace(/^\n+|\n+$/g, '').split('\n');
  if (sought.every((line) => line === '' || /^\s*\d+(?:\t|→)/.test(line)))
    return 'It begins with line numbers. Leave out the number and the tab that Read puts before each line.';
  for (const { says, same } of LOOSER) {
    const at = blockAt(lines, sought, same);
    if (at !== -1)
      return `${says} The file has at ${span(at, sought.length)}:\n${excerpt(lines, at, sought.length)}`;
  }
  const escaped = wanted.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  const place = escaped === wanted ? undefined : placesOf(text, escaped)[0];
  if (place !== undefined)
    return `It is there at line ${lineAt(text, place)} with real line ends, tabs and quotes where you sent backslashes.`;
  const at = mostLike(lines, sought);
  if (at === -1) return 'Nothing in the file is like it. Read the file again, or search for it with Grep.';
  return `The most similar part is at ${span(at, sought.length)}:\n${excerpt(lines, at, sought.length)}`;
};

const straight = (line: string): string =>
  line
    .replace(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f]/g, ' ');

/** From strict to loose: the first way in which the lines are the same is the difference. */
const LOOSER: readonly { readonly says: string; same(line: string): string }[] = [
  { says: 'Only blanks at line ends differ.', same: (line) => line.trimEnd() },
  {
    says: 'Only the indentation differs: one has tabs where the other has blanks, or another depth.',
    same: (line) => line.trim(),
  },
  { says: 'Only blanks differ.', same: (line) => line.replace(/\s+/g, '') },
  { says: 'Only quotes, dashes or special blanks differ.', same: straight },
  { says: 'Quotes, dashes and blanks differ.', same: (line) => straight(line).replace(/\s+/g, '') },
  {
    says: 'Only upper and lower case and blanks differ.',
    same: (line) => line.toLowerCase().replace(/\s+/g, ''),
  },
];

const blockAt = (
  lines: readonly string[],
  sought: readonly string[],
  same: (line: string) => string,
): number => {
  const wanted = sought.map(same);
  if (wanted.every((line) => line === '')) return -1;
  const here = lines.map(same);
  if (wanted.length === 1)
    return here.findIndex(
      (line) => line === wanted[0] || ((wanted[0] ?? '').length > 3 && line.includes(wanted[0] ?? '')),
    );
  return here.findIndex((_, at) => wanted.every((line, index) => line === here[at + index]));
};

/** Where the longest of the sought lines has its closest relative. */
const mostLike = (lines: readonly string[], sought: readonly string[]): number => {
  const longest = sought.reduce(
    (best, line, index) => (line.trim().length > (sought[best] ?? '').trim().length ? index : best),
    0,
  );
  const wanted = pairs((sought[longest] ?? '').trim());
  let best = LIKE_ENOUGH;
  let found = -1;
  lines.forEach((line, at) => {
    const likeness = overlap(wanted, pairs(line.trim()));
    if (likeness <= best) return;
    best = likeness;
    found = Math.max(0, at - longest);
  });
  return found;
};

const pairs = (text: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
};

/** Share of letter pairs that two lines have in common, 0 to 1. */
const overlap = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number => {
  let common = 0;
  for (const [pair, count] of one) common += Math.min(count, other.get(pair) ?? 0);
  const size = (counts: ReadonlyMap<string, number>) =>
    counts.values().reduce((sum, count) => sum + count, 0);
  return (2 * common) / Math.max(1, size(one) + size(other));
};

const span = (at: number, count: number): string =>
  count === 1 ? `line ${at + 1}` : `lines ${at + 1} to ${at + count}`;

const excerpt = (lines: readonly string[], at: number, count: number): string =>
  lines.slice(at, at + Math.min(count, SHOWN_LINES)).join('\n');
