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

/** The text with every secret replaced by `[masked]`. Values under six characters are left: they would mask ordinary words. */
export const mask = (text: string, secrets: readonly (string | undefined)[]): string =>
  secrets
    .flatMap((secret) => (secret !== undefined && secret.length >= SHORTEST ? spellings(secret) : []))
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, spelling) => masked.replaceAll(spelling, '[masked]'), text);
