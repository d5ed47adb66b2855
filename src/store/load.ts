import type { Loaded } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { type Damage, keepDamage } from './damage.ts';
import { StoreFailure, storeFailed } from './failure.ts';
import { entryOf } from './lines.ts';
import { scanLines } from './scan.ts';

/**
 * Reads a transcript, piece by piece. Lines that are no entries are skipped, copied aside and told once.
 * Rejects with a sentence when the file cannot be read at all.
 */
export const loadTranscript = async (path: string): Promise<Loaded> => {
  const entries: Entry[] = [];
  const damages: Damage[] = [];
  try {
    for await (const line of scanLines(path)) {
      const entry = line.text === undefined ? undefined : entryOf(line.text);
      if (entry === undefined) damages.push({ start: line.start, end: line.end, tail: !line.ended });
      else if (entry !== 'skip') entries.push(entry);
    }
    return { entries, repairs: await keepDamage(path, damages) };
  } catch (error) {
    throw new StoreFailure(storeFailed('read the transcript', path, error));
  }
};
