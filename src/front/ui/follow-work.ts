import type { ScreenPorts, TaskBoard } from '../../contract/screen.ts';
import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';

export const noTasks: TaskBoard = { tasks: [], problems: [] };

/** Keeps tasks and team of a session on the screen; answers the way to stop. */
export const followWork = (
  { tasks, team }: Pick<ScreenPorts, 'tasks' | 'team'>,
  store: Store<ScreenState>,
): (() => void) => {
  store.update((state) => ({ ...state, tasks: noTasks, team: undefined }));
  const stops = [
    tasks?.follow((board) => store.update((state) => ({ ...state, tasks: board }))),
    team?.follow((look) => store.update((state) => ({ ...state, team: look }))),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
};
