import { processorSeconds } from '../process.ts';
import { prose } from '../prose.ts';
import { openPty } from '../pty.ts';
import type { Bench, Measurement } from '../row.ts';
import { alternate, medianOf } from '../stats.ts';
import { ATTACHED } from './start.ts';

/** The last word of a stream; what comes after it is rest. */
const END = 'Ω-the-end';

/** Sends a prompt and waits until the last word of the answer stands on the screen. */
const streamed = async (
  bench: Bench,
  command: readonly string[],
  ready: string,
  tokens: number,
  perSecond?: number,
) => {
  bench.model.play(() => ({
    blocks: [{ type: 'text', text: `${prose(tokens)}\n\n${END}` }],
    perSecond,
    chunk: 4,
  }));
  await using pty = await openPty(bench.place, command, 'go');
  await pty.seen(() => pty.shows(ready) && pty.shows('go'));
  // Whatever is loaded ahead of the first prompt has been loaded.
  await pty.settled(600);
  const [cpu, bytes] = [processorSeconds(pty.pid), pty.bytes()];
  const began = performance.now();
  pty.write('\r');
  const ended = await pty.seen(() => pty.shows(END), 60_000);
  await pty.settled(300);
  return {
    ms: ended - began,
    cpu: processorSeconds(pty.pid) - cpu,
    kilobytes: (pty.bytes() - bytes) / 1024,
  };
};

const both = (bench: Bench, rounds: number, tokens: number, perSecond?: number) =>
  alternate(rounds, {
    ink: () => streamed(bench, [bench.node, bench.floors.ink], '╰', tokens, perSecond),
    ours: () => streamed(bench, bench.coppice, ATTACHED, tokens, perSecond),
  });

export const burst: Measurement = {
  name: 'burst',
  about: '20,000 tokens streamed at once',
  async run(bench) {
    const runs = await both(bench, bench.quick ? 1 : 6, 20_000);
    return [
      {
        what: '20,000 tokens at once, wall',
        unit: 'ms',
        floors: { ink: medianOf(runs.ink, 'ms') },
        ours: medianOf(runs.ours, 'ms'),
        foundation: { times: 2 },
        target: { times: 1.3 },
      },
      {
        what: '20,000 tokens at once, processor',
        unit: 's',
        floors: { ink: medianOf(runs.ink, 'cpu') },
        ours: medianOf(runs.ours, 'cpu'),
        target: { times: 0.6 / 0.4 },
      },
      {
        what: '20,000 tokens at once, to the terminal',
        unit: 'KB',
        floors: { ink: medianOf(runs.ink, 'kilobytes') },
        ours: medianOf(runs.ours, 'kilobytes'),
        target: { at: 120 },
      },
    ];
  },
};

export const steady: Measurement = {
  name: 'steady',
  about: '500 tokens a second for 10 s',
  async run(bench) {
    const runs = await both(bench, bench.quick ? 1 : 3, bench.quick ? 1000 : 5000, 500);
    return [
      {
        what: '500 tokens a second for 10 s, processor',
        unit: 's',
        floors: { ink: medianOf(runs.ink, 'cpu') },
        ours: medianOf(runs.ours, 'cpu'),
        foundation: { times: 1.7 / 0.7 },
        target: { times: 0.9 / 0.7 },
      },
      {
        what: '500 tokens a second for 10 s, to the terminal',
        unit: 'KB',
        floors: { ink: medianOf(runs.ink, 'kilobytes') },
        ours: medianOf(runs.ours, 'kilobytes'),
        target: { at: 110 },
      },
    ];
  },
};
