/** Tasks of an agent that ends: they go back to the list, and it hears what became of them when it goes on (ruling 34). */
import type { SessionState } from '../contract/state.ts';
import { actorOf } from '../contract/task.ts';
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

/** What happened meanwhile to the tasks that it had when it was stopped. */
export const lostTasks = async (
  { team }: HostDeps,
  seat: Seat,
  state: SessionState | undefined,
): Promise<readonly string[]> => {
  if (!team || !state || seat.lost.length === 0) return [];
  const lines = await Promise.all(
    seat.lost.map(async (id) => {
      const task = await team.tasks.get(state.taskList, id);
      if (!('subject' in task)) return `Task ${id} is gone.`;
      return task.status === 'pending' && task.owner === undefined
        ? `Task ${id} (${task.subject}) is free: take it again if you go on with it.`
        : `Task ${id} (${task.subject}) was taken: ${task.status.replace('_', ' ')}${task.owner ? `, owner ${task.owner}` : ''}.`;
    }),
  );
  seat.lost = [];
  return [`Your tasks went back to the list when you were stopped.\n${lines.join('\n')}`];
};
