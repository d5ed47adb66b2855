/** How tasks may change (rulings 35 to 37). Pure but for the page they are given; a refusal leaves the page as it was. */
import {
  isOver,
  type Task,
  type TaskActor,
  type TaskLease,
  type TaskPatch,
  type TaskRefusal,
  type TaskUpdated,
} from '../contract/task.ts';
import { blocker, draw, find, givenBack, isRefusal, type World } from './task-edges.ts';
import { isDamaged, type Page } from './task-shelf.ts';

export interface How {
  readonly expect?: number;
  readonly force?: boolean;
}

export const isMine = (lease: TaskLease, by: TaskActor): boolean =>
  (lease.session !== undefined && lease.session === by.session) ||
  (lease.assigned === true && lease.owner === by.name);

/** Who holds a task against this actor. */
const holder = (task: Task, by: TaskActor): TaskLease | undefined =>
  task.status === 'in_progress' && task.lease && !isMine(task.lease, by) ? task.lease : undefined;

const heldBy = (task: Task, lease: TaskLease, by: TaskActor): TaskRefusal => ({
  refused: `Task ${task.id} is in progress under ${lease.owner} since ${lease.since}; nothing was changed. ${
    by.role === 'agent'
      ? `Take another task, or ask ${lease.owner} or the lead.`
      : 'Send force: true to take it over.'
  }`,
  why: 'held',
  by: lease.owner,
});

const merged = (task: Task, changes: Readonly<Record<string, unknown>>): Task['metadata'] => {
  const kept = Object.entries({ ...task.metadata, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const leaseFor = (owner: string, by: TaskActor, world: World): TaskLease => ({
  owner,
  ...(by.session === undefined ? {} : { session: by.session }),
  ...(owner === by.name ? {} : { assigned: true }),
  ...world.stamp,
  since: world.now,
  renewedAt: world.now,
});

/** Whoever starts a task without naming an owner is it; a lead or a person leaves it to the owner it has. */
const ownerAfter = (task: Task, patch: TaskPatch, by: TaskActor): string | undefined => {
  const named = patch.owner?.trim();
  if (named) return named;
  if (patch.status !== 'in_progress') return named === '' ? undefined : task.owner;
  const started = task.status === 'in_progress';
  if (started && (!task.lease || isMine(task.lease, by))) return task.owner ?? by.name;
  return !started && by.role !== 'agent' && named === undefined ? (task.owner ?? by.name) : by.name;
};

/** Status, owner and lease after the change; the rest is the caller's. */
const moved = (task: Task, patch: TaskPatch, by: TaskActor, world: World): Task => {
  const status = patch.status === undefined || patch.status === 'deleted' ? task.status : patch.status;
  const owner = ownerAfter(task, patch, by);
  const over = isOver(status);
  if (status !== 'in_progress')
    return {
      ...task,
      status,
      owner,
      lease: undefined,
      startedAt: status === 'pending' ? undefined : task.startedAt,
      endedAt: over ? (isOver(task.status) ? task.endedAt : world.now) : undefined,
    };
  const begins = task.status !== 'in_progress';
  const asBefore =
    !begins && owner === task.owner && (patch.status === undefined || task.lease !== undefined);
  const stays = asBefore && (!task.lease || isMine(task.lease, by) || patch.status === undefined);
  return {
    ...task,
    status,
    owner,
    lease: stays ? task.lease : owner === undefined ? undefined : leaseFor(owner, by, world),
    startedAt: begins ? world.now : task.startedAt,
    endedAt: undefined,
    note: begins ? undefined : task.note,
  };
};

/** One change, judged and put on the page. */
export const change = (
  page: Page,
  id: string,
  patch: TaskPatch,
  by: TaskActor,
  how: How,
  world: World,
): TaskUpdated | TaskRefusal => {
  const task = find(page, id, world);
  if (isRefusal(task)) return task;
  if (how.expect !== undefined && task.version !== how.expect)
    return {
      refused: `Task ${id} was changed meanwhile (version ${task.version}, not ${how.expect}); nothing was changed. Look at it again.`,
      why: 'changed',
    };
  const lease = holder(task, by);
  const force = how.force === true && by.role !== 'agent';
  const touches =
    (patch.status !== undefined && (patch.status !== task.status || patch.status === 'in_progress')) ||
    (patch.owner !== undefined && (patch.owner.trim() || undefined) !== task.owner);
  if (lease && touches && !force) return heldBy(task, lease, by);
  if (patch.status === 'deleted') return removed(page, task);
  for (const [first, second] of [
    ...(patch.addBlocks ?? []).map((other): [string, string] => [id, other]),
    ...(patch.addBlockedBy ?? []).map((other): [string, string] => [other, id]),
  ]) {
    const drawn = draw(page, id, first, second, world);
    if (typeof drawn === 'object') return drawn;
  }
  const linked = find(page, id, world);
  if (isRefusal(linked)) return linked;
  if (patch.status === 'in_progress' && task.status !== 'in_progress') {
    const waits = blocker(page, linked, world);
    if (waits) return waits;
  }
  const next: Task = {
    ...moved(linked, patch, by, world),
    subject: patch.subject ?? task.subject,
    description: patch.description ?? task.description,
    activeForm: patch.activeForm ?? task.activeForm,
    metadata: patch.metadata ? merged(task, patch.metadata) : task.metadata,
  };
  const fields = (
    ['status', 'owner', 'subject', 'description', 'activeForm', 'metadata', 'blocks', 'blockedBy'] as const
  ).filter((field) => !same(next[field], task[field]));
  if (fields.length === 0 && same(next.lease, task.lease)) return { task, fields };
  const saved = { ...next, version: task.version + 1, updatedAt: world.now };
  page.put(saved);
  return {
    task: saved,
    fields,
    ...(next.status === task.status ? {} : { change: { from: task.status, to: next.status } }),
  };
};

/** Takes a task and its edges away; its id stays used. */
const removed = (page: Page, task: Task): TaskUpdated => {
  for (const other of new Set([...task.blocks, ...task.blockedBy])) {
    const found = page.get(other);
    if (!found || isDamaged(found)) continue;
    page.put({
      ...found,
      blocks: found.blocks.filter((id) => id !== task.id),
      blockedBy: found.blockedBy.filter((id) => id !== task.id),
      version: found.version + 1,
    });
  }
  page.remove(task.id);
  return { task, fields: ['status'], change: { from: task.status, to: 'deleted' } };
};

/** A person's end of a task, in whatever hands it is. */
export const cancelled = (page: Page, id: string, world: World): TaskUpdated | TaskRefusal => {
  const task = find(page, id, world);
  if (isRefusal(task)) return task;
  if (isOver(task.status))
    return { refused: `Task ${id} is ${task.status} already; nothing was changed.`, why: 'closed' };
  const saved: Task = {
    ...task,
    status: 'cancelled',
    lease: undefined,
    endedAt: world.now,
    updatedAt: world.now,
    version: task.version + 1,
  };
  page.put(saved);
  return { task: saved, fields: ['status'], change: { from: task.status, to: 'cancelled' } };
};

/** A claim is stricter than an update: only what is pending. */
export const claimed = (page: Page, id: string, by: TaskActor, world: World): Task | TaskRefusal => {
  const task = find(page, id, world);
  if (isRefusal(task)) return task;
  const lease = holder(task, by);
  if (lease) return heldBy(task, lease, by);
  if (task.status !== 'pending')
    return {
      refused: `Task ${id} is ${task.status.replace('_', ' ')}; only a pending task can be claimed.`,
      why: 'closed',
    };
  const made = change(page, id, { status: 'in_progress', owner: by.name }, by, {}, world);
  return isRefusal(made) ? made : made.task;
};

/** A task without its owner. */
export const released = (
  page: Page,
  id: string,
  by: TaskActor,
  note: string,
  world: World,
): Task | undefined => {
  const found = page.get(id);
  if (
    !found ||
    isDamaged(found) ||
    found.status !== 'in_progress' ||
    !found.lease ||
    !isMine(found.lease, by)
  )
    return undefined;
  const saved = { ...givenBack(found, note), version: found.version + 1, updatedAt: world.now };
  page.put(saved);
  return saved;
};
