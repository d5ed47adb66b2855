/** Many programs on one task list, each killed in the middle of its changes; nothing may be lost or claimed twice. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { type Block, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

export interface TaskStorm {
  readonly programs: number;
  readonly share: number;
  /** At least so many deaths inside a change. */
  readonly kills: number;
  readonly seed: number;
}

const KILLER = join(import.meta.dirname, '../support/kill-inside.ts');
/** Calls in one reply. */
const BATCH = 5;
/** Steps on the disk that one task takes a program, roughly: created, claimed, completed. */
const STEPS = 6;

/** Numbers from a seed, so that a failure can be had again. */
const random = (seed: number) => (): number => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
};
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

interface Listed {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly owner?: string;
}
const tasksIn = (text: string | undefined): readonly Listed[] => JSON.parse(text ?? '{"tasks":[]}').tasks;
const look: readonly Block[] = [use('TaskListTool', {})];

export const taskStorm = async ({ programs, share, kills, seed }: TaskStorm): Promise<number> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server, env: { CLAUDE_CODE_TASK_LIST_ID: 'board' } });
  const draw = random(seed);
  const total = programs * share;
  /** Who was told that a task is its own, by program and run. */
  const claims: { readonly id: string; readonly by: string }[] = [];
  const dead = new Set<string>();
  const odd: string[] = [];

  const { promise: claimed, resolve: open } = Promise.withResolvers<void>();
  const arrived = new Set<string>();
  /** Nothing is completed before every task is somebody's: a claim of what is completed would begin it anew. */
  const meet = async (name: string): Promise<void> => {
    arrived.add(name);
    if (arrived.size === programs) open();
    await claimed;
  };

  /** One run of a program: creates what is missing of its share, claims what it can, completes what it has. */
  const conductor = (n: number, by: string) => {
    const name = `p${n}`;
    const mine = upTo(share).map((at) => `${name} ${at}`);
    let asked: readonly string[] = [];
    // One that died after they met begins where the others are: by then its random claims could begin what is done anew.
    let met = arrived.has(name);
    const claim = (ids: readonly string[]): readonly Block[] => {
      asked = ids.slice(0, BATCH);
      return asked.map((taskId) => use('TaskUpdateTool', { taskId, status: 'in_progress', owner: name }));
    };
    return async ({ results }: Received): Promise<readonly Block[]> => {
      claims.push(...asked.filter((_, at) => results[at]?.error === false).map((id) => ({ id, by })));
      const [first, ...more] = results;
      const listed =
        more.length === 0 && first?.text.startsWith('{"tasks"') ? tasksIn(first.text) : undefined;
      if (!listed && asked.length === 0)
        odd.push(...results.filter(({ error }) => error).map(({ text }) => text));
      asked = [];
      if (!listed) return look;
      const missing = mine.filter((subject) => !listed.some((task) => task.subject === subject));
      if (missing.length > 0)
        return missing.slice(0, BATCH).map((subject) => use('TaskCreateTool', { subject, description: 'D' }));
      if (listed.length < total) return look;
      const pending = listed.filter(({ status }) => status === 'pending').map(({ id }) => id);
      if (!met) {
        if (pending.length > 0) return claim(pending.toSorted(() => draw() - 0.5));
        await meet(name);
        met = true;
        return look;
      }
      // What the dead left is for one program each.
      const left = pending.filter((id) => Number(id) % programs === n - 1);
      if (left.length > 0) return claim(left);
      const own = listed.filter(({ status, owner }) => status === 'in_progress' && owner === name);
      if (own.length > 0)
        return own
          .slice(0, BATCH)
          .map(({ id }) => use('TaskUpdateTool', { taskId: id, status: 'completed' }));
      return listed.every(({ status }) => status === 'completed') ? [say('done')] : look;
    };
  };

  let killed = 0;
  const live = async (n: number): Promise<void> => {
    for (let run = 1; ; run += 1) {
      const by = `p${n}/${run}`;
      const at = killed < kills ? 1 + Math.floor(draw() * share * STEPS) : 0;
      server.always(({ raw }) => raw.includes(`I am ${by}.`), conductor(n, by));
      const ran = await runCoppice(place, ['-p', `I am ${by}.`], {
        timeout: 300_000,
        ...(at > 0 ? { env: { NODE_OPTIONS: `--import ${KILLER}`, KILL_AT: String(at) } } : {}),
      });
      if (ran.signal !== 'SIGKILL') {
        expect({ seed, ...ran }).toMatchObject({ seed, code: 0, stdout: 'done\n' });
        return;
      }
      killed += 1;
      dead.add(by);
    }
  };
  await Promise.all(upTo(programs).map(live));

  const listed = await runCoppice(place, ['tasks', '--list', 'board', '--json']);
  const { tasks } = JSON.parse(listed.stdout);
  expect([seed, listed.stderr, odd, server.violations]).toEqual([seed, '', [], []]);
  expect([seed, tasks.map((task: Listed) => task.subject).toSorted()]).toEqual([
    seed,
    upTo(programs)
      .flatMap((p) => upTo(share).map((n) => `p${p} ${n}`))
      .toSorted(),
  ]);
  expect(new Set(tasks.map((task: Listed) => task.id)).size).toBe(total);
  expect(tasks.filter((task: Listed) => task.status !== 'completed')).toEqual([]);
  const living = claims.filter(({ by }) => !dead.has(by));
  const twice = living.filter(({ id, by }) => living.some((one) => one.id === id && one.by !== by));
  expect([seed, twice]).toEqual([seed, []]);
  const dir = join(place.state, 'tasks', 'board');
  expect(readdirSync(dir).filter((name) => !/^(\d+\.json|\.highwatermark)$/.test(name))).toEqual([]);
  expect(existsSync(join(dir, '.lock'))).toBe(false);
  return killed;
};
