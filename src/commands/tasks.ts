import type { SlashCommand } from '../contract/command.ts';
import { isOver, type Task, type TaskStore } from '../contract/task.ts';
import { refused, table, text } from './answer.ts';

const elapsed = (task: Task, now: Date): string => {
  if (task.startedAt === undefined) return '';
  const end = task.endedAt === undefined ? now.getTime() : Date.parse(task.endedAt);
  const seconds = Math.max(0, Math.round((end - Date.parse(task.startedAt)) / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};

/** `/tasks [id | cancel ID]`: the shared list of this conversation. */
export const tasksCommand = (tasks: TaskStore, now: () => Date): SlashCommand => ({
  name: 'tasks',
  aliases: ['todos'],
  description: 'The shared task list',
  argumentHint: '[id, or cancel ID]',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const list = session.state().taskList;
    const [verb = '', id] = args.trim().split(/\s+/);
    if (verb === 'cancel') {
      if (!id) return refused('Say which task: /tasks cancel ID.');
      const done = await tasks.cancel(list, id, { name: 'person', role: 'person' });
      if ('refused' in done) return refused(done.refused);
      if ('failed' in done) return refused(done.failed);
      return text(`Task ${id} is cancelled: ${done.task.subject}`);
    }
    if (verb !== '') {
      const task = await tasks.get(list, verb);
      if ('refused' in task) return refused(task.refused);
      if ('failed' in task) return refused(task.failed);
      return text(
        [
          `**${task.id} ${task.subject}** (${task.status.replace('_', ' ')}${task.owner ? `, ${task.owner}` : ''})`,
          task.description,
          ...(task.note ? [task.note] : []),
        ].join('\n\n'),
      );
    }
    const listing = await tasks.list(list);
    if ('failed' in listing) return refused(listing.failed);
    if (listing.tasks.length === 0)
      return text(['There are no tasks yet.', ...listing.problems].join('\n\n'));
    const rows = listing.tasks.map((task) => [
      task.id,
      task.subject,
      task.status.replace('_', ' '),
      task.owner ?? '',
      task.blockedBy.filter((other) => waitsFor(other, listing.tasks)).join(', '),
      elapsed(task, now()),
    ]);
    return text(
      [table(['', 'task', 'state', 'owner', 'after', 'time'], rows), ...listing.problems].join('\n\n'),
    );
  },
});

const waitsFor = (id: string, all: readonly Task[]): boolean => {
  const found = all.find((task) => task.id === id);
  return found !== undefined && !isOver(found.status);
};
