/**
 * A process that creates its share of tasks and claims whatever is free until all are done. At the given step on the
 * disk it kills or stops itself. Prints what it did, one line each, before it goes on.
 */
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionId } from '../../src/contract/ids.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';

const [home = '', name = '', share = '0', total = '0', end = '', at = '0'] = process.argv.slice(2);
let steps = 0;
const counted =
  <Args extends unknown[]>(call: (...args: Args) => void) =>
  (...args: Args): void => {
    steps += 1;
    if (steps === Number(at)) process.kill(process.pid, end as NodeJS.Signals);
    call(...args);
  };
const disk: Disk = {
  makeDir: counted(realDisk.makeDir),
  writeNew: counted(realDisk.writeNew),
  rename: counted(realDisk.rename),
  unlink: counted(realDisk.unlink),
  removeDir: counted(realDisk.removeDir),
};
const store = taskStore(fileShelf(home, { disk, staleMs: 400 }));
const by = { name, session: `${name}-${process.pid}` as SessionId, role: 'agent' } as const;
const say = (line: string) => void writeSync(1, `${line}\n`);
const must = <T extends object>(answer: T): T => {
  if ('failed' in answer || ('problems' in answer && (answer.problems as unknown[]).length > 0))
    throw new Error(JSON.stringify(answer));
  return answer;
};

const before = must(await store.list('list'));
const have = 'tasks' in before ? before.tasks.map((task) => task.subject) : [];
for (let n = 0; n < Number(share); n += 1) {
  const subject = `${name} ${n}`;
  if (have.includes(subject)) continue;
  const task = must(await store.create('list', { subject, description: 'D' }));
  say(`created ${'id' in task ? task.id : '?'}`);
}
for (;;) {
  const task = await store.claimNext('list', by);
  if (task === undefined) {
    const { tasks } = must(await store.list('list')) as { tasks: readonly { status: string }[] };
    if (tasks.length >= Number(total) && tasks.every(({ status }) => status === 'completed')) break;
    await pause(5);
    continue;
  }
  must(task);
  if (!('subject' in task)) continue;
  say(`claimed ${task.id}`);
  const linked = must(
    await store.update(
      'list',
      task.id,
      { addBlockedBy: task.id === '1' ? [] : ['1'], metadata: { [name]: true } },
      by,
    ),
  );
  if ('refused' in linked && linked.why !== 'deleted') throw new Error(JSON.stringify(linked));
  const done = must(await store.complete('list', task.id, by));
  if ('refused' in done) throw new Error(JSON.stringify(done));
  say(`completed ${task.id}`);
}
