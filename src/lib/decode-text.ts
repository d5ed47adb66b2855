/** Bytes of a definition as text, whatever its author's editor made of them. */

export interface Decoded {
  readonly text: string;
  readonly repairs: readonly string[];
  readonly problems: readonly string[];
}

const plain = (text: string, ...repairs: string[]): Decoded => ({ text, repairs, problems: [] });

/** UTF-16 by its mark, or by the zeros between the letters of its first line. */
const wideEncoding = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe) || (a && b === 0 && c && d === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b && c === 0 && d)) return 'utf-16be';
  return undefined;
};

const withoutZeros = (text: string): Decoded =>
  text.includes('\0') ? plain(text.replaceAll('\0', ''), 'Zero bytes were left out.') : plain(text);

/** `whole` is false for the beginning of a file, which may end inside a letter. */
export const decode = (bytes: Uint8Array, whole: boolean): Decoded => {
  const wide = wideEncoding(bytes);
  if (wide)
    return plain(
      new TextDecoder(wide).decode(bytes),
      'The file is UTF-16; it was read as such. Save it as UTF-8.',
    );
  try {
    return withoutZeros(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole }),
    );
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const holdsUtf8 = /[^\p{ASCII}\ufffd]/u.test(text);
    return holdsUtf8
      ? { text, repairs: [], problems: ['The file is not valid UTF-8; broken signs are shown as \ufffd.'] }
      : plain(
          new TextDecoder('windows-1252').decode(bytes),
          'The file is not UTF-8; it was read as Latin-1. Save it as UTF-8.',
        );
  }
};
