/** An append-only file of lines with one writer or many: one write call a line, never a torn line left behind. */
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { StoreFailed } from '../contract/store.ts';
import { regularOnly } from '../lib/regular-file.ts';
import { storeFailed } from './failure.ts';

export interface LogFile {
  /** Appends whole lines. A line that the disk cuts short is taken back, so that the file stays readable. */
  append(text: string): StoreFailed | undefined;
  sync(): Promise<StoreFailed | undefined>;
  /** Somebody removed the file: what is appended reaches nobody. */
  isGone(): boolean;
  close(): void;
}

const LF = 10;

/**
 * `alone`: nobody else writes, so that the end of the file is looked at once and a cut line may be truncated away.
 * `shared`: others append too; every append begins on a fresh line if somebody's last one was torn.
 */
export const openLog = (path: string, writers: 'alone' | 'shared'): LogFile | StoreFailed => {
  let fd: number;
  try {
    fd = openSync(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o600,
    );
  } catch (error) {
    return storeFailed('open', path, error);
  }
  try {
    regularOnly(path, fstatSync(fd));
  } catch (error) {
    closeSync(fd);
    return storeFailed('open', path, error);
  }
  let torn = endsTorn(fd);
  const append = (text: string): StoreFailed | undefined => {
    try {
      if (writers === 'shared') torn = endsTorn(fd);
      const bytes = Buffer.from(torn ? `\n${text}` : text);
      const before = writers === 'alone' ? fstatSync(fd).size : 0;
      torn = true;
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      } catch (error) {
        if (writers === 'alone') ftruncateSync(fd, before);
        torn = endsTorn(fd);
        throw error;
      }
      torn = false;
      return undefined;
    } catch (error) {
      return storeFailed('save to', path, error);
    }
  };
  return {
    append,
    sync: () =>
      new Promise((resolve) =>
        fsync(fd, (error) => resolve(error ? storeFailed('flush', path, error) : undefined)),
      ),
    isGone: () => fstatSync(fd).nlink === 0,
    close: () => closeSync(fd),
  };
};

const endsTorn = (fd: number): boolean => {
  const size = fstatSync(fd).size;
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== LF;
};
