import { createInterface } from 'node:readline';
import { readControl } from '../front/headless/control.ts';
import { readMessage, type StreamMessage } from '../front/headless/input.ts';
import type { ControlDesk } from './control-desk.ts';
import type { Host } from './host.ts';

type Read = StreamMessage | { readonly problem: string };

/** Messages from standard input, one per line; ends with the input. What the desk takes is taken at once, in mid-turn too. */
export async function* readMessages(host: Host, desk: ControlDesk): AsyncGenerator<Read> {
  let number = 0;
  let ended = false;
  const waiting: Read[] = [];
  let wake = Promise.withResolvers<void>();
  const lines = createInterface({ input: host.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  host.stdin.once('close', () => lines.close());
  lines.on('line', (raw) => {
    number += 1;
    if (raw.trim() === '') return;
    const control = readControl(jsonOf(raw));
    if (control) return desk.take(control);
    waiting.push(readMessage(raw, number));
    wake.resolve();
  });
  lines.once('close', () => {
    ended = true;
    desk.close();
    wake.resolve();
  });
  for (;;) {
    const next = waiting.shift();
    if (next) {
      await desk.done();
      yield next;
    } else if (ended) return;
    else {
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }
}

const jsonOf = (raw: string): unknown => {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
};
