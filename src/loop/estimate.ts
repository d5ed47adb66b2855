/** How much of the window something fills when nobody counts exactly; estimates err on the large side. */

/** UTF-8 bytes a token stands for at least, in code and in scripts of other alphabets alike. */
export const bytesPerToken = 3;
/** A picture costs by its size in pixels, not by its bytes; the largest that is sent costs about this. */
const pictureBytes = 1_700 * bytesPerToken;

const isPicture = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'image';

/** Bytes of a value as it is sent, pictures as what they cost. */
export const weight = (value: unknown): number => {
  let pictures = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isPicture(part)) return part;
    pictures += 1;
    return null;
  });
  return Buffer.byteLength(text ?? '') + pictures * pictureBytes;
};

/** Tokens, rounded up. */
export const estimate = (value: unknown): number => Math.ceil(weight(value) / bytesPerToken);

/** A lower bound of the tokens of a value, found without making another text of it: for the very large. */
export const atLeast = (value: unknown): number => {
  if (typeof value === 'string') return value.length / MOST_CHARS_A_TOKEN;
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + atLeast(part), 0);
  if (typeof value !== 'object' || value === null || isPicture(value)) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + atLeast(part), 0);
};

/** Even plain prose and blanks do not pack more into one. */
const MOST_CHARS_A_TOKEN = 8;
