import type { SlashCommand } from '../contract/command.ts';
import { type Task, type TaskStore, unfinished } from '../contract/task.ts';
import { refused, type Said, table, text } from './answer.ts';

const elapsed = ({ startedAt, endedAt }: Task, now: Date): string => {
  if (startedAt === undefined) return '';
  const end = endedAt === undefined ? now.getTime() : Date.parse(endedAt);
  const seconds = Math.max(0, Math.round((end - Date.parse(startedAt)) / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};

/** Everything about one task, as markdown. */
export const taskPage = async (tasks: TaskStore, list: string, id: string, now: Date): Promise<Said> => {
  const task = await tasks.get(list, id);
  if ('refused' in task) return refused(task.refused);
  if ('failed' in task) return refused(task.failed);
  const facts: readonly (readonly string[])[] = [
    ['state', task.status.replace('_', ' ')],
    ['owner', task.owner ?? ''],
    ['time', elapsed(task, now)],
    ['blocked by', task.blockedBy.join(', ')],
    ['blocks', task.blocks.join(', ')],
    ...Object.entries(task.metadata ?? {}).map(([key, value]) => [key, JSON.stringify(value)]),
  ].filter(([, value = '']) => value !== '');
  return text(
    [
      `**${task.id} ${task.subject}**`,
      task.description,
      ...(task.note ? [task.note] : []),
      facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ].join('\n\n'),
  );
};

/** A person's end of a task. */
export const cancelTask = async (tasks: TaskStore, list: string, id: string): Promise<Said> => {
  const done = await tasks.cancel(list, id, { name: 'person', role: 'person' });
  if ('refused' in done) return refused(done.refused);
  if ('failed' in done) return refused(done.failed);
  return text(`Task ${id} is cancelled: ${done.task.subject}`);
};

/** `/tasks [id | cancel ID]`: the shared list of this conversation. */
export const tasksCommand = (tasks: TaskStore, now: () => Date): SlashCommand => ({
  name: 'tasks',
  aliases: ['todos', 'bashes'],
  description: 'The shared task list',
  argumentHint: '[id, or cancel ID]',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const list = session.state().taskList;
    const [verb = '', id] = args.trim().split(/\s+/);
    if (verb === 'cancel') {
      if (!id) return refused('Say which task: /tasks cancel ID.');
      return await cancelTask(tasks, list, id);
    }
    if (verb !== '') return await taskPage(tasks, list, verb, now());
    const listing = await tasks.list(list);
    if ('failed' in listing) return refused(listing.failed);
    if (listing.tasks.length === 0)
      return text(
        [
          'There are no tasks yet. Ask for a list: "Make tasks of this and work through them."',
          ...listing.problems,
        ].join('\n\n'),
      );
    const standing = unfinished(listing);
    const rows = listing.tasks.map((task) => [
      task.id,
      task.subject,
      task.status.replace('_', ' '),
      task.owner ?? '',
      task.blockedBy.filter((other) => standing.has(other)).join(', '),
      elapsed(task, now()),
    ]);
    return text(
      [table(['', 'task', 'state', 'owner', 'after', 'time'], rows), ...listing.problems].join('\n\n'),
    );
  },
});
