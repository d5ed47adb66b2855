/** Small files written whole: readers see the old or the new text, never a part; private to this user. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreFailed } from '../contract/store.ts';
import { errorCode, storeFailed } from './failure.ts';

const notOurs = (doing: string, path: string, owner: number): StoreFailed => ({
  failed: `Could not ${doing} ${path}: the directory belongs to another user (uid ${owner}), so it is not used.`,
  code: 'EOWNER',
  path,
});

/** Makes a directory 0700. Refuses one (or the target of a link) that belongs to another user (security 2.8, T12). */
export const makePrivateDir = async (dir: string): Promise<StoreFailed | undefined> => {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
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

/** Temp file beside the target (`wx`, not through links), flush, rename, flush of the directory. */
export const writeRecord = async (
  path: string,
  text: string,
  options: WriteOptions = {},
): Promise<StoreFailed | undefined> => {
  const temp = `${path}.${randomUUID()}.tmp`;
  const durable = options.flush !== 'fast';
  try {
    const file = await open(
      temp,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      options.mode ?? 0o600,
    );
    try {
      await file.writeFile(text);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    if (options.stillMine && !options.stillMine()) {
      await unlink(temp);
      return {
        failed: `Could not write ${path}: another process took over its lock; nothing was changed.`,
        code: 'LOST',
        path,
      };
    }
    await rename(temp, path);
    if (durable) await syncDir(dirname(path));
    return undefined;
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    return storeFailed('write', path, error);
  }
};

/** Makes a rename or a new name survive a power cut. File systems that cannot flush directories are left alone. */
export const syncDir = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'EPERM') throw error;
  } finally {
    await handle.close();
  }
};

/** The text, or undefined when there is none. */
export const readRecord = async (path: string): Promise<string | undefined | StoreFailed> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : storeFailed('read', path, error);
  }
};
