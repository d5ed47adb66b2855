import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { taskStorm } from './task-storm.ts';

const PROCESSES = 8;
const SHARE = 10;
const TOTAL = PROCESSES * SHARE;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

/** Resolves for everybody when the last of so many has come. */
const meeting = (count: number): (() => Promise<void>) => {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === count) all.resolve();
    return all.promise;
  };
};

test('eight programs share one list: 80 tasks, none lost, none claimed twice, every key kept', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server, env: { CLAUDE_CODE_TASK_LIST_ID: 'board' } });
  const workers = numbers(PROCESSES).map((n) => `worker-${n}`);
  const [made, claimed] = [meeting(PROCESSES), meeting(PROCESSES)];
  const got: string[] = [];
  for (const who of workers)
    server.lane(
      ({ raw }: Received) => raw.includes(`I am ${who}.`),
      numbers(SHARE).map((at) =>
        use('TaskCreateTool', { subject: `${who} ${at}`, description: 'D', metadata: { from: who } }),
      ),
      async () => {
        await made();
        return numbers(TOTAL).flatMap((id) => [
          use('TaskUpdateTool', { taskId: String(id), status: 'in_progress', owner: who }),
          use('TaskUpdateTool', { taskId: String(id), metadata: { [who]: id } }),
        ]);
      },
      async ({ results }) => {
        const mine = results.flatMap(({ text, error }, at) =>
          at % 2 === 0 && !error ? [JSON.parse(text).taskId] : [],
        );
        got.push(...mine);
        await claimed();
        return [
          ...mine.map((taskId) => use('TaskUpdateTool', { taskId, status: 'completed' })),
          use('TaskListTool', {}),
        ];
      },
      ({ results }) => say(results.some(({ error }) => error) ? 'failed' : 'done'),
    );
  const ran = await Promise.all(
    workers.map((who) => runCoppice(place, ['-p', `I am ${who}.`], { timeout: 240_000 })),
  );
  expect(ran).toEqual(workers.map(() => ({ stdout: 'done\n', stderr: '', code: 0, signal: null })));
  expect(server.violations).toEqual([]);

  const dir = join(place.state, 'tasks', 'board');
  const names = readdirSync(dir);
  const tasks = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));
  expect(names.filter((name) => !/^(\d+\.json|\.highwatermark)$/.test(name))).toEqual([]);
  expect([...got].sort((a, b) => Number(a) - Number(b))).toEqual(numbers(TOTAL).map(String));
  expect(new Set(tasks.map((task) => task.subject)).size).toBe(TOTAL);
  for (const task of tasks)
    expect(task).toMatchObject({
      status: 'completed',
      owner: expect.stringMatching(/^worker-\d$/),
      metadata: {
        from: expect.any(String),
        ...Object.fromEntries(workers.map((who) => [who, Number(task.id)])),
      },
    });
}, 260_000);

test('programs that are killed inside their changes lose nothing and claim nothing twice', async () => {
  expect(await taskStorm({ programs: 4, share: 5, kills: 6, seed: 11 })).toBeGreaterThanOrEqual(6);
}, 180_000);
