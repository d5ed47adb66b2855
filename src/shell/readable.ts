/** Bytes of a command made readable for the model: whole characters, a cap, and a word on what is missing. */

const decoder = new TextDecoder();

/** A cut may fall into a character of up to four bytes: its stump is left out. */
const withoutStump = (bytes: Buffer): Buffer => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return width > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
};

const withoutRest = (bytes: Buffer): Buffer => {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
};

/** Decodes the beginning of something longer. */
export const headText = (bytes: Buffer): string => plain(decoder.decode(withoutStump(bytes)));
/** Decodes the end of something longer. */
export const tailText = (bytes: Buffer): string => plain(decoder.decode(withoutRest(bytes)));
/** Decodes the whole. */
export const wholeText = (bytes: Buffer): string => plain(decoder.decode(bytes));

/** NUL bytes separate names in some listings; a visible mark survives every reader. */
const plain = (text: string): string => text.replaceAll('\0', '\u2400');

/** Cuts at the end of a line where one is near, and never between the halves of a character. */
export const firstChars = (text: string, count: number): string => {
  if (text.length <= count) return text;
  const line = text.lastIndexOf('\n', count - 1) + 1;
  if (line > count * 0.9) return text.slice(0, line);
  const end = isHighSurrogate(text, count - 1) ? count - 1 : count;
  return text.slice(0, end);
};

export const lastChars = (text: string, count: number): string => {
  if (text.length <= count) return text;
  const from = text.length - count;
  const line = text.indexOf('\n', from) + 1;
  if (line > 0 && line - from < count * 0.1) return text.slice(line);
  return text.slice(isHighSurrogate(text, from - 1) ? from + 1 : from);
};

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;

const SAMPLE_BYTES = 8_192;

/** A program's own bytes rather than text: NULs among many other characters that no text has. */
export const looksBinary = (bytes: Buffer): boolean => {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (!sample.includes(0)) return false;
  const text = headText(sample);
  let odd = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27)) odd++;
  }
  return odd > text.length * 0.05;
};
