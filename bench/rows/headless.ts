import type { Answer } from '../model.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median, medianOf } from '../stats.ts';

const use = (name: string, input: object) =>
  ({ type: 'tool_use', name, json: JSON.stringify(input) }) as const;
const done: Answer = { blocks: [{ type: 'text', text: 'Done.' }] };

/** Coppice with everything a real run has: permissions, transcript, hooks engine. */
export const headless = ({ coppice }: Bench, ...more: string[]): readonly string[] => [
  ...coppice,
  '-p',
  'hi',
  '--allowed-tools',
  'Bash(true),Bash(sleep 0)',
  ...more,
];

/** One run, and the milliseconds from the end of each reply to the next request. */
const oneRun = async (bench: Bench, command: readonly string[], script: (serial: number) => Answer) => {
  bench.model.play(script);
  const { ms } = await runProgram(bench.place, command);
  const gaps = bench.model.asked
    .slice(1)
    .map(({ at }, index) => at - (bench.model.asked[index]?.answered ?? 0));
  return { ms, gap: median(gaps), requests: bench.model.asked.length };
};

/** The same script for the floor and for Coppice. */
const both = (bench: Bench, rounds: number, script: (serial: number) => Answer) =>
  alternate(rounds, {
    sdk: () => oneRun(bench, [bench.node, bench.floors.sdk, 'hi'], script),
    ours: () => oneRun(bench, headless(bench), script),
  });

export const oneShot: Measurement = {
  name: 'one-shot',
  about: 'a prompt, an answer, the end',
  async run(bench) {
    const runs = await both(bench, bench.quick ? 3 : 20, () => done);
    return [
      {
        what: 'one-shot answer',
        unit: 'ms',
        floors: { sdk: medianOf(runs.sdk, 'ms') },
        ours: medianOf(runs.ours, 'ms'),
        foundation: { times: 2 },
        target: { times: 1.4 },
      },
    ];
  },
};

const ROUNDS = 50;

export const bashRounds: Measurement = {
  name: 'bash',
  about: '50 rounds of one command each',
  async run(bench) {
    const runs = await both(bench, bench.quick ? 2 : 8, (serial) =>
      serial < ROUNDS ? { blocks: [use('Bash', { command: 'true' })] } : done,
    );
    return [
      {
        what: '50 Bash rounds',
        unit: 'ms',
        floors: { sdk: medianOf(runs.sdk, 'ms') },
        ours: medianOf(runs.ours, 'ms'),
        foundation: { times: 3 },
        target: { times: 1.8 },
      },
      {
        what: 'a Bash round, reply to next request',
        unit: 'ms',
        floors: { sdk: medianOf(runs.sdk, 'gap') },
        ours: medianOf(runs.ours, 'gap'),
        foundation: { times: 6 / 1.6 },
        target: { times: 2.9 / 1.6 },
      },
    ];
  },
};

export const readRounds: Measurement = {
  name: 'read',
  about: '50 rounds of reading one file each',
  async run(bench) {
    const runs = await both(bench, bench.quick ? 2 : 8, (serial) =>
      serial < ROUNDS
        ? { blocks: [use('Read', { file_path: `${bench.place.repository}/src/part-${serial}.ts` })] }
        : done,
    );
    return [
      {
        what: '50 Read rounds',
        unit: 'ms',
        floors: { sdk: medianOf(runs.sdk, 'ms') },
        ours: medianOf(runs.ours, 'ms'),
        foundation: { times: 3 },
        target: { times: 1.8 },
      },
    ];
  },
};

export const parallelBash: Measurement = {
  name: 'parallel',
  about: 'ten commands in one reply',
  async run(bench) {
    const ten = { blocks: Array.from({ length: 10 }, () => use('Bash', { command: 'true' })) };
    const runs = await both(bench, bench.quick ? 3 : 12, (serial) => (serial === 0 ? ten : done));
    return [
      {
        what: '10 parallel Bash calls, reply to next request',
        unit: 'ms',
        floors: { sdk: medianOf(runs.sdk, 'gap') },
        ours: medianOf(runs.ours, 'gap'),
        foundation: { times: 60 / 26 },
        target: { times: 40 / 26 },
      },
    ];
  },
};

/** What `true` before each call adds to it. */
export const hooks: Measurement = {
  name: 'hooks',
  about: '0, 1 and 10 command hooks before each call',
  async run(bench) {
    const settings = (count: number) =>
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: 'Bash',
              // Equal handlers count once.
              hooks: Array.from({ length: count }, (_, index) => ({
                type: 'command',
                command: `true ${index}`,
              })),
            },
          ],
        },
      });
    const rounds = bench.quick ? 10 : 30;
    const script = (serial: number): Answer =>
      serial < rounds ? { blocks: [use('Bash', { command: 'true' })] } : done;
    const gaps = (count: number) => () =>
      oneRun(bench, headless(bench, '--settings', settings(count)), script).then(({ gap }) => gap);
    const spawned = async () =>
      median(
        JSON.parse(
          (await runProgram(bench.place, [bench.node, bench.floors.spawn, '30'])).output,
        ) as number[],
      );
    const runs = await alternate(bench.quick ? 2 : 6, {
      spawn: spawned,
      none: gaps(0),
      one: gaps(1),
      ten: gaps(10),
    });
    const spawn = median(runs.spawn);
    const none = median(runs.none);
    return [
      {
        what: 'added by a `true` command hook, a call',
        unit: 'ms',
        floors: { spawn },
        ours: median(runs.one) - none,
        foundation: { at: spawn + 4 },
        target: { at: spawn + 1 },
      },
      {
        what: 'added by ten of them, a call',
        unit: 'ms',
        floors: { spawn },
        ours: median(runs.ten) - none,
      },
    ];
  },
};
