/** Frontmatter as the rest of the program wants it: lists as lists, hints as typed, keys as written (ruling 54). */
import { type Parting, splitOutsideBrackets } from '../lib/split-list.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Normalised {
  readonly fields: Fields;
  readonly repairs: readonly string[];
  readonly problems: readonly string[];
}

/** `allowed-tools`, `allowed_tools` and `allowedTools` are one key. */
export const plainKey = (key: string): string => key.toLowerCase().replace(/[-_]/g, '');

const lists: ReadonlyMap<string, Parting | 'names'> = new Map<string, Parting | 'names'>([
  ['tools', 'commas and blanks'],
  ['allowedtools', 'commas and blanks'],
  ['disallowedtools', 'commas and blanks'],
  ['skills', 'names'],
  ['paths', 'commas'],
]);

/** The list inside `[...]`, closed or not. */
const withoutBrackets = (text: string): string =>
  text.startsWith('[')
    ? text.slice(1).replace(/\]$/, '')
    : text.includes('[')
      ? text
      : text.replace(/\]$/, '');

/** Commas part names that hold blanks; where there is no comma, blanks part them. Globs with blanks stay whole. */
const split = (text: string, parting: Parting | 'names'): readonly string[] => {
  const inner = withoutBrackets(text.trim());
  if (parting === 'names')
    return splitOutsideBrackets(inner, inner.includes(',') ? 'commas' : 'commas and blanks');
  const items = splitOutsideBrackets(inner, parting).map((item) => item.replace(/^[“”„‘’]+|[“”„‘’]+$/g, ''));
  const globs = inner.trim().split(/\s+/);
  return parting === 'commas' && items.length === 1 && globs.every((glob) => glob.includes('*'))
    ? globs
    : items;
};

/** `[Bash(a,b), Read]` as a flow list is torn inside its brackets: put together what belongs together. */
const mended = (items: readonly string[]): readonly string[] => {
  const whole: string[] = [];
  const open = (text: string) => text.split('(').length > text.split(')').length;
  for (const item of items) {
    const before = whole.at(-1);
    if (before !== undefined && open(before)) whole[whole.length - 1] = `${before},${item}`;
    else whole.push(item);
  }
  return whole;
};

/** `- Bash(npm run x: y)` is a map to YAML; so is `Read: true`. */
const itemsOf = (value: unknown, key: string, repairs: string[]): readonly string[] => {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [String(value)];
  repairs.push(`An item of ${key} is a map to YAML; it was read as names.`);
  return Object.entries(value).flatMap(([name, on]) => {
    if (on === false) return [];
    return name.includes('(') && !name.includes(')') ? [`${name}: ${String(on)}`] : [name];
  });
};

const toList = (
  key: string,
  value: unknown,
  written: string | undefined,
  parting: Parting | 'names',
  { repairs, problems }: { readonly repairs: string[]; readonly problems: string[] },
): readonly string[] => {
  if (typeof value === 'string') return split(value, parting);
  if (!Array.isArray(value)) {
    if (typeof value !== 'object') problems.push(`${key} should be text or a list, not ${String(value)}.`);
    return itemsOf(value, key, repairs);
  }
  const flow = /^(\[.*\(.*\])(?:\s+#.*)?$/.exec(written ?? '')?.[1];
  if (flow) return split(flow, parting);
  const items = mended(value.flatMap((item) => itemsOf(item, key, repairs)));
  return parting === 'names' ? items : items.flatMap((item) => split(item, parting));
};

/** A hint that YAML took for a list, as it was typed. */
const hint = (value: unknown, written: string | undefined): unknown => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (written) return written.replace(/\s+#.*$/, '');
  return Array.isArray(value) ? value.map((item) => `[${String(item)}]`).join(' ') : value;
};

/** null falls away; the five list keys become arrays, the argument hint text. */
export const normalise = (raw: Fields, written: Readonly<Record<string, string>>): Normalised => {
  const repairs: string[] = [];
  const problems: string[] = [];
  const fields = Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    if (value === null || value === undefined) return [];
    const plain = plainKey(key);
    const parting = lists.get(plain);
    if (plain === 'description' && Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
      repairs.push(`${key} is a list; its items were read as one text.`);
      return [[key, value.join(' ')]];
    }
    if (parting) return [[key, toList(key, value, written[key], parting, { repairs, problems })]];
    return [[key, plain === 'argumenthint' ? hint(value, written[key]) : value]];
  });
  return { fields: Object.fromEntries(fields), repairs, problems };
};

/** Whether two spellings can be one key; cheap enough for every key of thousands of files. */
const alike = (a: string, b: string): boolean =>
  Math.abs(a.length - b.length) < 4 &&
  a.charCodeAt(0) % 32 === b.charCodeAt(0) % 32 &&
  plainKey(a) === plainKey(b);

/** The value under a key in any of its spellings; the first name that is there wins. */
export const pick = (fields: Fields, ...names: readonly string[]): unknown => {
  for (const name of names) {
    if (fields[name] !== undefined) return fields[name];
    for (const key in fields) if (alike(key, name) && fields[key] !== undefined) return fields[key];
  }
  return undefined;
};

const listOf = (value: unknown, parting: Parting): readonly string[] | undefined => {
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string');
  return typeof value === 'string' ? split(value, parting) : undefined;
};

/** Text, or a number or a truth as it is written; blank is nothing. */
export const pickText = (fields: Fields, ...names: readonly string[]): string | undefined => {
  const value = pick(fields, ...names);
  if (value === undefined || typeof value === 'object') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
};

export const pickList = (fields: Fields, ...names: readonly string[]): readonly string[] | undefined =>
  listOf(pick(fields, ...names), 'commas and blanks');

/** The globs that say which files a skill is about. */
export const pickPaths = (fields: Fields): readonly string[] =>
  listOf(pick(fields, 'paths', 'globs'), 'commas') ?? [];

/** true, yes, on, 1 and their opposites; undefined for anything else. */
export const pickFlag = (fields: Fields, ...names: readonly string[]): boolean | undefined => {
  const text = pickText(fields, ...names)?.toLowerCase();
  if (text === undefined) return undefined;
  if (['true', 'yes', 'on', '1'].includes(text)) return true;
  return ['false', 'no', 'off', '0'].includes(text) ? false : undefined;
};
