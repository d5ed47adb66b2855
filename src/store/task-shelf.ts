/** What a task list is kept on: the seam between the rules and files, memory or, one day, a database. */
import type { StoreFailed } from '../contract/store.ts';
import type { Task, TaskLease, TaskListing } from '../contract/task.ts';
import type { ProcessStamp } from '../contract/team.ts';
import type { Damaged } from './task-record.ts';

/** One list while nobody else changes it. What is put is written as a whole after the work, or not at all. */
export interface Page {
  get(id: string): Task | Damaged | undefined;
  put(task: Task): void;
  remove(id: string): void;
  /** Takes the next id. */
  next(): string;
  /** The highest id ever given. */
  highest(): number;
}

export interface Shelf {
  /** Work that answers a refusal changes nothing. */
  change<T extends object>(list: string, work: (page: Page) => T): Promise<T | StoreFailed>;
  look(
    list: string,
    id: string,
  ): Promise<{ readonly found: Task | Damaged | undefined; readonly highest: number } | StoreFailed>;
  all(list: string): Promise<Omit<TaskListing, 'list'> | StoreFailed>;
  drop(list: string): Promise<StoreFailed | undefined>;
  lists(): Promise<readonly { readonly list: string; readonly changedAt: number }[]>;
  /** Calls `tell` after changes; answers the way to stop. */
  watch(list: string, tell: () => void): () => void;
  readonly stamp: ProcessStamp;
  isAlive(lease: TaskLease): boolean;
}

export const isDamaged = (found: object): found is Damaged => 'damaged' in found;
