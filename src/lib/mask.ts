const SHORTEST = 6;

/** Every spelling under which a secret may turn up: as it is, inside JSON, inside a URL, in base64 (basic authorization). */
const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  btoa(unescaped(secret)),
];

/** `btoa` takes bytes only. */
const unescaped = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

type Secrets = readonly (string | undefined)[];

const hiddenOf = (secrets: Secrets): readonly string[] =>
  secrets
    .flatMap((secret) => (secret !== undefined && secret.length >= SHORTEST ? spellings(secret) : []))
    .toSorted((one, other) => other.length - one.length);

const hide = (text: string, hidden: readonly string[]): string =>
  hidden.reduce((masked, spelling) => masked.replaceAll(spelling, '[masked]'), text);

/** The text with every secret replaced by `[masked]`. Values under six characters are left: they would mask ordinary words. */
export const mask = (text: string, secrets: Secrets): string => hide(text, hiddenOf(secrets));

/** The same for many texts: the spellings are found once. */
export const masker = (secrets: Secrets): ((text: string) => string) => {
  const hidden = hiddenOf(secrets);
  return (text) => hide(text, hidden);
};

/** Thinking is left as it is: its proof covers every letter, and the service takes no other. */
const isThinking = (value: object): boolean => 'type' in value && value.type === 'thinking';

const hideWithin = (value: unknown, hidden: readonly string[]): unknown => {
  if (typeof value === 'string') return hide(value, hidden);
  if (typeof value !== 'object' || value === null || isThinking(value)) return value;
  if (Array.isArray(value)) return value.map((one) => hideWithin(one, hidden));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hideWithin(one, hidden)]));
};

/** Plain data with secrets masked in all its texts; the very same value when it holds none. */
export const maskAll = <T extends object>(value: T, secrets: Secrets): T => {
  const hidden = hiddenOf(secrets);
  if (hidden.length === 0) return value;
  const text = JSON.stringify(value);
  // A copy of the same shape: only texts differ.
  return hidden.some((one) => text.includes(one)) ? (hideWithin(value, hidden) as T) : value;
};

/** Masks a text that comes in pieces: what may be the beginning of a secret is held until more is known. */
export const maskPieces = (secrets: Secrets) => {
  const hidden = hiddenOf(secrets);
  let held = '';
  return {
    /** What can be shown now. */
    take(piece: string): string {
      const text = hide(held + piece, hidden);
      const shown = text.length - Math.max(0, ...hidden.map((one) => overlap(text, one)));
      held = text.slice(shown);
      return text.slice(0, shown);
    },
    /** No more comes: it was no secret. */
    rest(): string {
      const text = held;
      held = '';
      return text;
    },
  };
};

/** How many characters at the end of a text begin the other one. */
const overlap = (text: string, other: string): number => {
  if (!other.includes(text.slice(-1))) return 0;
  for (let count = Math.min(text.length, other.length - 1); count > 0; count -= 1)
    if (other.startsWith(text.slice(text.length - count))) return count;
  return 0;
};
