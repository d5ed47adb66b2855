/** What happens to the tasks that a session works on without its doing: told before its next request. */
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Task, TaskActor, TaskStore } from '../contract/task.ts';

export interface TaskNews {
  /** The same store; who begins and ends what through it is remembered. */
  readonly tasks: TaskStore;
  /** One sentence per task that was taken from this session since it was last asked. */
  since(state: SessionState): Promise<readonly string[]>;
}

export const taskNews = (store: TaskStore): TaskNews => {
  const working = new Map<SessionId, Map<string, string>>();

  const holds = (by: TaskActor, list: string, task: Pick<Task, 'id' | 'lease'>): void => {
    if (by.session === undefined) return;
    const mine = working.get(by.session) ?? new Map<string, string>();
    const { lease } = task;
    if (lease?.session === by.session && lease.assigned !== true) mine.set(task.id, list);
    else mine.delete(task.id);
    working.set(by.session, mine);
  };
  const got = <Answer extends Awaited<ReturnType<TaskStore['claim' | 'claimNext']>>>(
    by: TaskActor,
    list: string,
    answer: Answer,
  ): Answer => {
    if (answer && 'status' in answer) holds(by, list, answer);
    return answer;
  };
  const changed = <Answer extends Awaited<ReturnType<TaskStore['update']>>>(
    by: TaskActor,
    list: string,
    answer: Answer,
  ): Answer => {
    if ('task' in answer)
      holds(by, list, answer.change?.to === 'deleted' ? { id: answer.task.id } : answer.task);
    return answer;
  };

  return {
    tasks: {
      ...store,
      claim: async (list, id, by) => got(by, list, await store.claim(list, id, by)),
      claimNext: async (list, by) => got(by, list, await store.claimNext(list, by)),
      update: async (list, id, patch, by, how) =>
        changed(by, list, await store.update(list, id, patch, by, how)),
      complete: async (list, id, by) => changed(by, list, await store.complete(list, id, by)),
      async release(list, by, note) {
        if (by.session) working.delete(by.session);
        return await store.release(list, by, note);
      },
      async reclaim(list, by) {
        const kept = await store.reclaim(list, by);
        if (!('failed' in kept)) for (const task of kept) holds(by, list, task);
        return kept;
      },
    },
    async since(state) {
      const mine = working.get(state.id);
      if (!mine || mine.size === 0) return [];
      const news: string[] = [];
      for (const [id, list] of mine) {
        const lost = whatBecame(await store.get(list, id), id, state.id);
        if (lost === undefined) continue;
        mine.delete(id);
        news.push(lost);
      }
      return news;
    },
  };
};

/** Undefined while it is in progress under this session; of a list that is gone nothing is said. */
const whatBecame = (
  now: Awaited<ReturnType<TaskStore['get']>>,
  id: string,
  session: SessionId,
): string | undefined => {
  if ('failed' in now) return undefined;
  const stop = 'Stop working on it.';
  if ('refused' in now)
    return now.why === 'deleted' ? `Task ${id}, which you worked on, was deleted. ${stop}` : undefined;
  const name = `Task ${id} (${now.subject}), which you worked on,`;
  if (now.status === 'cancelled') return `${name} was cancelled by the user. ${stop}`;
  if (now.status === 'completed') return `${name} was set to completed by somebody else. ${stop}`;
  if (now.status === 'pending') return `${name} is pending again: somebody took it from you. ${stop}`;
  return now.lease?.session === session
    ? undefined
    : `${name} was taken over by ${now.owner ?? 'somebody else'}. ${stop}`;
};
