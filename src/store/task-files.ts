/** Task lists as folders: one JSON file a task, `.highwatermark` for the highest id (conventions 5). */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { StoreFailed } from '../contract/store.ts';
import type { Task } from '../contract/task.ts';
import { readRegularTextSync } from '../lib/regular-file.ts';
import { type Disk, realDisk } from './disk.ts';
import { errorCode, storeFailed } from './failure.ts';
import { type Fence, fenced, finishDead, sweep } from './fence.ts';
import { linked, removeDir } from './folder.ts';
import { safeName } from './places.ts';
import { type Read, smallReader } from './read-with-facts.ts';
import { makePrivateDir } from './record.ts';
import { isAlive, stampOf } from './stamp.ts';
import { type Damaged, isTaskId, parseTask, taskText } from './task-record.ts';
import { isDamaged, type Page, type Shelf } from './task-shelf.ts';
import { watchDir } from './watch-dir.ts';

const HIGHEST = '.highwatermark';
/** Files changed so recently may change again without a trace in their times: they are read every time. */
const RACY_MS = 50;
const PIECE = 1000;

interface Known {
  readonly mtimeMs: number;
  readonly ino: number;
  readonly size: number;
  readonly found: Task | Damaged;
}

const nothing = { tasks: [], problems: [], unreadable: [] };
const tasksDir = (home: string): string => join(home, 'tasks');

export interface ShelfOptions {
  /** Every change that is made to the disk. */
  readonly disk?: Disk;
  /** How long a holder of the lock may sit still before it is taken over. */
  readonly staleMs?: number;
}

export const fileShelf = (home: string, { disk = realDisk, staleMs }: ShelfOptions = {}): Shelf => {
  const stamp = stampOf(process.pid);
  const known = new Map<string, Map<string, Known>>();
  const read = smallReader();
  const dirOf = (list: string): string => join(tasksDir(home), safeName(list));

  const usable = async (dir: string): Promise<StoreFailed | undefined> =>
    linked(dir) ?? (await makePrivateDir(dir));

  const world = { disk, stamp, staleMs };
  const shelf: Shelf = {
    stamp,
    isAlive: (lease) => isAlive(lease, Date.parse(lease.renewedAt)),
    async change(list, work) {
      const dir = dirOf(list);
      const isNew = !existsSync(dir);
      const unusable = await usable(dir);
      if (unusable) return unusable;
      const answer = await fenced(dir, world, (fence) => {
        const page = openPage(dir);
        const made = work(page);
        if (!('refused' in made)) page.write(fence);
        return made;
      });
      // Asking for a task of a list that never was leaves no list behind.
      if (isNew && 'refused' in answer) await rmdir(dir).catch(() => undefined);
      return answer;
    },
    async look(list, id) {
      const dir = dirOf(list);
      await finishDead(dir, world);
      try {
        return { found: readTask(dir, id), highest: highestOf(dir) };
      } catch (error) {
        return storeFailed('read the task', join(dir, `${id}.json`), error);
      }
    },
    async all(list) {
      const dir = dirOf(list);
      const link = linked(dir);
      if (link) return link;
      const folder = statSync(dir, { throwIfNoEntry: false })?.ino;
      const before = known.get(dir) ?? new Map<string, Known>();
      const now = new Map<string, Known>();
      let names: readonly string[];
      try {
        await finishDead(dir, world);
        names = readdirSync(dir);
        sweep(dir, disk, names);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return nothing;
        return storeFailed('read the task list', dir, error);
      }
      const ids = idsIn(names);
      const fresh = Date.now() - RACY_MS;
      for (const [at, id] of ids.entries()) {
        if (at % PIECE === PIECE - 1) await breathe();
        const one = readKnown(read, dir, id, before.get(id), fresh);
        if (one) now.set(id, one);
      }
      // The list was dropped while it was read: half of it is nothing that ever was.
      if (now.size < ids.length && statSync(dir, { throwIfNoEntry: false })?.ino !== folder)
        return await shelf.all(list);
      known.set(dir, now);
      const tasks: Task[] = [];
      const problems: string[] = [];
      const unreadable: string[] = [];
      for (const [id, { found }] of now)
        if (isDamaged(found)) {
          problems.push(found.damaged);
          unreadable.push(id);
        } else tasks.push(found);
      return { tasks, problems, unreadable };
    },
    async drop(list) {
      const dir = dirOf(list);
      known.delete(dir);
      const link = linked(dir);
      if (link) return link;
      return await removeDir(dir);
    },
    async lists() {
      const names = await readdir(tasksDir(home)).catch(() => []);
      const found = await Promise.all(
        names
          .filter((name) => !name.startsWith('.'))
          .map(async (list) => {
            const about = await stat(join(tasksDir(home), list)).catch(() => undefined);
            return about?.isDirectory() ? [{ list, changedAt: about.mtimeMs }] : [];
          }),
      );
      return found.flat().sort((a, b) => b.changedAt - a.changedAt);
    },
    watch: (list, tell) => watchDir(dirOf(list), tell),
  };
  return shelf;
};

/** In the order of their numbers. */
const idsIn = (names: readonly string[]): readonly string[] => {
  const numbers: number[] = [];
  for (const name of names) {
    const number = name.endsWith('.json') ? Number(name.slice(0, -5)) : 0;
    if (number > 0 && isTaskId(String(number)) && name === `${number}.json`) numbers.push(number);
  }
  return Array.from(Float64Array.from(numbers).sort(), String);
};

const readKnown = (
  read: Read,
  dir: string,
  id: string,
  before: Known | undefined,
  fresh: number,
): Known | undefined => {
  const path = `${dir}/${id}.json`;
  try {
    if (before) {
      const { mtimeMs, ino, size } = statSync(path);
      if (before.mtimeMs === mtimeMs && before.ino === ino && before.size === size) return before;
    }
    const { text, about } = read(path);
    const { mtimeMs, ino, size } = about;
    return { mtimeMs: mtimeMs > fresh ? -1 : mtimeMs, ino, size, found: parseTask(text, id, path) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    return { ...nowhere, found: { damaged: storeFailed('read the task', path, error).failed } };
  }
};
const nowhere = { mtimeMs: -1, ino: -1, size: -1 };

const readTask = (dir: string, id: string): Task | Damaged | undefined => {
  if (!isTaskId(id)) return undefined;
  const path = join(dir, `${id}.json`);
  try {
    return parseTask(readRegularTextSync(path), id, path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    return { damaged: storeFailed('read the task', path, error).failed };
  }
};

/** Kept in its own file; without it, what the files show. */
const highestOf = (dir: string): number => {
  try {
    const kept = readRegularTextSync(join(dir, HIGHEST)).trim();
    if (/^\d{1,15}$/.test(kept)) return Number(kept);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EFTYPE') throw error;
  }
  if (!existsSync(dir)) return 0;
  return readdirSync(dir).reduce((highest, name) => {
    const id = name.endsWith('.json') ? name.slice(0, -5) : '';
    return isTaskId(id) ? Math.max(highest, Number(id)) : highest;
  }, 0);
};

interface FilePage extends Page {
  write(fence: Fence): void;
}

const openPage = (dir: string): FilePage => {
  const read = new Map<string, Task | Damaged | undefined>();
  const changed = new Map<string, Task | 'removed'>();
  let highest: number | undefined;
  let given = false;
  const highestNow = (): number => {
    highest ??= highestOf(dir);
    return highest;
  };
  return {
    get(id) {
      const staged = changed.get(id);
      if (staged !== undefined) return staged === 'removed' ? undefined : staged;
      if (!read.has(id)) read.set(id, readTask(dir, id));
      return read.get(id);
    },
    put: (task) => void changed.set(task.id, task),
    remove: (id) => void changed.set(id, 'removed'),
    highest: highestNow,
    next() {
      highest = highestNow() + 1;
      while (existsSync(join(dir, `${highest}.json`))) highest++;
      given = true;
      return String(highest);
    },
    write(fence) {
      // The number first: a process that dies in between leaves a gap, never a task whose number is given again.
      if (given) fence.put(HIGHEST, `${highest}\n`, 'fast');
      for (const [id, task] of changed) {
        if (task === 'removed') fence.remove(`${id}.json`);
        else fence.put(`${id}.json`, taskText(task));
      }
    },
  };
};
