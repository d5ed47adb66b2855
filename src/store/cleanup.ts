import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectsDir } from './places.ts';
import { removeSession } from './transcripts.ts';

const DAY = 86_400_000;

/**
 * Deletes sessions that nobody wrote to for so many days (`cleanupPeriodDays`), with all that belongs to them.
 * Open sessions stay. Answers how many went.
 */
export const cleanup = async (
  home: string,
  days: number,
  now: number,
): Promise<{ readonly removed: number }> => {
  let removed = 0;
  for (const project of await entriesOf(projectsDir(home))) {
    const dir = join(projectsDir(home), project);
    for (const name of await entriesOf(dir)) {
      if (!name.endsWith('.jsonl')) continue;
      const found = await stat(join(dir, name)).catch(() => undefined);
      if (found === undefined || now - found.mtimeMs < days * DAY) continue;
      if ((await removeSession(join(dir, name.replace(/\.jsonl$/, '')))) === undefined) removed++;
    }
  }
  return { removed };
};

/** Bytes under the home, for the status page. */
export const diskUse = async (home: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
};

const entriesOf = async (dir: string): Promise<readonly string[]> => await readdir(dir).catch(() => []);
