import { createHash, randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SeenFile } from '../contract/state.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';

export interface OnDisk {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Content identity: times and sizes can stay the same while a file changes. */
export const seenAs = ({ bytes, stats }: OnDisk): SeenFile => ({
  hash: createHash('sha256').update(bytes).digest('base64url'),
  mtimeMs: stats.mtimeMs,
  size: bytes.length,
});

/** Opens a regular file without following a link at its end, and makes sure it is the one that was judged. */
export const openFile = async (real: string, flags: number, mode?: number): Promise<FileHandle> => {
  const file = await open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  const opened = process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`) : real;
  if (opened === real) return file;
  await file.close();
  throw new Error(
    `${real} led to ${opened} when it was opened, and that was not what was allowed. Try again.`,
  );
};

export const readWhole = async (real: string): Promise<OnDisk> => {
  const file = await openFile(real, constants.O_RDONLY);
  try {
    return { bytes: await file.readFile(), stats: await file.stat() };
  } finally {
    await file.close();
  }
};

/** Why a file was left as it was. */
export interface NotWritten {
  readonly problem: string;
}

/**
 * Puts these bytes in the place of a file: a new file beside it, flushed, renamed over it, with the old one's mode
 * and owner. Where a rename would break something (other names of the same file, a folder that takes no new files,
 * a mounted file) the file itself is written. `before` is what it was; when it is that no more, nothing is written.
 */
export const putFile = async (
  real: string,
  bytes: Buffer,
  before: Stats | undefined,
): Promise<OnDisk | NotWritten> => {
  if (!before) await ensureFolder(dirname(real));
  if (before && before.nlink > 1) return overwrite(real, bytes, before);
  const temp = `${real}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    const stats = await writeNew(temp, bytes, before);
    if (!stats) return await overwrite(real, bytes, before);
    const now = await stat(real).catch(() => undefined);
    if (!isSame(now, before)) return changed(real);
    await rename(temp, real);
    return { bytes, stats };
  } catch (error) {
    if (!before || !isRefusal(error)) throw error;
    return await overwrite(real, bytes, before);
  } finally {
    await unlink(temp).catch(() => undefined);
  }
};

/** Undefined when the old file's owner cannot be given to a new one. */
const writeNew = async (
  temp: string,
  bytes: Buffer,
  before: Stats | undefined,
): Promise<Stats | undefined> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await openFile(temp, flags, before ? 0o600 : 0o666);
  try {
    const made = await file.stat();
    if (before && (made.uid !== before.uid || made.gid !== before.gid)) {
      const given = await file.chown(before.uid, before.gid).then(
        () => true,
        () => false,
      );
      if (!given) return undefined;
    }
    await file.writeFile(bytes);
    if (before) await file.chmod(before.mode & 0o7777);
    await file.sync();
    return await file.stat();
  } finally {
    await file.close();
  }
};

const overwrite = async (
  real: string,
  bytes: Buffer,
  before: Stats | undefined,
): Promise<OnDisk | NotWritten> => {
  const file = await openFile(real, constants.O_RDWR);
  try {
    if (!isSame(await file.stat(), before)) return changed(real);
    await file.truncate(0);
    await file.write(bytes, 0, bytes.length, 0);
    await file.sync();
    return { bytes, stats: await file.stat() };
  } finally {
    await file.close();
  }
};

const isSame = (now: Stats | undefined, before: Stats | undefined): boolean =>
  now?.ino === before?.ino &&
  now?.size === before?.size &&
  now?.mtimeMs === before?.mtimeMs &&
  now?.ctimeMs === before?.ctimeMs;

const changed = (real: string): NotWritten => ({
  problem: `${real} changed on disk while it was being written; nothing was written. Read it again, then repeat the change.`,
});

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS'].includes(String(error.code));
