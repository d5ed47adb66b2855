import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { mailStorm } from '../e2e/mail-storm.ts';
import { taskStorm } from '../e2e/task-storm.ts';
import { crowd } from '../stores/task-crowd.ts';
import { tell } from './told.ts';

/** `SEED` gives an earlier run again; it is printed with each test. */
const seedOf = (): number => Number(process.env.SEED ?? randomInt(1_000_000));

test('eight processes on one list with more than 60 kills inside their changes', async (context) => {
  const seed = seedOf();
  await tell(context, `seed ${seed}`);
  const { killed } = await crowd({ workers: 8, share: 25, kills: 9, signal: 'SIGKILL', seed });
  await tell(context, `${killed} kills`);
  expect(killed).toBeGreaterThanOrEqual(60);
});

test('eight programs create 25 tasks each and claim all 200, killed at least 20 times inside a change', async (context) => {
  const seed = seedOf();
  await tell(context, `seed ${seed}`);
  const killed = await taskStorm({ programs: 8, share: 25, kills: 24, seed });
  await tell(context, `${killed} kills`);
  expect(killed).toBeGreaterThanOrEqual(20);
});

test('eight agents send 100 messages and 20 broadcasts each to a lead that is killed five times', async (context) => {
  const seed = seedOf();
  await tell(context, `seed ${seed}`);
  await mailStorm({ senders: 8, direct: 100, broadcasts: 20, kills: 5, seed });
});

test('10,000 tasks: what a creation, an update and a list cost', async (context) => {
  const home = await mkdtemp(join(tmpdir(), 'coppice-tasks-'));
  const store = taskStore(fileShelf(home));
  const by = { name: 'main', session: 's' as SessionId, role: 'lead' } as const;
  const timed = async (times: number, work: (at: number) => Promise<unknown>): Promise<number> => {
    const took: number[] = [];
    for (let at = 1; at <= times; at += 1) {
      const from = performance.now();
      await work(at);
      took.push(performance.now() - from);
    }
    return took.sort((a, b) => a - b)[times >> 1] ?? 0;
  };
  const figures = {
    create: await timed(10_000, (at) =>
      store.create('list', { subject: `Task ${at}`, description: 'What needs to be done. '.repeat(8) }),
    ),
    update: await timed(500, (at) =>
      store.update('list', String(at * 7), { status: 'in_progress', metadata: { at } }, by),
    ),
    edge: await timed(200, (at) =>
      store.update('list', String(at * 7 + 1), { addBlocks: [String(at * 7 + 2)] }, by),
    ),
    'list, first': await timed(5, () => taskStore(fileShelf(home)).list('list')),
    'list, again': await timed(20, () => store.list('list')),
  };
  for (const [what, ms] of Object.entries(figures))
    await tell(context, `${what}: ${ms.toFixed(2)} ms at the median`);
  const listing = await store.list('list');
  expect('tasks' in listing && listing.tasks).toHaveLength(10_000);
  await rm(home, { recursive: true, force: true });
});
