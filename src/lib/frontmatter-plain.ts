import { isUnlikelyKey, proseKeys } from './frontmatter-keys.ts';

const line = /^([A-Za-z][\w-]*):(?: +(.*?))? *$/;
/** What YAML would not leave as it stands: another type, or a sign with a meaning. */
const resolves = /^(?:true|false|null)$/i;
const plainText = /^\p{L}[^\t\p{Cc}]*$/u;
/** What JSON and YAML read alike. */
const doubleQuoted = /^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"$/u;
const flowItem = /^[A-Za-z_][\w./*@-]*$/;

const scalarOf = (text: string): unknown => {
  if (doubleQuoted.test(text)) return JSON.parse(text);
  const quoted = /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d+\.\d+\.[\d.]*\d$|^\d{4}-\d\d-\d\d$/.test(text)) return text;
  if (/^\d+(?:\.\d+)?$/.test(text)) return String(Number(text)) === text ? Number(text) : text;
  if (plainText.test(text))
    return text.includes(': ') || text.includes(' #') || text.endsWith(':') || resolves.test(text)
      ? undefined
      : text;
  const flow = /^\[([^[\]]*)\]$/.exec(text);
  if (!flow?.[1]) return undefined;
  const items = flow[1].split(',').map((item) => item.trim());
  return items.every((item) => flowItem.test(item) && !resolves.test(item)) ? items : undefined;
};

/**
 * Reads a block that holds nothing but unmistakable `key: text` lines: most files, at a tenth of the price of a parser.
 * Undefined for everything that is not plain beyond doubt.
 */
export const readPlain = (block: string): ReadonlyMap<string, unknown> | undefined => {
  const fields = new Map<string, unknown>();
  for (const row of block.split('\n')) {
    if (row === '') continue;
    const match = line.exec(row);
    const key = match?.[1];
    const value = match?.[2] ? scalarOf(match[2]) : undefined;
    if (!key || value === undefined || fields.has(key) || isUnlikelyKey(key)) return undefined;
    if (proseKeys.has(key) && typeof value !== 'string') return undefined;
    fields.set(key, value);
  }
  return fields.size > 0 ? fields : undefined;
};
