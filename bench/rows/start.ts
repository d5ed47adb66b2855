import { setTimeout as sleep } from 'node:timers/promises';
import { megabytes, processorSeconds } from '../process.ts';
import { openPty, type Pty } from '../pty.ts';
import type { Bench, Measurement, Row } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median, medianOf } from '../stats.ts';

/** A letter that no screen shows by itself, typed before the program runs. */
const KEY = 'Ψ';

/** Ten seconds after its start a program keeps its code for the next one; what it uses from then on is what sitting there costs. */
export const SETTLED_MS = 12_000;

/** What the screen shows once a conversation is behind it, and not before. */
export const ATTACHED = 'claude-';

const echoed = async (
  bench: Bench,
  command: readonly string[],
  live?: string,
): Promise<{ key: number; live: number }> => {
  await using pty = await openPty(bench.place, command, KEY);
  const key = (await pty.seen(() => pty.shows(KEY))) - pty.started;
  if (live === undefined) return { key, live: key };
  return { key, live: (await pty.seen(() => pty.shows(live) && pty.shows(KEY))) - pty.started };
};

/** From the start to the first echoed key, and to the whole screen. */
export const start: Measurement = {
  name: 'start',
  about: 'start to the first echoed key and to the whole screen',
  async run(bench) {
    const { node, floors, coppice } = bench;
    const runs = await alternate(bench.quick ? 3 : 20, {
      raw: () => echoed(bench, [node, floors.raw]),
      ink: () => echoed(bench, [node, floors.ink], '╰'),
      ours: () => echoed(bench, coppice, ATTACHED),
    });
    const raw = medianOf(runs.raw, 'key');
    const ink = medianOf(runs.ink, 'key');
    return [
      {
        what: 'start to first echoed key',
        unit: 'ms',
        floors: { raw, ink },
        ours: medianOf(runs.ours, 'key'),
        foundation: { at: ink * 1.5 },
        target: { times: 1.6 },
      },
      {
        what: 'start to the whole screen',
        unit: 'ms',
        floors: { ink: medianOf(runs.ink, 'live') },
        ours: medianOf(runs.ours, 'live'),
        target: { times: 1.4 },
      },
    ];
  },
};

/** From the start to a first request with a prompt typed ahead. */
export const firstRequest: Measurement = {
  name: 'first-request',
  about: 'start to the first request of a prompt typed ahead',
  async run(bench) {
    const asked = async (command: readonly string[]): Promise<number> => {
      bench.model.play(() => ({ blocks: [{ type: 'text', text: 'Said.' }] }));
      await using pty = await openPty(bench.place, command, 'hello\r');
      await pty.seen(() => pty.shows('Said.'));
      return (bench.model.asked[0]?.at ?? Number.NaN) - pty.started;
    };
    const runs = await alternate(bench.quick ? 2 : 10, {
      ink: () => asked([bench.node, bench.floors.ink]),
      ours: () => asked(bench.coppice),
    });
    return [
      {
        what: 'start to the first request, typed ahead',
        unit: 'ms',
        floors: { ink: median(runs.ink) },
        ours: median(runs.ours),
      },
    ];
  },
};

export const version: Measurement = {
  name: 'version',
  about: '--version and --help',
  async run(bench) {
    const { node, coppice, place } = bench;
    const ended = async (command: readonly string[]) => (await runProgram(place, command)).ms;
    const runs = await alternate(bench.quick ? 3 : 20, {
      node: () => ended([node, '-e', '0']),
      version: () => ended([...coppice, '--version']),
      help: () => ended([...coppice, '--help']),
    });
    const floors = { node: median(runs.node) };
    // The goals were measured where Node itself takes 18 ms.
    return [
      {
        what: '--version',
        unit: 'ms',
        floors,
        ours: median(runs.version),
        foundation: { times: 30 / 18 },
        target: { times: 25 / 18 },
      },
      {
        what: '--help',
        unit: 'ms',
        floors,
        ours: median(runs.help),
        foundation: { times: 60 / 18 },
        target: { times: 40 / 18 },
      },
    ];
  },
};

/** What it costs to sit there. */
export const rest: Measurement = {
  name: 'rest',
  about: 'memory and processor at the prompt',
  async run(bench) {
    const sit = async (command: readonly string[], sight: (pty: Pty) => boolean) => {
      await using pty = await openPty(bench.place, command, KEY);
      await pty.seen(() => sight(pty));
      await sleep(SETTLED_MS);
      const before = processorSeconds(pty.pid);
      const seconds = bench.quick ? 2 : 10;
      const memory = megabytes(pty.pid);
      await sleep(seconds * 1000);
      return { memory, share: ((processorSeconds(pty.pid) - before) / seconds) * 100 };
    };
    const { node, floors, coppice } = bench;
    const runs = await alternate(bench.quick ? 1 : 3, {
      raw: () => sit([node, floors.raw], (pty) => pty.shows(KEY)),
      ink: () => sit([node, floors.ink], (pty) => pty.shows(KEY)),
      ours: () => sit(coppice, (pty) => pty.shows(ATTACHED)),
    });
    const rows: Row[] = [
      {
        what: 'memory at the prompt',
        unit: 'MB',
        floors: { raw: medianOf(runs.raw, 'memory'), ink: medianOf(runs.ink, 'memory') },
        ours: medianOf(runs.ours, 'memory'),
        foundation: { at: 140 },
        target: { at: 110 },
      },
      {
        what: 'idle processor share',
        unit: '%',
        floors: { raw: medianOf(runs.raw, 'share'), ink: medianOf(runs.ink, 'share') },
        ours: medianOf(runs.ours, 'share'),
        foundation: { at: 0.3 },
        target: { at: 0 },
      },
    ];
    return rows;
  },
};
