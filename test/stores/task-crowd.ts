/** Many processes on one list, with kills at steps drawn from a seed; what must hold afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { tempHome } from './entries.ts';

export interface Crowd {
  readonly workers: number;
  readonly share: number;
  /** How often each worker is killed before it may finish. */
  readonly kills: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly seed: number;
}

/** Numbers from a seed, so that a failure can be had again. */
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
};

const worker = join(import.meta.dirname, 'task-worker.ts');

export const crowd = async ({
  workers,
  share,
  kills,
  signal,
  seed,
}: Crowd): Promise<{ readonly killed: number }> => {
  await using temp = await tempHome();
  const draw = random(seed);
  const total = workers * share;
  const dead = new Set<string>();
  const claims: { readonly id: string; readonly by: string }[] = [];
  let killed = 0;
  const run = async (name: string, at: number): Promise<boolean> => {
    const child = spawn(
      process.execPath,
      [worker, temp.home, name, String(share), String(total), signal, String(at)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let out = '';
    let wrong = '';
    child.stdout.on('data', (piece) => {
      out += piece;
    });
    child.stderr.on('data', (piece) => {
      wrong += piece;
    });
    const who = `${name}-${child.pid}`;
    const [code, by] = await once(child, 'close');
    for (const line of out.split('\n'))
      if (line.startsWith('claimed ')) claims.push({ id: line.slice(8), by: who });
    if (by === 'SIGKILL') {
      dead.add(who);
      killed += 1;
      return false;
    }
    expect(`seed ${seed}: ${wrong.replace(/^.*ExperimentalWarning.*\n?.*\n?/m, '')}${code}`).toBe(
      `seed ${seed}: 0`,
    );
    return true;
  };
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      for (let left = kills; left > 0; left -= 1)
        if (await run(`w${n}`, 1 + Math.floor(draw() * 120))) return;
      await run(`w${n}`, 0);
    }),
  );

  const store = taskStore(fileShelf(temp.home));
  const listing = await store.list('list');
  if (!('tasks' in listing)) throw new Error(JSON.stringify(listing));
  expect(listing.problems).toEqual([]);
  expect(listing.tasks.map((task) => task.subject).sort()).toEqual(
    Array.from({ length: workers }, (_, n) => Array.from({ length: share }, (_, k) => `w${n} ${k}`))
      .flat()
      .sort(),
  );
  expect(new Set(listing.tasks.map((task) => task.id)).size).toBe(total);
  expect(listing.tasks.filter((task) => task.status !== 'completed')).toEqual([]);
  const first = listing.tasks.find((task) => task.id === '1');
  const ends = listing.tasks.filter((task) => task.blockedBy.includes('1')).map((task) => task.id);
  expect([...(first?.blocks ?? [])].sort()).toEqual(ends.sort());
  const twice = listing.tasks.filter(
    ({ id }) => claims.filter((claim) => claim.id === id && !dead.has(claim.by)).length > 1,
  );
  expect(twice).toEqual([]);
  const left = (await readdir(join(temp.home, 'tasks', 'list'))).filter(
    (name) => !/^(\d+\.json|\.highwatermark)$/.test(name),
  );
  expect(left).toEqual([]);
  return { killed };
};
