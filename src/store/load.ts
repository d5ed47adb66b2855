import { stat } from 'node:fs/promises';
import type { Loaded } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { type Damage, keepDamage } from './damage.ts';
import { StoreFailure, storeFailed } from './failure.ts';
import { KEPT_WHOLE, lighten, WORTH_CUTTING } from './lighten.ts';
import { entryOf } from './lines.ts';
import { scanLines } from './scan.ts';

/**
 * Reads a transcript, piece by piece. Lines that are no entries are skipped, copied aside and told once. Of a file
 * larger than `keptWhole` bytes, older messages come shortened. Rejects with a sentence when it cannot be read at all.
 */
export const loadTranscript = async (path: string, keptWhole = KEPT_WHOLE): Promise<Loaded> => {
  const entries: Entry[] = [];
  const sizes: number[] = [];
  const damages: Damage[] = [];
  let held = 0;
  let light = 0;
  try {
    for await (const line of scanLines(path)) {
      const entry = line.text === undefined ? undefined : entryOf(line.text);
      if (entry === undefined) damages.push({ start: line.start, end: line.end, tail: !line.ended });
      else if (entry !== 'skip') {
        entries.push(entry);
        sizes.push(line.end - line.start);
        held += line.end - line.start;
      }
      for (; held > keptWhole && light < entries.length - 1; light++) {
        const [old, size = 0] = [entries[light], sizes[light]];
        held -= size;
        if (old && size > WORTH_CUTTING) entries[light] = lighten(old);
      }
    }
    return { entries, repairs: [...(await keepDamage(path, damages)), ...(light > 0 ? [long(path)] : [])] };
  } catch (error) {
    throw new StoreFailure(storeFailed('read the transcript', path, error));
  }
};

/** So much of a file's end is read for its last entries. */
const LATEST = 256 * 1024;

/** The entries in the last part of a file; none where a single line is longer than that. */
export const latestEntries = async (path: string): Promise<readonly Entry[]> => {
  const { size } = await stat(path);
  const found: Entry[] = [];
  for await (const line of scanLines(path, Math.max(0, size - LATEST))) {
    const entry = line.text === undefined ? undefined : entryOf(line.text);
    if (entry !== undefined && entry !== 'skip') found.push(entry);
  }
  return found;
};

/** The whole lines after a place in bytes, and the place behind the last of them. */
export const entriesAfter = async (
  path: string,
  from: number,
): Promise<{ readonly entries: readonly Entry[]; readonly place: number }> => {
  const entries: Entry[] = [];
  let place = from;
  for await (const line of scanLines(path, from)) {
    if (!line.ended) break;
    place = line.end + 1;
    const entry = line.text === undefined ? undefined : entryOf(line.text);
    if (entry !== undefined && entry !== 'skip') entries.push(entry);
  }
  return { entries, place };
};

const long = (path: string): string =>
  `This session is very long: older messages were shortened when it was loaded. ${path} still holds them whole.`;
