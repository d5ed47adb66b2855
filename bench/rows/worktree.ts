import { execFileSync } from 'node:child_process';
import { large } from '../large.ts';
import type { Answer } from '../model.ts';
import type { Place } from '../place.ts';
import type { Bench, Goal, Measurement, Row } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median } from '../stats.ts';

/**
 * Making a worktree, beside git itself: from the end of the reply that wants one to the next request. Another
 * tool is called before: the first reply of a program finds it busy with its start, which other rows measure.
 */
const made = async (
  bench: Bench,
  place: Place,
  rounds: number,
): Promise<Pick<Row, 'unit' | 'floors' | 'ours'>> => {
  let serial = 0;
  const plain = async (): Promise<number> => {
    serial += 1;
    const args = ['worktree', 'add', '-q', '-b', `plain-${serial}`, `.git/plain-${serial}`];
    const began = performance.now();
    execFileSync('git', args, { cwd: place.repository, env: place.env, stdio: 'pipe' });
    return performance.now() - began;
  };
  const entered = async (): Promise<number> => {
    const name = `ours-${++serial}`;
    bench.model.play(
      (request): Answer => ({
        blocks: [
          request === 0
            ? { type: 'tool_use', name: 'TaskListTool', json: '{}' }
            : request === 1
              ? { type: 'tool_use', name: 'EnterWorktreeTool', json: JSON.stringify({ name }) }
              : { type: 'text', text: 'Done.' },
        ],
      }),
    );
    await runProgram(place, [...bench.coppice, '-p', 'hi', '--allowed-tools', 'EnterWorktreeTool']);
    const [, wants, next] = bench.model.asked;
    if (!next?.body.includes('worktreePath')) throw new Error(`No worktree was made: ${next?.body}`);
    return next.at - (wants?.answered ?? 0);
  };
  const runs = await alternate(rounds, { git: plain, ours: entered });
  return { unit: 'ms', floors: { git: median(runs.git) }, ours: median(runs.ours) };
};

const SMALL: Goal = { plus: 20 };

export const worktree: Measurement = {
  name: 'worktree',
  about: 'a worktree of a repository of 50,000 files, and of a small one',
  async run(bench) {
    using there = large(bench);
    return [
      {
        what: 'make a worktree of 50,000 files',
        ...(await made(bench, there, bench.quick ? 1 : 5)),
        foundation: { times: 1.3 },
        target: { times: 1.15 },
      },
      {
        what: 'make a worktree of a small repository',
        ...(await made(bench, bench.place, bench.quick ? 3 : 15)),
        foundation: SMALL,
      },
    ];
  },
};
