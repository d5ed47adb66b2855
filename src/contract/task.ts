import type { SessionId } from './ids.ts';
import type { SessionState } from './state.ts';
import type { StoreFailed } from './store.ts';
import { LEAD, memberNameOf } from './team.ts';

/** The stored states of spec 3.1. `deleted` is no state of a record: it ends one. */
export const taskStatuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** What TaskUpdateTool may set (spec 4.3); `cancelled` is a person's alone (ruling 36). */
export const settableStatuses = ['pending', 'in_progress', 'completed', 'deleted'] as const;
export type SettableStatus = (typeof settableStatuses)[number];

/** Who works on a task that is in progress. The process stamp tells the living from the dead. */
export interface TaskLease {
  readonly owner: string;
  /** Who took it. */
  readonly session?: SessionId;
  /** True when it was taken for somebody else: then the owner's name counts too. */
  readonly assigned?: boolean;
  readonly pid: number;
  /** Start of the process in clock ticks since boot; a reused pid has another. */
  readonly start: string;
  readonly boot: string;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly renewedAt: string;
}

/** A task (spec 2.3). Edges are kept on both ends. */
export interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly status: TaskStatus;
  readonly owner?: string;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Grows by one with every change; renewing a lease is none. */
  readonly version: number;
  readonly lease?: TaskLease;
  /** What happened to it without its owner: "returned to pending: ...". */
  readonly note?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export interface TaskDraft {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A change. Metadata is merged, null deletes a key, nested objects replace; an empty owner is none (ruling 37). */
export interface TaskPatch {
  readonly status?: SettableStatus;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
  readonly owner?: string;
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Who asks for a change. `lead` and `person` may take over with force. */
export interface TaskActor {
  readonly name: string;
  readonly session?: SessionId;
  readonly role: 'agent' | 'lead' | 'person';
}

/** A change that was not made, wholly: one sentence for its reader, and why. */
export interface TaskRefusal {
  readonly refused: string;
  readonly why: 'unknown' | 'deleted' | 'held' | 'blocked' | 'cycle' | 'changed' | 'damaged' | 'closed';
  /** Who holds it. */
  readonly by?: string;
}

export interface TaskUpdated {
  /** As it stands now; as it was last when it is deleted. */
  readonly task: Task;
  /** Names of the fields that changed. */
  readonly fields: readonly string[];
  readonly change?: { readonly from: TaskStatus; readonly to: TaskStatus | 'deleted' };
}

export interface TaskListing {
  readonly list: string;
  /** By number. */
  readonly tasks: readonly Task[];
  /** One sentence per file that is no readable task; the others are unharmed. */
  readonly problems: readonly string[];
  /** The ids of those files: what waits for them goes on waiting. */
  readonly unreadable: readonly string[];
}

/** Shared task lists. Whole verbs only: no caller reads, changes and writes. Nothing rejects. */
export interface TaskStore {
  /** With `id`: one that was reserved. */
  create(list: string, draft: TaskDraft, id?: string): Promise<Task | TaskRefusal | StoreFailed>;
  /** Takes the next id without a task behind it yet; it is never given again. */
  reserve(list: string): Promise<string | StoreFailed>;
  get(list: string, id: string): Promise<Task | TaskRefusal | StoreFailed>;
  list(list: string): Promise<TaskListing | StoreFailed>;
  /** `expect`: refused when the version is another by now. `force` takes over from a living owner (lead and person). */
  update(
    list: string,
    id: string,
    patch: TaskPatch,
    by: TaskActor,
    how?: { readonly expect?: number; readonly force?: boolean },
  ): Promise<TaskUpdated | TaskRefusal | StoreFailed>;
  /** Makes the caller owner of a pending task and moves it to in_progress. */
  claim(list: string, id: string, by: TaskActor): Promise<Task | TaskRefusal | StoreFailed>;
  /** The pending, unblocked task with the lowest id that is the caller's or nobody's; undefined when there is none. */
  claimNext(list: string, by: TaskActor): Promise<Task | StoreFailed | undefined>;
  complete(list: string, id: string, by: TaskActor): Promise<TaskUpdated | TaskRefusal | StoreFailed>;
  /** A person's alone, from any state but completed and cancelled. */
  cancel(list: string, id: string, by: TaskActor): Promise<TaskUpdated | TaskRefusal | StoreFailed>;
  /** Its tasks in progress go back to pending with a note; answers which. For owners that end or are stopped. */
  release(list: string, by: TaskActor, note: string): Promise<readonly Task[] | StoreFailed>;
  /** A session that goes on in another process takes its leases along; answers what is still its own. */
  reclaim(list: string, by: TaskActor): Promise<readonly Task[] | StoreFailed>;
  /** The heartbeat: says that this session's leases are alive. Once a minute will do. */
  renew(list: string, by: TaskActor): Promise<void>;
  /** Removes the whole list. */
  drop(list: string): Promise<StoreFailed | undefined>;
  /** Lists that exist, the latest changed first. */
  lists(): Promise<readonly { readonly list: string; readonly changedAt: number }[]>;
  /** The list now and after every change, until aborted. */
  changes(list: string, signal: AbortSignal): AsyncIterable<TaskListing>;
}

/** What task tools tell the hooks; a sentence forbids (exit 2: rolled back, not completed). */
export interface TaskEvents {
  /** True when someone listens: only then a task waits for the answer before it exists. */
  awaited(event: 'TaskCreated' | 'TaskCompleted', session: SessionId): boolean;
  created(task: TaskFacts, session: SessionId): Promise<{ readonly forbidden?: string }>;
  completed(task: TaskFacts, session: SessionId): Promise<{ readonly forbidden?: string }>;
}
export interface TaskFacts {
  readonly id: string;
  readonly subject: string;
  readonly description?: string;
  readonly teammate?: string;
  readonly team?: string;
}

/** A blocker in one of these states blocks no longer. */
export const isOver = (status: TaskStatus): boolean => status === 'completed' || status === 'cancelled';

/** The ids of tasks that hold up those which wait for them. */
export const unfinished = ({
  tasks,
  unreadable,
}: Pick<TaskListing, 'tasks' | 'unreadable'>): ReadonlySet<string> =>
  new Set([...unreadable, ...tasks.filter((task) => !isOver(task.status)).map((task) => task.id)]);

/** Tasks that somebody of this name could begin now, the lowest id first: pending, unblocked, their own or nobody's. */
export const freeFor = (name: string, listing: TaskListing): readonly Task[] => {
  const standing = unfinished(listing);
  return listing.tasks.filter(
    (task) =>
      task.status === 'pending' &&
      (task.owner === undefined || task.owner === name) &&
      !task.blockedBy.some((id) => standing.has(id)),
  );
};

/** What a session is called as owner of tasks, and what it may. */
export const actorOf = (state: Pick<SessionState, 'id' | 'agent' | 'parent' | 'team'>): TaskActor => {
  const name = state.team === undefined ? undefined : memberNameOf(state);
  const root = state.parent === undefined;
  return {
    name: name ?? state.agent.name ?? (root ? 'main' : state.agent.type),
    session: state.id,
    role: root && (name === undefined || name === LEAD) ? 'lead' : 'agent',
  };
};
