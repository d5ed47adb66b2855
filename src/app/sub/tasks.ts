/** `coppice tasks [list | show ID | watch | cancel ID] [--json] [--team|--session|--list]` (ruling 55). */
import type { Command } from 'commander';
import type { Task, TaskListing } from '../../contract/task.ts';
import type { Board, WhichList } from '../board.ts';
import type { Host } from '../host.ts';
import type { Finish, Subcommand } from './place.ts';

interface Options extends WhichList {
  readonly json?: boolean;
}

const which = (command: Command): Command =>
  command
    .option('--json', 'as JSON')
    .option('--team <name>', 'the list of a team')
    .option('--session <id>', 'the list of a conversation')
    .option('--list <id>', 'a list by its own name');

export const tasksCommand: Subcommand = (program, host, finish) => {
  const tasks = program
    .command('tasks')
    .description('shared task lists: look at them, follow them, cancel a task');
  const verb = (line: string, description: string, isDefault = false): Command =>
    which(tasks.command(line, { isDefault }).description(description));

  verb('list', 'all tasks of a list', true).action((options: Options) =>
    withList(host, finish, options, async ({ board, list, out, fail }) => {
      const { taskLine, recordOf } = await import('../board.ts');
      if (list === undefined)
        return out(options.json ? { list: null, tasks: [] } : 'There is no task list in this folder.');
      const listing = await board.tasks.list(list);
      if ('failed' in listing) return fail(listing.failed);
      for (const problem of listing.problems) host.tell(`coppice: ${problem}\n`);
      out(options.json ? boardOf(listing, recordOf) : linesOf(listing, taskLine));
    }),
  );
  verb('show <id>', 'everything about one task').action((id: string, options: Options) =>
    withList(host, finish, options, async ({ board, list = '', out, fail }) => {
      const { taskText, recordOf } = await import('../board.ts');
      const task = await board.tasks.get(list, id);
      if ('refused' in task || 'failed' in task) return fail('refused' in task ? task.refused : task.failed);
      out(options.json ? recordOf(task) : taskText(task));
    }),
  );
  verb('watch', 'the list now and after every change, until interrupted').action((options: Options) =>
    withList(host, finish, options, async ({ board, list, out, fail }) => {
      const { taskLine, recordOf } = await import('../board.ts');
      if (list === undefined) return fail('There is no task list in this folder to watch.');
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        host.onSignal(signal, () => stop.abort());
      host.stdout.on('error', () => stop.abort());
      // The watch itself keeps no process alive.
      const alive = setInterval(() => undefined, 60_000);
      for await (const listing of board.tasks.changes(list, stop.signal))
        out(
          options.json
            ? boardOf(listing, recordOf)
            : `${[linesOf(listing, taskLine), ...listing.problems].join('\n')}\n`,
        );
      clearInterval(alive);
    }),
  );
  verb('cancel <id>', 'cancel a task, whoever works on it').action((id: string, options: Options) =>
    withList(host, finish, options, async ({ board, list = '', out, fail }) => {
      const { taskLine, recordOf } = await import('../board.ts');
      const done = await board.tasks.cancel(list, id, { name: 'person', role: 'person' });
      if ('refused' in done || 'failed' in done) return fail('refused' in done ? done.refused : done.failed);
      out(options.json ? recordOf(done.task) : taskLine(done.task));
    }),
  );
};

interface At {
  readonly board: Board;
  readonly list: string | undefined;
  out(what: object | string): void;
  fail(sentence: string): void;
}

/** As scripts read it; what could not be read is named beside the tasks. */
const boardOf = ({ list, tasks, problems }: TaskListing, record: (task: Task) => object): object => ({
  list,
  tasks: tasks.map(record),
  ...(problems.length > 0 ? { problems } : {}),
});

const linesOf = ({ tasks }: TaskListing, line: (task: TaskListing['tasks'][number]) => string): string =>
  tasks.length === 0 ? 'No tasks.' : tasks.map(line).join('\n');

const withList = async (
  host: Host,
  finish: Finish,
  options: Options,
  work: (at: At) => Promise<void>,
): Promise<void> => {
  const { chooseList, openBoard } = await import('../board.ts');
  let code: 0 | 1 = 0;
  const fail = (sentence: string): void => {
    host.tell(`coppice: ${sentence}\n`);
    code = 1;
  };
  const board = await openBoard(host);
  const list = 'refused' in board ? board : await chooseList(board, options, host.env);
  if ('refused' in board) fail(board.refused);
  else if (typeof list === 'object') fail(list.refused);
  else
    await work({
      board,
      list,
      fail,
      out: (what) => host.print(`${typeof what === 'string' ? what : JSON.stringify(what)}\n`),
    });
  finish(code);
};
