import { echoes } from '../echo.ts';
import { prose } from '../prose.ts';
import { openPty, type Pty } from '../pty.ts';
import type { Bench, Measurement } from '../row.ts';
import { quantile } from '../stats.ts';
import { ATTACHED } from './start.ts';

const AGENTS = 10;
const PER_SECOND = 300;
/** Enough for a minute. */
const TOKENS = 2500;

/** Keys typed while `PER_SECOND` pieces arrive every second, in one stream or from ten agents. */
const typed = async (pty: Pty, bench: Bench, begun: () => boolean) => {
  await pty.settled(600);
  pty.write('go\r');
  await pty.seen(begun, 60_000);
  pty.write(' ');
  const times = await echoes(pty, bench.quick ? 20 : 150, 17);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
};

const one = async (bench: Bench) => {
  bench.model.play(() => ({
    blocks: [{ type: 'text', text: prose(AGENTS * TOKENS) }],
    perSecond: PER_SECOND,
    chunk: 4,
  }));
  await using pty = await openPty(bench.place, [bench.node, bench.floors.ink], ' ');
  await pty.seen(() => pty.shows('╰'));
  const before = pty.bytes();
  return await typed(pty, bench, () => pty.bytes() > before + 2000);
};

const ten = async (bench: Bench) => {
  const start = (n: number) =>
    ({
      type: 'tool_use',
      name: 'AgentTool',
      json: JSON.stringify({ prompt: `Job ${n}.`, description: `Do job ${n}`, run_in_background: true }),
    }) as const;
  bench.model.play((serial, body) => {
    if (serial === 0) return { blocks: Array.from({ length: AGENTS }, (_, n) => start(n)) };
    return /"Job \d\."/.test(body)
      ? { blocks: [{ type: 'text', text: prose(TOKENS) }], perSecond: PER_SECOND / AGENTS, chunk: 4 }
      : { blocks: [{ type: 'text', text: 'They are at it.' }] };
  });
  await using pty = await openPty(bench.place, bench.coppice, ' ');
  await pty.seen(() => pty.shows(ATTACHED));
  const writing = () => pty.rows().filter((row) => /Do job \d +writing/.test(row)).length === AGENTS;
  return await typed(pty, bench, writing);
};

export const watching: Measurement = {
  name: 'watching',
  about: 'keys while ten agents write 300 pieces a second',
  async run(bench) {
    const floor = await one(bench);
    const ours = await ten(bench);
    const row = (what: string, key: keyof typeof ours) => ({
      what: `key echo while ten agents write 300 pieces a second, ${what}`,
      unit: 'ms',
      floors: { ink: floor[key] },
      ours: ours[key],
      // The goals of a key beside one stream.
      foundation: { times: 20 / 3.1 },
      target: { times: 5 / 3.1 },
    });
    return [row('p50', 'p50'), row('p99', 'p99')];
  },
};
