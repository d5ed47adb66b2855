/** Reads all definitions. Synchronous reads are three times as fast as promised ones here, so it works in slices. */
import { type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { definitionOf, type Found, readCandidate } from './definition.ts';
import type { Place } from './places.ts';
import { type ReadAlready, stampOf } from './read-already.ts';
import { headBuffer } from './read-head.ts';
import { type Candidate, walk } from './walk.ts';

/** Milliseconds after which keys and frames get their turn. */
const SLICE = 8;

/** What a file said when it was last read, and how it looked then. */
interface Remembered {
  readonly stamp: string;
  readonly found: Found | undefined;
}

/** Files by kind and path. What is not there any more is forgotten with the next reading. */
export type Memory = Map<string, Remembered>;

const factsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

function* definitionsIn(
  places: readonly Place[],
  before: Memory,
  now: Memory,
  already: ReadAlready | undefined,
): Generator<Found | undefined> {
  const buffer = headBuffer();
  const read = (candidate: Candidate): Found | undefined => {
    const key = `${candidate.place.kind} ${candidate.path}`;
    const facts = candidate.left === undefined ? factsOf(candidate.real) : undefined;
    const stamp = facts ? stampOf(facts) : '';
    const known = before.get(key);
    const same = known !== undefined && stamp !== '' && known.stamp === stamp;
    const found = same
      ? known.found && { ...known.found, place: candidate.place }
      : definitionOf(
          candidate,
          (facts && already?.find(candidate.real, facts)) ?? readCandidate(candidate, buffer, facts),
        );
    now.set(key, { stamp, found });
    return found;
  };
  for (const place of places)
    for (const candidate of walk(place, already?.again)) yield candidate && read(candidate);
}

/** In the order of the places. Folders that are missing are empty; nothing throws. Files that did not change are not read again. */
export const scan = async (
  places: readonly Place[],
  memory: Memory = new Map(),
  already?: ReadAlready,
): Promise<readonly Found[]> => {
  const found: Found[] = [];
  const now: Memory = new Map();
  let began = performance.now();
  for (const one of definitionsIn(places, memory, now, already)) {
    if (one) found.push(one);
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    began = performance.now();
  }
  already?.forget();
  memory.clear();
  for (const [key, one] of now) memory.set(key, one);
  return found;
};
