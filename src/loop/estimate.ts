/** How much of the window something fills when nobody counts exactly; estimates err on the large side. */

/** UTF-8 bytes a token stands for at least, in code and in scripts of other alphabets alike. */
export const bytesPerToken = 3;
/** What is shown costs by what is seen, not by its bytes; the largest picture, and ten pages, cost about this. */
const mediaTokens: Readonly<Record<string, number>> = { image: 1_700, document: 30_000 };

const tokensShown = (value: unknown): number | undefined =>
  typeof value === 'object' && value !== null && 'type' in value && 'source' in value
    ? mediaTokens[String(value.type)]
    : undefined;

/** Bytes of a value as it is sent, pictures and documents as what they cost. */
export const weight = (value: unknown): number => {
  let tokens = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    const shown = tokensShown(part);
    if (shown === undefined) return part;
    tokens += shown;
    return null;
  });
  return Buffer.byteLength(text ?? '') + tokens * bytesPerToken;
};

/** Tokens, rounded up. */
export const estimate = (value: unknown): number => Math.ceil(weight(value) / bytesPerToken);

/** A lower bound of the tokens of a value, found without making another text of it: for the very large. */
export const atLeast = (value: unknown): number => {
  if (typeof value === 'string') return value.length / MOST_CHARS_A_TOKEN;
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + atLeast(part), 0);
  if (typeof value !== 'object' || value === null || tokensShown(value) !== undefined) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + atLeast(part), 0);
};

/** Even plain prose and blanks do not pack more into one. */
const MOST_CHARS_A_TOKEN = 8;
