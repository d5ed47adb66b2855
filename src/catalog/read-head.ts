import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/** Long enough for nearly every frontmatter and the first paragraph below it. */
const HEAD = 8192;

export interface Head {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly repairs: readonly string[];
  readonly problems: readonly string[];
}

/** Bytes as text: UTF-8, or UTF-16 with its mark; what is neither stays readable with signs for the broken bytes. */
export const decode = (bytes: Uint8Array, whole: boolean): Omit<Head, 'bytes'> => {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (wide) {
    const text = new TextDecoder(wide).decode(bytes);
    return { text, repairs: ['The file is UTF-16; it was read as such. Save it as UTF-8.'], problems: [] };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });
    return { text, repairs: [], problems: [] };
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return {
      text,
      repairs: [],
      problems: ['The file is not valid UTF-8; broken signs are shown as \ufffd.'],
    };
  }
};

/** True when the text opens a block or a fence that does not end in it. */
const isCut = (text: string): boolean =>
  /^\ufeff?\s*(?:---|```|~~~|<!--)/.test(text) &&
  !/\n(?:-{3,}|\.{3})[ \t]*\r?\n/.test(text.replace(/^\ufeff?\s*-{3,}/, ''));

/** The beginning of a file, or all of it when its frontmatter is longer. Throws when it cannot be read. */
export const readHead = (path: string, buffer: Uint8Array): Head => {
  const fd = openSync(path, 'r');
  try {
    const read = readSync(fd, buffer, 0, HEAD, 0);
    const { size } = fstatSync(fd);
    const head = decode(buffer.subarray(0, read), size <= read);
    if (size <= read || !isCut(head.text)) return { ...head, bytes: size };
    return { ...decode(readFileSync(fd), true), bytes: size };
  } finally {
    closeSync(fd);
  }
};

export const headBuffer = (): Uint8Array => Buffer.allocUnsafe(HEAD);
