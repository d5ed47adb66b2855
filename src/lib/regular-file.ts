/** Reads files that anybody may have put there: a pipe, a socket or a device is refused before it is opened, so that nothing waits for it. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Bytes; more than this is no configuration. */
const MOST = 64 * 1024 * 1024;

/** A pipe that took a file's place in between must not be waited for either. */
export const NO_WAIT = constants.O_RDONLY | constants.O_NONBLOCK;

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Throws `EISDIR`, `EFTYPE` (not a regular file) or `EFBIG` (over `most` bytes). */
export const regularOnly = (
  path: string,
  facts: Pick<Stats | BigIntStats, 'isFile' | 'isDirectory' | 'size'>,
  most = Number.POSITIVE_INFINITY,
): void => {
  if (facts.isDirectory()) throw coded('EISDIR', `${path} is a directory.`);
  if (!facts.isFile()) throw coded('EFTYPE', `${path} is a pipe or a device, not a file.`);
  if (facts.size > most) throw coded('EFBIG', `${path} has ${facts.size} bytes; at most ${most} are read.`);
};

/** The bytes of a regular file; rejects with the system's error, `EFTYPE` or `EFBIG`. */
export const readRegular = async (path: string, most = MOST): Promise<Buffer> => {
  regularOnly(path, await stat(path), most);
  const file = await open(path, NO_WAIT);
  try {
    regularOnly(path, await file.stat(), most);
    return await file.readFile();
  } finally {
    await file.close();
  }
};

/** The same, as text. */
export const readRegularText = async (path: string, most?: number): Promise<string> =>
  (await readRegular(path, most)).toString('utf8');

/** A regular file that is open, for whoever reads a part of it. The caller closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** `seen`: what the system said of the path just now, where somebody asked it already. */
export const openRegularSync = (path: string, most = MOST, seen: Stats = statSync(path)): OpenFile => {
  regularOnly(path, seen, most);
  const fd = openSync(path, NO_WAIT);
  try {
    const facts = fstatSync(fd);
    regularOnly(path, facts, most);
    return { fd, size: facts.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};

/** The bytes of a regular file; throws like `readRegular`. */
export const readRegularSync = (path: string, most?: number, seen?: Stats): Buffer => {
  const { fd } = openRegularSync(path, most, seen);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** The same, as text. */
export const readRegularTextSync = (path: string, most?: number): string =>
  readRegularSync(path, most).toString('utf8');
