/**
 * Locks between processes: a file that names its owner. A dead owner has one heir, named in a file that only one
 * process can make (`<lock>.<id of the dead>.next`): the heir alone puts its own lock in the place of the dead one's.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { OpenRefused, StoreFailed } from '../contract/store.ts';
import { readRegularTextSync } from '../lib/regular-file.ts';
import { errorCode, storeFailed } from './failure.ts';
import { bootId, processStart } from './process-start.ts';

const ownerSchema = z.object({
  pid: z.number().int(),
  /** Start of the process in clock ticks since boot; a reused pid has another. */
  start: z.string(),
  boot: z.string(),
  host: z.string(),
  /** Part of a file name. */
  id: z.string().regex(/^[\w-]{1,64}$/),
  /** ISO 8601. */
  since: z.string(),
});
export type LockOwner = z.infer<typeof ownerSchema>;

export interface Lock {
  /** False when somebody else took the lock over: ask before every write that counts. */
  held(): boolean;
  release(): void;
}

/** A lock of another machine counts as living this long after its last touch. */
const FOREIGN_LEASE_MS = 15 * 60_000;
const TOUCH_MS = 60_000;

/** One try. A lock whose owner died goes to its heir. */
export const tryLock = (path: string): Lock | OpenRefused | StoreFailed => {
  const mine: LockOwner = {
    pid: process.pid,
    start: processStart(process.pid) ?? '',
    boot: bootId(),
    host: hostname(),
    id: randomUUID(),
    since: new Date().toISOString(),
  };
  try {
    for (let attempt = 0; attempt < 50; attempt++) {
      if (create(path, mine)) return lockOf(path, mine);
      const owner = read(path);
      if (owner && alive(owner, path)) return refused(path, owner);
      const heir = inherit(path, owner?.id, mine);
      if (heir?.id === mine.id) return lockOf(path, mine);
      if (heir) return refused(path, heir);
    }
  } catch (error) {
    return storeFailed('lock', path, error);
  }
  return { failed: `Could not lock ${path}: other processes keep taking it.`, code: 'EBUSY', path };
};

/** Waits for the lock at most `timeoutMs`, then answers who has it. For short sections around one record. */
export const waitForLock = async (
  path: string,
  timeoutMs = 10_000,
): Promise<Lock | OpenRefused | StoreFailed> => {
  const end = performance.now() + timeoutMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    const lock = tryLock(path);
    if (!('refused' in lock) || performance.now() > end) return lock;
    await pause(wait + Math.random() * wait);
  }
};

const refused = (path: string, owner: LockOwner): OpenRefused => ({
  refused: `${path.replace(/\.lock$/, '')} is in use by process ${owner.pid}${owner.host === hostname() ? '' : ` on ${owner.host}`} since ${owner.since} (${age(owner.since)}).`,
  pid: owner.pid,
  since: owner.since,
});

/** "3 minutes": how long ago an ISO time was. */
export const age = (since: string): string => {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  const [count, unit] =
    seconds < 90
      ? [seconds, 'second']
      : seconds < 5400
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 129_600
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

const lockOf = (path: string, mine: LockOwner): Lock => {
  let seen = statSync(path, { bigint: true });
  let touched = Date.now();
  const held = (): boolean => {
    try {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      // Inodes are used again at once, so the time counts too.
      if ((now?.ino !== seen.ino || now.mtimeNs !== seen.mtimeNs) && read(path)?.id !== mine.id) return false;
      if (Date.now() - touched > TOUCH_MS) {
        touched = Date.now();
        utimesSync(path, touched / 1000, touched / 1000);
        seen = statSync(path, { bigint: true });
      }
    } catch {
      // A file system that went read-only takes no lock away; the write that follows tells what is wrong.
    }
    return true;
  };
  return {
    held,
    release: () => {
      if (read(path)?.id === mine.id) unlinkQuietly(path);
    },
  };
};

/** A hard link appears with its text in it, so that nobody ever reads an empty lock. */
const create = (path: string, mine: LockOwner): boolean => {
  const temp = `${path}.${mine.id}.tmp`;
  try {
    writeFileSync(temp, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
    linkSync(temp, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) !== 'EPERM' && errorCode(error) !== 'ENOTSUP') throw error;
    try {
      writeFileSync(path, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (second) {
      if (errorCode(second) === 'EEXIST') return false;
      throw second;
    }
  } finally {
    unlinkQuietly(temp);
  }
};

/** The living heir of a dead owner, perhaps this process; nobody when the lock has changed hands meanwhile. */
const inherit = (path: string, dead: string | undefined, mine: LockOwner): LockOwner | undefined => {
  const passed: string[] = [];
  let next = nextOf(path, dead);
  while (!create(next, mine)) {
    const heir = read(next);
    if (heir && alive(heir, next)) return heir;
    if (passed.includes(next) || !existsSync(next)) return undefined;
    passed.push(next);
    next = nextOf(path, heir?.id);
  }
  const temp = `${path}.${mine.id}.tmp`;
  try {
    // Who comes late has found the names of heirs removed, and finds another's lock.
    if (!existsSync(path) || read(path)?.id !== dead) return undefined;
    writeFileSync(temp, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
    renameSync(temp, path);
    for (const name of passed) unlinkQuietly(name);
    return mine;
  } finally {
    unlinkQuietly(temp);
    unlinkQuietly(next);
  }
};

const nextOf = (path: string, dead: string | undefined): string => `${path}.${dead ?? 'unreadable'}.next`;

const read = (path: string): LockOwner | undefined => {
  try {
    return ownerSchema.parse(JSON.parse(readRegularTextSync(path)));
  } catch {
    return undefined;
  }
};

/** Whether the process that wrote this stamp still runs. */
export const alive = (owner: Pick<LockOwner, 'pid' | 'start' | 'boot' | 'host'>, path: string): boolean => {
  if (owner.host !== hostname()) {
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return touched !== undefined && Date.now() - touched < FOREIGN_LEASE_MS;
  }
  if (owner.boot !== bootId()) return false;
  const start = processStart(owner.pid);
  return start !== undefined && (start === owner.start || owner.start === '');
};

/** What cannot be removed does no harm: a lock counts only while its process lives, and other names count never. */
const unlinkQuietly = (path: string): void => {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or a file system that takes no changes.
  }
};
