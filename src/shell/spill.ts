import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { errorText } from '../lib/error-text.ts';
import { headTail } from './head-tail.ts';

const TAIL_BYTES = 8 * 1024 * 1024;
const NOTE_BYTES = 512;
const CREATE = constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_WRONLY;

/** A command's output on disk, 0600: its head as it comes, its tail at the end when it grew over the cap. */
export interface Spill {
  write(chunk: Buffer): void;
  /** Adds the tail and closes the file. */
  finish(): void;
  /** Why the file is not whole, as a sentence. */
  problem(): string | undefined;
}

/**
 * Writes are synchronous: this is the backpressure that keeps `yes` out of memory, and at most `maxBytes`
 * are ever written. A full disk ends the file, never the command.
 */
export const spillTo = (path: string, maxBytes: number): Spill => {
  const tailBytes = Math.min(TAIL_BYTES, Math.floor(maxBytes / 4));
  const headBytes = maxBytes - tailBytes - NOTE_BYTES;
  const rest = headTail(0, tailBytes);
  let written = 0;
  let problem: string | undefined;
  let file: number | undefined;

  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      problem = `The output file ${path} is not whole: ${errorText(error)}.`;
    }
  };
  const put = (bytes: Buffer): void => {
    let from = 0;
    while (file !== undefined && from < bytes.length) from += writeSync(file, bytes, from);
  };

  attempt(() => {
    file = openSync(path, CREATE, 0o600);
  });

  return {
    write: (chunk) => {
      if (problem !== undefined) return;
      const room = Math.min(chunk.length, headBytes - written);
      if (room > 0) {
        attempt(() => put(chunk.subarray(0, room)));
        written += room;
      }
      if (room < chunk.length) rest.push(chunk.subarray(room));
    },
    finish: () => {
      if (file === undefined) return;
      const open = file;
      if (problem === undefined && rest.total() > 0) {
        const missing = rest.dropped();
        const note =
          missing > 0 ? `\n[${missing} bytes are missing here: this file keeps at most ${maxBytes}]\n` : '';
        attempt(() => {
          put(Buffer.from(note));
          put(rest.tail());
        });
      }
      attempt(() => closeSync(open));
      file = undefined;
    },
    problem: () => problem,
  };
};
