/** Reads a file of lines from disk in pieces, so that its size does not matter; says where each line lies. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { regularOnly } from '../lib/regular-file.ts';

export interface ScannedLine {
  /** Undefined when the bytes are not valid UTF-8 or the line is longer than a string can be. */
  readonly text: string | undefined;
  readonly start: number;
  /** Without the line end. */
  readonly end: number;
  /** False for the last line of a file that does not end in a line end. */
  readonly ended: boolean;
}

const PIECE = 1 << 20;
const MAX_LINE = 400 * 1024 * 1024;
const LF = 10;

/** Every non-empty line of a file. NUL bytes around a line (left by a lost power supply) do not count as text. */
export async function* scanLines(path: string, from = 0): AsyncGenerator<ScannedLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held: Buffer[] = [];
  let heldBytes = 0;
  let start = from;
  const line = (ended: boolean): ScannedLine => {
    const bytes = held.length === 1 && held[0] ? held[0] : Buffer.concat(heldBytes > MAX_LINE ? [] : held);
    const scanned = {
      text: heldBytes > MAX_LINE ? undefined : decode(decoder, bytes),
      start,
      end: start + heldBytes,
      ended,
    };
    held = [];
    heldBytes = 0;
    return scanned;
  };
  regularOnly(path, await stat(path));
  for await (const piece of createReadStream(path, { start: from, highWaterMark: PIECE })) {
    const bytes: Buffer = piece;
    let at = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, at)) {
      held.push(bytes.subarray(at, end));
      heldBytes += end - at;
      at = end + 1;
      const size = heldBytes;
      if (size > 0) yield line(true);
      else held = [];
      start += size + 1;
    }
    if (at < bytes.length) {
      held.push(bytes.subarray(at));
      heldBytes += bytes.length - at;
    }
  }
  if (heldBytes > 0) yield line(false);
}

const decode = (decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined => {
  let first = 0;
  let last = bytes.length;
  while (first < last && bytes[first] === 0) first++;
  while (last > first && bytes[last - 1] === 0) last--;
  try {
    return decoder.decode(bytes.subarray(first, last));
  } catch {
    return undefined;
  }
};
