import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
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
/** By then a program that was started to make some has made them. */
const MADE_WITHIN_MS = 100;

export interface Pipes {
  /** Undefined where there are none to be had: then sockets must do. */
  take(): Pipe | undefined;
  /** A program that makes some, for a process that is started anyway; none where there are some. */
  maker(): readonly string[];
  close(): void;
}

/**
 * Real pipes for output. What Node makes for a child are sockets, on which `echo x > /dev/stderr` fails on Linux.
 * A nameless FIFO is kept open for reading and opened anew, twice, for each command.
 */
export const openPipes = (): Pipes => {
  const idle: number[] = [];
  let ordered: Fifos | undefined;
  /** Takes over what was made elsewhere, once all of it is there. */
  const collect = (): void => {
    if (!ordered || !existsSync(ordered.last)) return;
    const made = ordered;
    ordered = undefined;
    idle.push(...nameless(made));
  };
  const take = (): Pipe | undefined => {
    if (idle.length === 0) collect();
    if (idle.length === 0) idle.push(...madeHere());
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
    maker: () => {
      if (process.platform !== 'linux' || idle.length > 0 || ordered) return [];
      ordered = fifos();
      if (!ordered) return [];
      // Names are not left about while a person thinks about the first command.
      setTimeout(collect, MADE_WITHIN_MS).unref();
      return ordered.maker;
    },
    close: () => {
      collect();
      if (ordered) unnamed(ordered);
      for (const base of idle.splice(0)) closeSync(base);
    },
  };
};

/** Several at once: commands run side by side, and to make one takes as long as to make some. */
interface Fifos {
  readonly dir: string;
  readonly paths: readonly string[];
  readonly last: string;
  readonly maker: readonly string[];
}

/** Undefined where there is no folder to be had for them. */
const fifos = (): Fifos | undefined => {
  let dir: string;
  try {
    dir = mkdtempSync(join(tmpdir(), 'coppice-pipe-'));
  } catch {
    return undefined;
  }
  const paths = Array.from({ length: AT_ONCE }, (_, at) => join(dir, String(at)));
  return { dir, paths, last: join(dir, String(AT_ONCE - 1)), maker: ['mkfifo', ...paths] };
};

const madeHere = (): readonly number[] => {
  if (process.platform !== 'linux') return [];
  const made = fifos();
  if (!made) return [];
  const [program = '', ...args] = made.maker;
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return nameless(made);
  unnamed(made);
  return [];
};

const nameless = (made: Fifos): readonly number[] => {
  try {
    return opened(made.paths);
  } finally {
    unnamed(made);
  }
};

/** One by one: to look through a folder takes a descriptor. */
const unnamed = ({ dir, paths }: Fifos): void => {
  for (const path of paths) attempt(() => unlinkSync(path));
  attempt(() => rmdirSync(dir));
};

/** The plain calls: the thorough ones take as long for all of them as to start a program. */
const attempt = (remove: () => void): void => {
  try {
    remove();
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
