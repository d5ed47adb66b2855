import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Both ends of a pipe, as descriptors. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
  /** Gives the pipe back; only when its reader saw the end, so that nobody can write into it any more. */
  recycle(): void;
}

const AT_ONCE = 16;

export interface Pipes {
  /** Undefined where there are none to be had: then sockets must do. */
  take(): Pipe | undefined;
  close(): void;
}

/**
 * Real pipes for output. What Node makes for a child are sockets, on which `echo x > /dev/stderr` fails on Linux.
 * A nameless FIFO is kept open for reading and opened anew, twice, for each command.
 */
export const openPipes = (): Pipes => {
  const idle: number[] = [];
  const take = (): Pipe | undefined => {
    if (idle.length === 0) idle.push(...namelessFifos());
    const base = idle.pop();
    if (base === undefined) return undefined;
    const self = `/proc/self/fd/${base}`;
    let write: number | undefined;
    try {
      write = openSync(self, constants.O_WRONLY);
      const read = openSync(self, constants.O_RDONLY | constants.O_NONBLOCK);
      return { write, read, recycle: () => idle.push(base) };
    } catch (error) {
      if (write !== undefined) closeSync(write);
      idle.push(base);
      throw error;
    }
  };
  return {
    take,
    close: () => {
      for (const base of idle.splice(0)) closeSync(base);
    },
  };
};

/** Several at once: commands run side by side, and to make one takes as long as to make some. */
const namelessFifos = (): readonly number[] => {
  if (process.platform !== 'linux') return [];
  const dir = mkdtempSync(join(tmpdir(), 'coppice-pipe-'));
  const paths = Array.from({ length: AT_ONCE }, (_, at) => join(dir, String(at)));
  try {
    if (spawnSync('mkfifo', paths, { stdio: 'ignore' }).status !== 0) return [];
    return opened(paths);
  } finally {
    // One by one: to look through a folder takes a descriptor.
    for (const path of paths) removed(path);
    rmdirSync(dir);
  }
};

/** The plain call: the thorough one takes as long for all of them as to start a program. */
const removed = (path: string): void => {
  try {
    unlinkSync(path);
  } catch {
    // It was not made.
  }
};

/** As many as there are descriptors left. */
const opened = (paths: readonly string[]): readonly number[] => {
  const open: number[] = [];
  try {
    for (const path of paths) open.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  } catch (error) {
    if (open.length === 0) throw error;
  }
  return open;
};
