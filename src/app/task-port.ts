/** The task list of one conversation, for its screen. */
import { cancelTask, taskPage } from '../commands/tasks.ts';
import type { TaskBoard, TaskPort } from '../contract/screen.ts';
import type { Session } from '../contract/session.ts';
import type { SessionState } from '../contract/state.ts';
import { actorOf, type Task, type TaskListing, type TaskStore, unfinished } from '../contract/task.ts';

export const taskPort = (session: Session, tasks: TaskStore): TaskPort => ({
  follow: (tell) => follow(session, tasks, tell),
  show: async (id) => (await taskPage(tasks, session.state().taskList, id, new Date())).text,
  cancel: (id) => cancelTask(tasks, session.state().taskList, id),
});

/** A team brings another list; a list that did not exist yet is looked for when it is first written. */
const follow = (session: Session, store: TaskStore, tell: (board: TaskBoard) => void): (() => void) => {
  let stop = new AbortController();
  let empty = true;
  const read = async ({ signal }: AbortController): Promise<void> => {
    const state = session.state();
    for await (const listing of store.changes(state.taskList, signal)) {
      empty = listing.tasks.length === 0;
      tell(boardOf(listing, session.state()));
    }
  };
  const begin = (): void => {
    stop.abort();
    stop = new AbortController();
    void read(stop);
  };
  const unlisten = session.listen((event) => {
    if (event.session !== session.id) return;
    const moved = event.type === 'entry' && event.entry.type === 'team';
    if (moved || (event.type === 'tasks.changed' && empty)) begin();
  });
  begin();
  return () => {
    unlisten();
    stop.abort();
  };
};

const boardOf = (listing: TaskListing, state: SessionState): TaskBoard => {
  const standing = unfinished(listing);
  return {
    problems: listing.problems,
    tasks: listing.tasks.map((task) => ({
      id: task.id,
      subject: task.subject,
      status: task.status,
      ...(task.owner === undefined ? {} : { owner: task.owner }),
      ...(task.activeForm === undefined ? {} : { activeForm: task.activeForm }),
      waitsFor: task.status === 'pending' ? task.blockedBy.filter((id) => standing.has(id)) : [],
      mine: isMine(task, state),
      ...(task.startedAt === undefined ? {} : { startedAt: Date.parse(task.startedAt) }),
      ...(task.endedAt === undefined ? {} : { endedAt: Date.parse(task.endedAt) }),
    })),
  };
};

const isMine = ({ lease, owner }: Task, state: SessionState): boolean =>
  lease ? lease.session === state.id && lease.assigned !== true : owner === actorOf(state).name;
