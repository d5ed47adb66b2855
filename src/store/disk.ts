/** The calls that change the disk, one by one, so that a test can stop the process at each. */
import { closeSync, fsyncSync, openSync, renameSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { ensureFolderSync } from '../lib/ensure-folder.ts';

export interface Disk {
  /** With its parents, 0700. */
  makeDir(path: string): void;
  /** A new file, 0600; refused when there is one. `durable` flushes it. */
  writeNew(path: string, text: string, flush: 'durable' | 'fast'): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  removeDir(path: string): void;
}

export const realDisk: Disk = {
  makeDir: (path) => void ensureFolderSync(path, 0o700),
  writeNew(path, text, flush) {
    const fd = openSync(path, 'wx', 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      if (flush === 'durable') fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  rename: renameSync,
  unlink: unlinkSync,
  removeDir: rmdirSync,
};
