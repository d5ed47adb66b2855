import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '../../src/contract/ids.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median } from '../stats.ts';

const LIST = 'bench';
const LIST_ONCE = join(import.meta.dirname, '../list-once.ts');

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** One small file that outlasts a power cut: written, flushed, put in place. */
const file = async (folder: string): Promise<void> => {
  const fd = openSync(join(folder, 'new'), 'w');
  writeSync(fd, 'x'.repeat(300));
  fsyncSync(fd);
  closeSync(fd);
  renameSync(join(folder, 'new'), join(folder, 'file'));
};

const ALL = 10_000;

/** Copies of the first task, where so many were not created one by one. */
const fill = (folder: string, from: number): void => {
  const text = readFileSync(join(folder, '1.json'), 'utf8');
  for (let id = from; id <= ALL; id++)
    writeFileSync(join(folder, `${id}.json`), text.replace('"id": "1"', `"id": "${id}"`));
  writeFileSync(join(folder, '.highwatermark'), String(ALL));
};

/** The task store by itself, on files. */
export const tasks: Measurement = {
  name: 'tasks',
  about: 'create, update and list 10,000 tasks',
  async run({ quick, place, node }) {
    const home = mkdtempSync(join(tmpdir(), 'coppice-tasks-'));
    try {
      const { tasks: store } = await openStores({ home, project: home, version: '0.0.0', scratch: home });
      const actor = { name: 'bench', session: 'bench' as SessionId, role: 'agent' as const };
      const creates: number[] = [];
      const created = quick ? 200 : ALL;
      for (let index = 0; index < created; index++)
        creates.push(
          await timed(() => store.create(LIST, { subject: `Task ${index}`, description: 'Do it' })),
        );
      fill(join(home, 'tasks', LIST), created + 1);
      const updates: number[] = [];
      for (let id = 1; id <= 100; id++)
        updates.push(
          await timed(() => store.update(LIST, String(id), { status: 'in_progress', owner: 'bench' }, actor)),
        );
      const lists: number[] = [];
      for (let round = 0; round < 7; round++) lists.push(await timed(() => store.list(LIST)));
      const once = async (...how: string[]): Promise<number> =>
        Number((await runProgram(place, [node, LIST_ONCE, home, LIST, ...how])).output);
      const firsts = await alternate(quick ? 3 : 10, { raw: () => once('raw'), ours: () => once() });
      const floors: number[] = [];
      for (let round = 0; round < 100; round++) floors.push(await timed(() => file(home)));
      const row = (what: string, ours: number, foundation: number, target: number) => ({
        what,
        unit: 'ms',
        floors: { file: median(floors) },
        ours,
        foundation: { at: foundation },
        target: { at: target },
      });
      return [
        row('create a task', median(creates.slice(-100)), 5, 2),
        row('update a task', median(updates), 5, 2),
        row('list 10,000 tasks again', median(lists.slice(2)), 100, 60),
        {
          ...row('list 10,000 tasks for the first time', median(firsts.ours), 100, 100),
          floors: { read: median(firsts.raw) },
        },
      ];
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
