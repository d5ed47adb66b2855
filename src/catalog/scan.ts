/** Reads all definitions. Synchronous reads are three times as fast as promised ones here, so it works in slices. */
import { setImmediate } from 'node:timers/promises';
import { definitionOf, type Found } from './definition.ts';
import type { Place } from './places.ts';
import { headBuffer } from './read-head.ts';
import { walk } from './walk.ts';

/** Milliseconds after which keys and frames get their turn. */
const SLICE = 8;

function* definitionsIn(places: readonly Place[]): Generator<Found | undefined> {
  const buffer = headBuffer();
  for (const place of places)
    for (const candidate of walk(place)) yield candidate && definitionOf(candidate, buffer);
}

/** In the order of the places. Folders that are missing are empty; nothing throws. */
export const scan = async (places: readonly Place[]): Promise<readonly Found[]> => {
  const found: Found[] = [];
  let began = performance.now();
  for (const one of definitionsIn(places)) {
    if (one) found.push(one);
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    began = performance.now();
  }
  return found;
};
