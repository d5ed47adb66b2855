/** How the text of a file is stored, so that what is written back differs only where it was edited. */
export interface TextFile {
  /** Without the byte order mark; line endings as they are. */
  readonly text: string;
  readonly encoding: Encoding;
  readonly mark: boolean;
}
export type Encoding = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

export const NEW_FILE: Omit<TextFile, 'text'> = { encoding: 'utf8', mark: false };

const MARK = '\ufeff';
const SAMPLE_BYTES = 65_536;

/** Undefined for what is no text in any encoding that can be written back byte by byte. */
export const decode = (bytes: Buffer): TextFile | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return lossless(bytes, 'utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return lossless(bytes, 'utf16be');
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) return undefined;
  const text = utf8(bytes);
  if (text !== undefined) return withoutMark(text, 'utf8');
  return looksLikeText(bytes)
    ? { text: bytes.toString('latin1'), encoding: 'latin1', mark: false }
    : undefined;
};

/** A sentence when the text cannot be stored that way. */
export const encode = ({ text, encoding, mark }: TextFile): Buffer | { readonly problem: string } => {
  if (encoding === 'latin1' && /[^\u0000-\u00ff]/.test(text)) {
    const foreign = /[^\u0000-\u00ff]/u.exec(text)?.[0] ?? '';
    return {
      problem: `The file is stored as Latin-1, which has no "${foreign}". Use other characters, or convert the file to UTF-8 first.`,
    };
  }
  return stored(mark ? MARK + text : text, encoding);
};

/** What a person calls it; undefined for plain UTF-8. */
export const encodingName = ({ encoding, mark }: Omit<TextFile, 'text'>): string | undefined => {
  if (encoding === 'utf8') return mark ? 'UTF-8 with a byte order mark' : undefined;
  return { utf16le: 'UTF-16LE', utf16be: 'UTF-16BE', latin1: 'Latin-1' }[encoding];
};

const stored = (text: string, encoding: Encoding): Buffer =>
  encoding === 'utf16be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, encoding);

const lossless = (bytes: Buffer, encoding: 'utf16le' | 'utf16be'): TextFile | undefined => {
  if (bytes.length % 2 === 1) return undefined;
  const little = encoding === 'utf16be' ? Buffer.from(bytes).swap16() : bytes;
  return withoutMark(little.toString('utf16le'), encoding);
};

const withoutMark = (text: string, encoding: Encoding): TextFile =>
  text.startsWith(MARK) ? { text: text.slice(1), encoding, mark: true } : { text, encoding, mark: false };

const utf8 = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Bytes that no text has, other than tab, line ends, form feed, backspace and escape. */
const looksLikeText = (bytes: Buffer): boolean => {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const odd = sample.filter((byte) => (byte < 32 && ![8, 9, 10, 12, 13, 27].includes(byte)) || byte === 127);
  return odd.length <= sample.length * 0.01;
};
