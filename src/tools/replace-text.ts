import { endingAt, lineEndsOf, unified, withLineEnds } from './line-ends.ts';

export interface Replaced {
  /** The new text, with line endings as they were. */
  readonly text: string;
  readonly count: number;
  /** First line of each place, from 1. */
  readonly lines: readonly number[];
}

/** Places where a text stands, as offsets into the unified text. */
export const placesOf = (text: string, wanted: string): readonly number[] => {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
};

export const lineAt = (text: string, offset: number): number => {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
};

/**
 * Replaces at every given place. Model and file may differ in line endings: they are compared unified, and what is
 * not replaced keeps its bytes.
 */
export const replaceAt = (
  stored: string,
  places: readonly number[],
  wanted: string,
  put: string,
): Replaced => {
  const ends = lineEndsOf(stored);
  const plain = unified(stored);
  const offset = storedOffsets(stored);
  let text = '';
  let from = 0;
  for (const place of places) {
    const start = offset(place);
    const end = offset(place + wanted.length);
    text +=
      stored.slice(from, start) + withLineEnds(stored.slice(start, end), put, ends, endingAt(stored, start));
    from = end;
  }
  return {
    text: text + stored.slice(from),
    count: places.length,
    lines: places.map((place) => lineAt(plain, place)),
  };
};

/** From offsets into the unified text to offsets into the stored one; asked in growing order. */
const storedOffsets = (stored: string): ((place: number) => number) => {
  let removed = 0;
  let next = stored.indexOf('\r\n');
  return (place) => {
    // A place on the line end itself lies before the `\r`.
    while (next !== -1 && next - removed < place) {
      removed++;
      next = stored.indexOf('\r\n', next + 2);
    }
    return place + removed;
  };
};
