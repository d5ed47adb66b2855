/** Tasks of an agent that ends: they go back to the list, and it hears what became of them when it goes on (ruling 34). */
import type { SessionState } from '../contract/state.ts';
import { actorOf, type TaskStore } from '../contract/task.ts';
import type { HostDeps } from './host-deps.ts';
import type { Seat } from './roster.ts';

/** `how` ends the sentence that stands at the tasks: "finished", "was stopped". */
export const giveBack = async (
  { team }: HostDeps,
  seat: Seat,
  state: SessionState,
  how: string,
): Promise<void> => {
  if (!team) return;
  const by = actorOf(state);
  const back = await team.tasks.release(state.taskList, by, `Returned to pending: ${by.name} ${how}.`);
  seat.lost = 'failed' in back ? [] : back.map((task) => task.id);
};

/** What happened meanwhile to the tasks that went back when their agent was stopped. */
export const lostTasksText = async (
  tasks: Pick<TaskStore, 'get'>,
  list: string,
  lost: readonly string[],
): Promise<readonly string[]> => {
  if (lost.length === 0) return [];
  const lines = await Promise.all(
    lost.map(async (id) => {
      const task = await tasks.get(list, id);
      if (!('subject' in task)) return `Task ${id} is gone.`;
      return task.status === 'pending' && task.owner === undefined
        ? `Task ${id} (${task.subject}) is free: take it again if you go on with it.`
        : `Task ${id} (${task.subject}) was taken: ${task.status.replace('_', ' ')}${task.owner ? `, owner ${task.owner}` : ''}.`;
    }),
  );
  return [`Your tasks went back to the list when you were stopped.\n${lines.join('\n')}`];
};
