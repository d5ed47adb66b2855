import { setTimeout as sleep } from 'node:timers/promises';
import { echoes } from '../echo.ts';
import { megabytes } from '../process.ts';
import { prose } from '../prose.ts';
import { openPty } from '../pty.ts';
import type { Bench, Measurement } from '../row.ts';
import { median, quantile } from '../stats.ts';
import { ATTACHED } from './start.ts';

/** Many turns in one conversation, then keys at rest, then keys while an answer streams. */
const conversation = async (bench: Bench, command: readonly string[], ready: string, turns: number) => {
  bench.model.play((serial) => ({
    blocks: [{ type: 'text', text: `${prose(60)}\n\nanswer-${serial}-end` }],
    chunk: 4,
  }));
  await using pty = await openPty(bench.place, command, ' ');
  await pty.seen(() => pty.shows(ready));
  await pty.settled(600);
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    pty.write(`question ${turn}`);
    await pty.seen(() => pty.shows(`question ${turn}`));
    const began = performance.now();
    pty.write('\r');
    times.push((await pty.seen(() => pty.shows(`answer-${turn}-end`))) - began);
    // The turn is over when the screen rests: the next one must not queue behind it.
    await pty.settled(40);
  }
  await pty.settled(300);
  const memory = megabytes(pty.pid);
  pty.write(' ');
  const idle = await echoes(pty, bench.quick ? 20 : 200, 10);
  await pty.settled(200);
  bench.model.play(() => ({ blocks: [{ type: 'text', text: prose(3000) }], perSecond: 500, chunk: 4 }));
  pty.write('go\r');
  await sleep(300);
  pty.write(' ');
  const streaming = await echoes(pty, bench.quick ? 20 : 150, 17);
  const edge = Math.min(20, Math.floor(turns / 2));
  return {
    first: median(times.slice(0, edge)),
    last: median(times.slice(-edge)),
    p50: quantile(idle, 0.5),
    p99: quantile(idle, 0.99),
    streaming: quantile(streaming, 0.99),
    memory,
  };
};

export const turns: Measurement = {
  name: 'turns',
  about: '200 turns, then keys at rest and while an answer streams',
  async run(bench) {
    const count = bench.quick ? 20 : 200;
    const ink = await conversation(bench, [bench.node, bench.floors.ink], '╰', count);
    const ours = await conversation(bench, bench.coppice, ATTACHED, count);
    // Factors: the goals were set where the floor takes 6, 5, 0.8, 1.3 and 3.1 ms.
    const row = (what: string, key: keyof typeof ours, foundation: number, target: number) => ({
      what,
      unit: 'ms',
      floors: { ink: ink[key] },
      ours: ours[key],
      foundation: { times: foundation },
      target: { times: target },
    });
    return [
      row('a turn, first 20 of 200', 'first', 30 / 6, 10 / 6),
      row('a turn, last 20 of 200', 'last', 30 / 5, 10 / 5),
      row('key echo after 200 turns, p50', 'p50', 4 / 0.8, 1.2 / 0.8),
      row('key echo after 200 turns, p99', 'p99', 15 / 1.3, 4 / 1.3),
      row('key echo while streaming, p99', 'streaming', 20 / 3.1, 5 / 3.1),
      {
        what: 'memory after 200 turns',
        unit: 'MB',
        floors: { ink: ink.memory },
        ours: ours.memory,
        foundation: { at: 260 },
        target: { at: 180 },
      },
    ];
  },
};
