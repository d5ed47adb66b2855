import { closeSync, readFileSync, readSync, type Stats } from 'node:fs';
import { type Decoded, decode } from '../lib/decode-text.ts';
import { openRegularSync } from '../lib/regular-file.ts';

/** Long enough for nearly every frontmatter and the first paragraph below it. */
export const HEAD = 8192;

export interface Head extends Decoded {
  /** Size of the whole file. */
  readonly bytes: number;
}

/** True when the text opens a block or a fence, perhaps below a heading, that does not end in it. */
const isCut = (text: string): boolean => {
  if (!/^\ufeff?\s*(?:#[^\n]*\n\s*)?(?:---|```|~~~|<!--)/.test(text)) return false;
  const opening = /^\ufeff?[ \t]*-{3,}[ \t]*(?:ya?ml|json)?[ \t]*\r?$/im.exec(text);
  return !opening || !/\n(?:-{3,}|\.{3})[ \t]*\r?\n/.test(text.slice(opening.index + opening[0].length));
};

/** The beginning of a file, or all of it when its frontmatter is longer. Throws when it cannot be read. */
export const readHead = (path: string, buffer: Uint8Array, seen?: Stats): Head => {
  const { fd, size } = openRegularSync(path, undefined, seen);
  try {
    const read = readSync(fd, buffer, 0, HEAD, 0);
    const head = decode(buffer.subarray(0, read), size <= read);
    if (size <= read || !isCut(head.text)) return { ...head, bytes: size };
    return { ...decode(readFileSync(fd), true), bytes: size };
  } finally {
    closeSync(fd);
  }
};

export const headBuffer = (): Uint8Array => Buffer.allocUnsafe(HEAD);
