import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { SeenFile } from '../contract/state.ts';
import { openFile } from './disk-file.ts';

const LINE_END = 10;
const PIECE_BYTES = 256 * 1024;

export interface BigExcerpt {
  readonly lines: readonly string[];
  readonly totalLines: number;
  readonly seen: SeenFile;
  readonly binary: boolean;
}

/** Some lines of a file that is too big to hold: it is read once, in pieces, for its lines and for its identity. */
export const readPart = async (
  real: string,
  first: number,
  count: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<BigExcerpt> => {
  const file = await openFile(real, constants.O_RDONLY);
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let size = 0;
  let last = LINE_END;
  let binary = false;
  try {
    const { mtimeMs } = await file.stat();
    for await (const piece of file.createReadStream({
      highWaterMark: PIECE_BYTES,
      autoClose: false,
      signal,
    })) {
      const bytes = Buffer.from(piece);
      hash.update(bytes);
      if (size === 0) binary = bytes.includes(0);
      size += bytes.length;
      last = bytes.at(-1) ?? last;
      for (let from = 0; from < bytes.length; ) {
        const end = bytes.indexOf(LINE_END, from) + 1 || bytes.length;
        if (line >= first && line < first + count && keptBytes < maxBytes) {
          const part = bytes.subarray(from, Math.min(end, from + maxBytes - keptBytes));
          kept.push(part);
          keptBytes += part.length;
        }
        if (bytes[end - 1] === LINE_END) line++;
        from = end;
      }
    }
    const text = Buffer.concat(kept).toString('utf8');
    return {
      lines: text === '' ? [] : text.replace(/\n$/, '').split('\n'),
      totalLines: last === LINE_END ? line - 1 : line,
      seen: { hash: hash.digest('base64url'), mtimeMs, size },
      binary,
    };
  } finally {
    await file.close();
  }
};
