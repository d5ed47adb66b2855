import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionId } from '../../src/contract/ids.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { Measurement } from '../row.ts';
import { median } from '../stats.ts';

const LIST = 'bench';

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

/** The task store by itself, on files. */
export const tasks: Measurement = {
  name: 'tasks',
  about: 'create, update and list 10,000 tasks',
  async run({ quick }) {
    const home = mkdtempSync(join(tmpdir(), 'coppice-tasks-'));
    try {
      const { tasks: store } = await openStores({ home, project: home, version: '0.0.0', scratch: home });
      const actor = { name: 'bench', session: 'bench' as SessionId, role: 'agent' as const };
      const creates: number[] = [];
      for (let index = 0; index < (quick ? 1_000 : 10_000); index++)
        creates.push(
          await timed(() => store.create(LIST, { subject: `Task ${index}`, description: 'Do it' })),
        );
      const updates: number[] = [];
      for (let id = 1; id <= 100; id++)
        updates.push(
          await timed(() => store.update(LIST, String(id), { status: 'in_progress', owner: 'bench' }, actor)),
        );
      const lists: number[] = [];
      for (let round = 0; round < 5; round++) lists.push(await timed(() => store.list(LIST)));
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
        row('list 10,000 tasks', median(lists), 150, 60),
      ];
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
