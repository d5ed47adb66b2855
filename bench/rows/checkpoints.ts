import { execFileSync } from 'node:child_process';
import { large } from '../large.ts';
import type { Answer } from '../model.ts';
import type { Place } from '../place.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median } from '../stats.ts';

const done: Answer = { blocks: [{ type: 'text', text: 'Done.' }] };
const use = (name: string, input: object): Answer => ({
  blocks: [{ type: 'tool_use', name, json: JSON.stringify(input) }],
  // A model takes its time: what is recorded after a call is recorded by then.
  perSecond: 20,
});

const ROUNDS = 6;

/** Milliseconds from the end of each reply to the next request, with checkpoints and without. */
const gaps = (bench: Bench, place: Place, rounds: number, call: (serial: number) => Answer) => {
  const run = (checkpoints: boolean) => async (): Promise<readonly number[]> => {
    bench.model.play((serial) => (serial < ROUNDS ? call(serial) : done));
    await runProgram(place, [
      ...bench.coppice,
      '-p',
      'hi',
      '--allowed-tools',
      'Bash,Write',
      '--settings',
      JSON.stringify({ fileCheckpointingEnabled: checkpoints }),
    ]);
    const { asked } = bench.model;
    return asked.slice(1).map(({ at }, index) => at - (asked[index]?.answered ?? 0));
  };
  return alternate(rounds, { off: run(false), on: run(true) });
};

/** What is recorded before a call, beside the call without it. */
export const checkpoints: Measurement = {
  name: 'checkpoints',
  about: 'files recorded before a Write, and before a Bash command among 50,000 files',
  async run(bench) {
    const path = (serial: number): string => `${bench.place.repository}/src/new-${serial}.ts`;
    const writes = await gaps(bench, bench.place, bench.quick ? 1 : 6, (serial) =>
      use('Write', { file_path: path(serial), content: `export const n = ${Math.random()};\n` }),
    );
    using there = large(bench);
    const status = async (): Promise<number> => {
      const began = performance.now();
      execFileSync('git', ['status'], { cwd: there.repository, env: there.env, stdio: 'pipe' });
      return performance.now() - began;
    };
    const { status: statuses } = await alternate(bench.quick ? 2 : 9, { status });
    const commands = await gaps(bench, there, bench.quick ? 1 : 5, (serial) =>
      use('Bash', { command: `echo ${serial} > part-${serial}/file-0.ts` }),
    );
    const first = (runs: readonly (readonly number[])[]): number => median(runs.map(([gap]) => gap ?? 0));
    const later = (runs: readonly (readonly number[])[]): number =>
      median(runs.flatMap((run) => run.slice(1)));
    const git = { 'git status': median(statuses) };
    return [
      {
        what: 'a Write with a checkpoint before it, reply to next request',
        unit: 'ms',
        floors: { without: median(writes.off.flat()) },
        ours: median(writes.on.flat()),
        foundation: { plus: 5 },
      },
      {
        what: 'a checkpoint before Bash, 50,000 files',
        unit: 'ms',
        floors: git,
        ours: later(commands.on) - later(commands.off),
        foundation: { times: 2 },
      },
      {
        what: 'the first checkpoint of a session before Bash, 50,000 files',
        unit: 'ms',
        floors: git,
        ours: first(commands.on) - first(commands.off),
        foundation: { times: 2 },
      },
    ];
  },
};
