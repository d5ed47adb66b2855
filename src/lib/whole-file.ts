/** Files written whole: a reader sees the old text or the new one, never a part. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface WholeFile {
  readonly mode: number;
  /** Asked right before the rename; false leaves everything as it was. */
  readonly go?: () => boolean;
  /** `fast` leaves out the flushes: for what may be lost with the power but not with the process. */
  readonly flush?: 'fast' | 'durable';
}

/** Temp file beside the target (new, never through a link), flush, rename, flush of the directory. Rejects with the system's error. */
export const writeWhole = async (
  path: string,
  text: string,
  how: WholeFile,
): Promise<'written' | 'given up'> => {
  const temp = `${path}.${randomUUID()}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const file = await open(temp, flags, how.mode);
    try {
      await file.writeFile(text);
      if (how.flush !== 'fast') await file.sync();
    } finally {
      await file.close();
    }
    if (how.go && !how.go()) {
      await unlink(temp);
      return 'given up';
    }
    await rename(temp, path);
    if (how.flush !== 'fast') await syncDir(dirname(path));
    return 'written';
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
};

/** Makes a new name survive a power cut. File systems that cannot flush directories are left alone. */
const syncDir = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EINVAL' && code !== 'EPERM') throw error;
  } finally {
    await handle.close();
  }
};
