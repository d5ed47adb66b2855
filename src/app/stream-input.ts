import { createInterface } from 'node:readline';
import { readMessage, type StreamMessage } from '../front/headless/input.ts';
import type { Host } from './host.ts';

/** Messages from standard input, one per line, as they come; ends with the input. */
export async function* readMessages(
  host: Host,
): AsyncGenerator<StreamMessage | { readonly problem: string }> {
  let number = 0;
  const lines = createInterface({ input: host.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  host.stdin.once('close', () => lines.close());
  for await (const raw of lines) {
    number += 1;
    if (raw.trim() !== '') yield readMessage(raw, number);
  }
}
