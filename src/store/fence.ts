/**
 * A lock around one directory whose holder can be taken over at any moment without harm. What is to be written is
 * staged inside the holder's own folder `.lock/<id>/` (the id names process, start and boot, and is random) and put in
 * place by renames out of it. Taking over moves that
 * folder away: from then on every rename of the old holder fails by itself, however late it wakes up.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StoreFailed } from '../contract/store.ts';
import type { ProcessStamp } from '../contract/team.ts';
import type { Disk } from './disk.ts';
import { errorCode, storeFailed } from './failure.ts';
import { isAlive } from './stamp.ts';

/** A holder that works takes milliseconds; one that was seen this long is stopped, or on a machine that died. */
const STALE_MS = 3_000;
const GIVE_UP_MS = 30_000;
const COMMIT = 'commit';
const REMOVED = '.removed';

export interface Fence {
  put(name: string, text: string, flush?: 'durable' | 'fast'): void;
  remove(name: string): void;
}

interface Held {
  readonly path: string;
  readonly staged: string[];
}

export interface FenceWorld {
  readonly disk: Disk;
  readonly stamp: ProcessStamp;
  /** A holder that sits still so long is taken over, milliseconds. */
  readonly staleMs?: number;
}

class Lost extends Error {}

/**
 * Runs `work` while nobody else does, in one turn of the event loop, then puts in place all that it staged: all of it
 * or, in the order staged, a beginning of it when `order` says so. `work` may run again when the lock was lost.
 * Answers a sentence when the disk refuses or the lock cannot be had.
 */
export const fenced = async <T>(
  dir: string,
  world: FenceWorld,
  work: (fence: Fence) => T,
  order: 'whole' | 'ordered' = 'whole',
): Promise<T | StoreFailed> => {
  const { disk } = world;
  try {
    for (;;) {
      const held = await take(dir, world);
      if ('failed' in held) return held;
      try {
        return section(dir, disk, held, work, order);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  } catch (error) {
    return storeFailed('change', dir, error);
  }
};

const section = <T>(
  dir: string,
  disk: Disk,
  held: Held,
  work: (fence: Fence) => T,
  order: 'whole' | 'ordered',
): T => {
  let committed = false;
  try {
    recover(dir, disk);
    const answer = work({
      put(name, text, flush = 'durable') {
        fence(() => disk.writeNew(join(held.path, name), text, flush));
        held.staged.push(name);
      },
      remove(name) {
        fence(() => disk.writeNew(join(held.path, `${name}${REMOVED}`), '', 'fast'));
        held.staged.push(`${name}${REMOVED}`);
      },
    });
    if (order === 'whole' && held.staged.length > 1) {
      fence(() => disk.writeNew(join(held.path, COMMIT), '', 'fast'));
      committed = true;
    }
    try {
      for (const name of held.staged) fence(() => place(dir, disk, held.path, name));
    } catch (error) {
      // Whoever took over has the decision in hand and completes it.
      if (!(committed && error instanceof Lost)) throw error;
    }
    return answer;
  } catch (error) {
    if (committed) setAside(dir, disk, held.path);
    throw error;
  } finally {
    release(dir, disk, held);
  }
};

/** A path of ours that is gone means that we were taken over. */
const fence = (step: () => void): void => {
  try {
    step();
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? new Lost() : error;
  }
};

const place = (dir: string, disk: Disk, from: string, name: string): void => {
  if (!name.endsWith(REMOVED)) {
    disk.rename(join(from, name), join(dir, name));
    return;
  }
  quietly(() => disk.unlink(join(dir, name.slice(0, -REMOVED.length))));
  disk.unlink(join(from, name));
};

/** Completes what a holder had decided and could not finish; throws away what was not decided. */
const recover = (dir: string, disk: Disk): void => {
  const taken = join(dir, '.taken');
  const ids = namesIn(taken);
  if (ids === undefined) return;
  for (const id of ids) {
    const path = join(taken, id);
    const staged = names(path);
    if (staged.includes(COMMIT))
      for (const name of staged) if (name !== COMMIT) quietly(() => place(dir, disk, path, name));
    clear(disk, path);
  }
  quietly(() => disk.removeDir(taken));
};

const setAside = (dir: string, disk: Disk, path: string): void => {
  quietly(() => {
    disk.makeDir(join(dir, '.taken'));
    disk.rename(path, join(dir, '.taken', path.slice(path.lastIndexOf('/') + 1)));
  });
};

const release = (dir: string, disk: Disk, held: Held): void => {
  clear(disk, held.path);
  quietly(() => disk.removeDir(join(dir, '.lock')));
};

const clear = (disk: Disk, path: string): void => {
  for (const name of names(path)) quietly(() => disk.unlink(join(path, name)));
  quietly(() => disk.removeDir(path));
};

/**
 * Puts in place what a process decided that died before it could: who reads sees all of it or nothing. True when
 * something may have changed.
 */
export const finishDead = async (dir: string, world: FenceWorld): Promise<boolean> => {
  const [holder] = names(join(dir, '.lock'));
  const owner = holder === undefined ? undefined : ownerOf(holder);
  const left = owner !== undefined && !isAlive(owner, Date.now());
  if (!left && namesIn(join(dir, '.taken')) === undefined) return false;
  await fenced(dir, world, () => ({}));
  return true;
};

/** Leftovers of processes that died before they had the lock. For those who read the directory anyway. */
export const sweep = (dir: string, disk: Disk, found: readonly string[]): void => {
  for (const own of found.filter((name) => name.startsWith('.own-'))) {
    const id = own.slice('.own-'.length);
    const owner = ownerOf(id);
    if (owner && isAlive(owner, Date.now())) continue;
    drop(disk, join(dir, own), id);
  }
};

const take = async (
  dir: string,
  { disk, stamp, staleMs = STALE_MS }: FenceWorld,
): Promise<Held | StoreFailed> => {
  const id = idOf(stamp);
  const own = join(dir, `.own-${id}`);
  const lock = join(dir, '.lock');
  disk.makeDir(join(own, id));
  const begun = performance.now();
  let seen: string | undefined;
  let since = begun;
  for (let wait = 1; ; wait = Math.min(wait * 1.5, 20)) {
    try {
      disk.rename(own, lock);
      return { path: join(lock, id), staged: [] };
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') {
        drop(disk, own, id);
        throw error;
      }
    }
    const now = performance.now();
    const holder = names(lock)[0];
    if (holder !== seen) since = now;
    seen = holder;
    const owner = holder === undefined ? undefined : ownerOf(holder);
    if (holder !== undefined && (now - since > staleMs || (owner && !isAlive(owner, Date.now())))) {
      setAside(dir, disk, join(lock, holder));
      continue;
    }
    if (now - begun > GIVE_UP_MS) {
      drop(disk, own, id);
      return {
        failed: `Could not change ${dir}: other processes keep it busy (last: ${owner?.pid ?? 'unknown'}).`,
        code: 'EBUSY',
        path: dir,
      };
    }
    await pause(wait * (0.5 + Math.random()));
  }
};

const drop = (disk: Disk, own: string, id: string): void => {
  clear(disk, join(own, id));
  quietly(() => disk.removeDir(own));
};

const idOf = (stamp: ProcessStamp): string =>
  [stamp.pid, stamp.start, stamp.boot, encodeURIComponent(stamp.host.slice(0, 60)), randomUUID()].join('~');

const ownerOf = (id: string): ProcessStamp | undefined => {
  const [pid, start, boot, host] = id.split('~');
  return start === undefined || boot === undefined || host === undefined
    ? undefined
    : { pid: Number(pid), start, boot, host: decodeURIComponent(host) };
};

const namesIn = (dir: string): readonly string[] | undefined => {
  try {
    return readdirSync(dir);
  } catch {
    return undefined;
  }
};
const names = (dir: string): readonly string[] => namesIn(dir) ?? [];

/** For steps that another process may have done already. */
const quietly = (step: () => void): void => {
  try {
    step();
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EROFS') throw error;
  }
};
