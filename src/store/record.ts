/** Small files written whole: readers see the old or the new text, never a part; private to this user. */
import { lstat, stat } from 'node:fs/promises';
import type { StoreFailed } from '../contract/store.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { writeWhole } from '../lib/whole-file.ts';
import { errorCode, storeFailed } from './failure.ts';

const notOurs = (doing: string, path: string, owner: number): StoreFailed => ({
  failed: `Could not ${doing} ${path}: the directory belongs to another user (uid ${owner}), so it is not used.`,
  code: 'EOWNER',
  path,
});

/** Makes a directory 0700. Refuses one (or the target of a link) that belongs to another user (security 2.8, T12). */
export const makePrivateDir = async (dir: string): Promise<StoreFailed | undefined> => {
  try {
    await ensureFolder(dir, 0o700);
    const found = await stat(dir);
    const me = process.getuid?.();
    if (me === undefined) return undefined;
    if (found.uid !== me) return notOurs('use', dir, found.uid);
    const link = await lstat(dir);
    return link.uid === me ? undefined : notOurs('use', dir, link.uid);
  } catch (error) {
    return storeFailed('make the directory', dir, error);
  }
};

export interface WriteOptions {
  /** 0600 unless told otherwise. */
  readonly mode?: number;
  /** Asked right before the rename; false gives the write up (the lock was lost). */
  readonly stillMine?: () => boolean;
  /** `fast` leaves out the flushes: for what may be lost with the power but not with the process. */
  readonly flush?: 'fast' | 'durable';
}

/** Whole or not at all. */
export const writeRecord = async (
  path: string,
  text: string,
  options: WriteOptions = {},
): Promise<StoreFailed | undefined> => {
  try {
    const done = await writeWhole(path, text, {
      mode: options.mode ?? 0o600,
      go: options.stillMine,
      flush: options.flush,
    });
    if (done === 'written') return undefined;
    return {
      failed: `Could not write ${path}: another process took over its lock; nothing was changed.`,
      code: 'LOST',
      path,
    };
  } catch (error) {
    return storeFailed('write', path, error);
  }
};

/** The text, or undefined when there is none. */
export const readRecord = async (path: string): Promise<string | undefined | StoreFailed> => {
  try {
    return await readRegularText(path);
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : storeFailed('read', path, error);
  }
};
