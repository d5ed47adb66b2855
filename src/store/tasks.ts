/** The verbs of a task list, over any shelf. */
import type { StoreFailed } from '../contract/store.ts';
import {
  freeFor,
  type Task,
  type TaskActor,
  type TaskLease,
  type TaskListing,
  type TaskStore,
} from '../contract/task.ts';
import { isFailed } from './failure.ts';
import { effective, isRefusal, missing, type World } from './task-edges.ts';
import { isTaskId } from './task-record.ts';
import { cancelled, change, claimed, isMine, released } from './task-rules.ts';
import { isDamaged, type Page, type Shelf } from './task-shelf.ts';

/** How often the owners of tasks in progress are looked at while somebody follows a list. */
const PULSE_MS = 2_000;

const processOf = ({ host, boot, pid, start }: TaskLease): string => `${host} ${boot} ${pid} ${start}`;

/** One lease of each process that works on something. */
const ownersOf = ({ tasks }: TaskListing): readonly TaskLease[] => [
  ...new Map(tasks.flatMap(({ lease }) => (lease ? [[processOf(lease), lease]] : []))).values(),
];

/** A process that holds a hundred tasks lives or not for all of them; one of another machine lives by each lease. */
const askedOnce = ({ stamp, isAlive }: Shelf): Shelf['isAlive'] => {
  const known = new Map<string, boolean>();
  return (lease) => {
    if (lease.host !== stamp.host) return isAlive(lease);
    const key = processOf(lease);
    const lives = known.get(key) ?? isAlive(lease);
    known.set(key, lives);
    return lives;
  };
};

export const taskStore = (shelf: Shelf, now: () => Date = () => new Date()): TaskStore => {
  const world = (): World => ({ stamp: shelf.stamp, isAlive: shelf.isAlive, now: now().toISOString() });

  const list = async (name: string): Promise<TaskListing | StoreFailed> => {
    const found = await shelf.all(name);
    if (isFailed(found)) return found;
    const isAlive = askedOnce(shelf);
    return { list: name, ...found, tasks: found.tasks.map((task) => effective(task, { isAlive })) };
  };

  /** Every task that is in progress, on one page. */
  const each = async (
    name: string,
    wanted: (task: Task) => boolean,
    work: (page: Page, id: string, at: World) => Task | undefined,
  ): Promise<readonly Task[] | StoreFailed> => {
    const found = await shelf.all(name);
    if (isFailed(found)) return found;
    const ids = found.tasks
      .filter((task) => task.status === 'in_progress' && wanted(task))
      .map((task) => task.id);
    if (ids.length === 0) return [];
    return await shelf.change(name, (page) => ids.flatMap((id) => work(page, id, world()) ?? []));
  };
  const mine = (by: TaskActor) => (task: Task) => task.lease !== undefined && isMine(task.lease, by);
  const restamp = (by: TaskActor) => (page: Page, id: string, at: World) => {
    const task = page.get(id);
    if (!task || isDamaged(task) || task.status !== 'in_progress' || !task.lease || !isMine(task.lease, by))
      return undefined;
    const renewed: Task = { ...task, lease: { ...task.lease, ...at.stamp, renewedAt: at.now } };
    page.put(renewed);
    return renewed;
  };

  const update: TaskStore['update'] = (name, id, patch, by, how = {}) =>
    shelf.change(name, (page) => change(page, id, patch, by, how, world()));

  return {
    list,
    update,
    create: (name, draft, id) =>
      shelf.change(name, (page) => {
        const at = now().toISOString();
        const task: Task = {
          id: id ?? page.next(),
          subject: draft.subject,
          description: draft.description,
          activeForm: draft.activeForm,
          status: 'pending',
          blocks: [],
          blockedBy: [],
          metadata:
            draft.metadata &&
            Object.fromEntries(Object.entries(draft.metadata).filter(([, value]) => value !== null)),
          version: 1,
          createdAt: at,
          updatedAt: at,
        };
        page.put(task);
        return task;
      }),
    async reserve(name) {
      const taken = await shelf.change(name, (page) => ({ id: page.next() }));
      return isFailed(taken) ? taken : taken.id;
    },
    async get(name, id) {
      if (!isTaskId(id)) return missing(id, 0);
      const seen = await shelf.look(name, id);
      if (isFailed(seen)) return seen;
      if (seen.found === undefined) return missing(id, seen.highest);
      return isDamaged(seen.found)
        ? { refused: seen.found.damaged, why: 'damaged' }
        : effective(seen.found, shelf);
    },
    claim: (name, id, by) => shelf.change(name, (page) => claimed(page, id, by, world())),
    async claimNext(name, by) {
      const listing = await list(name);
      if (isFailed(listing)) return listing;
      for (const task of freeFor(by.name, listing)) {
        const got = await shelf.change(name, (page) => {
          const now = page.get(task.id);
          const other = now && !isDamaged(now) ? effective(now, shelf).owner : undefined;
          return other !== undefined && other !== by.name
            ? ({ refused: `Task ${task.id} is meant for ${other}.`, why: 'held', by: other } as const)
            : claimed(page, task.id, by, world());
        });
        if (isFailed(got)) return got;
        if (!isRefusal(got)) return got;
      }
      return undefined;
    },
    complete: (name, id, by) => update(name, id, { status: 'completed' }, by),
    cancel: (name, id, by) =>
      shelf.change(name, (page) =>
        by.role === 'person' || by.role === 'lead'
          ? cancelled(page, id, world())
          : ({ refused: `Only a person can cancel task ${id}.`, why: 'held' } as const),
      ),
    release: (name, by, note) => each(name, mine(by), (page, id, at) => released(page, id, by, note, at)),
    reclaim: (name, by) => each(name, mine(by), restamp(by)),
    async renew(name, by) {
      await each(name, mine(by), restamp(by));
    },
    drop: shelf.drop,
    lists: shelf.lists,
    async *changes(name, signal) {
      let wake: (() => void) | undefined;
      let dirty = true;
      const tell = (): void => {
        dirty = true;
        wake?.();
      };
      const stop = shelf.watch(name, tell);
      signal.addEventListener('abort', tell, { once: true });
      let owners: readonly TaskLease[] = [];
      // An owner that dies changes no file.
      const pulse = setInterval(() => owners.some((lease) => !shelf.isAlive(lease)) && tell(), PULSE_MS);
      pulse.unref();
      let last = '';
      try {
        while (!signal.aborted) {
          dirty = false;
          const listing = await list(name);
          owners = isFailed(listing) ? [] : ownersOf(listing);
          const shown = JSON.stringify(listing);
          if (!isFailed(listing) && shown !== last && !signal.aborted) {
            last = shown;
            yield listing;
          }
          if (!dirty && !signal.aborted)
            await new Promise<void>((resolve) => {
              wake = resolve;
              if (dirty || signal.aborted) resolve();
            });
        }
      } finally {
        stop();
        clearInterval(pulse);
        signal.removeEventListener('abort', tell);
      }
    },
  };
};
