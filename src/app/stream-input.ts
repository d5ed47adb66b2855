import { createInterface } from 'node:readline';
import { readMessage, type StreamMessage } from '../front/headless/input.ts';
import type { Host } from './host.ts';

/** Messages from standard input, one per line, as they come; ends with the input. */
export async function* readMessages(
  host: Host,
): AsyncGenerator<StreamMessage | { readonly problem: string }> {
  let number = 0;
  for await (const raw of createInterface({ input: host.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (raw.trim() !== '') yield readMessage(raw, number);
  }
}
