import type { StoreFailed } from '../contract/store.ts';
import type { Task } from '../contract/task.ts';
import { stampOf } from './stamp.ts';
import type { Page, Shelf } from './task-shelf.ts';

interface MemoryList {
  tasks: Map<string, Task>;
  highest: number;
  changedAt: number;
  readonly readers: Set<() => void>;
}

/** The second shelf: for a home that cannot be written, and to keep the seam honest. */
export const memoryShelf = (): Shelf => {
  const lists = new Map<string, MemoryList>();
  const listOf = (name: string): MemoryList => {
    const list = lists.get(name) ?? { tasks: new Map(), highest: 0, changedAt: 0, readers: new Set() };
    lists.set(name, list);
    return list;
  };
  const tell = (list: MemoryList): void => {
    list.changedAt = Date.now();
    for (const reader of [...list.readers]) reader();
  };
  return {
    stamp: stampOf(process.pid),
    isAlive: () => true,
    async change<T extends object>(name: string, work: (page: Page) => T): Promise<T | StoreFailed> {
      const list = listOf(name);
      const tasks = new Map(list.tasks);
      let { highest } = list;
      const answer = work({
        get: (id) => tasks.get(id),
        put: (task) => void tasks.set(task.id, structuredClone(task)),
        remove: (id) => void tasks.delete(id),
        highest: () => highest,
        next: () => String(++highest),
      });
      if ('refused' in answer) return answer;
      list.tasks = tasks;
      list.highest = highest;
      tell(list);
      return answer;
    },
    look: async (name, id) => ({
      found: lists.get(name)?.tasks.get(id),
      highest: lists.get(name)?.highest ?? 0,
    }),
    all: async (name) => ({
      tasks: [...(lists.get(name)?.tasks.values() ?? [])].sort((a, b) => Number(a.id) - Number(b.id)),
      problems: [],
      unreadable: [],
    }),
    async drop(name) {
      const list = lists.get(name);
      if (!list) return undefined;
      list.tasks = new Map();
      list.highest = 0;
      tell(list);
      return undefined;
    },
    lists: async () =>
      [...lists]
        .filter(([, { highest }]) => highest > 0)
        .map(([list, { changedAt }]) => ({ list, changedAt }))
        .sort((a, b) => b.changedAt - a.changedAt),
    watch(name, reader) {
      const { readers } = listOf(name);
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
};
