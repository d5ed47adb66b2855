/**
 * Folders with all that is missing above them, one by one: Node's own recursion never ends where a file system
 * answers ENOENT to a new folder (`/proc`). Others may make the same folders meanwhile. Errors are the system's.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export const ensureFolder = async (dir: string, mode = 0o777): Promise<void> => {
  for (const path of await missing(dir))
    await mkdir(path, { mode }).catch(async (error: unknown) => {
      if (!(isThere(error) && (await isFolder(path)))) throw error;
    });
};

export const ensureFolderSync = (dir: string, mode = 0o777): void => {
  for (const path of missingSync(dir)) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      if (!(isThere(error) && statSync(path, { throwIfNoEntry: false })?.isDirectory())) throw error;
    }
  }
};

/** Outermost first; the folder itself is always tried, so that what is in its way is named. */
const missing = async (dir: string): Promise<readonly string[]> => {
  const above = dirname(dir);
  const gone = await stat(above).then(() => false, isMissing);
  return gone && above !== dir ? [...(await missing(above)), dir] : [dir];
};

const missingSync = (dir: string): readonly string[] => {
  const above = dirname(dir);
  const gone = statSync(above, { throwIfNoEntry: false }) === undefined;
  return gone && above !== dir ? [...missingSync(above), dir] : [dir];
};

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const codeOf = (error: unknown): unknown => error instanceof Error && 'code' in error && error.code;
const isThere = (error: unknown): boolean => codeOf(error) === 'EEXIST';
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
