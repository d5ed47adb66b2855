/** Reads the head of Markdown definitions as people write them: strictly first, then leniently, saying what was repaired. */
import { findBlock } from './frontmatter-block.ts';
import { isUnlikelyKey, proseKeys, runningKeys } from './frontmatter-keys.ts';
import { readPlain } from './frontmatter-plain.ts';
import { holdsMarginText, piecesOf, quoteTexts, readPieces } from './frontmatter-rescue.ts';
import { yamlMap } from './yaml.ts';

export interface Frontmatter {
  /** False when the text has none: then `fields` is empty and `body` the whole text. */
  readonly found: boolean;
  /** Keys as written. Dates and numbers with signs that matter (`1.0`) are text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What stands behind each top-level key on its own line, for values whose spelling matters (`[task]`). */
  readonly written: Readonly<Record<string, string>>;
  /** The text below, line ends as LF. */
  readonly body: string;
  /** Sentences: what was not as YAML wants it, and how it was read. */
  readonly repairs: readonly string[];
  /** Sentences: what could not be read and is left out. */
  readonly problems: readonly string[];
}

type Fields = Pick<Frontmatter, 'repairs' | 'problems'> & { readonly map: ReadonlyMap<string, unknown> };

const clean = (map: ReadonlyMap<string, unknown>, ...repairs: string[]): Fields => ({
  map,
  repairs,
  problems: [],
});

const twice = 'A key stands more than once; the last one counts.';

/** Lines of a dialogue that a strict reading takes for keys of the map. */
const holdsDialogue = (map: ReadonlyMap<string, unknown>): boolean => {
  let running: unknown;
  for (const [key, value] of map) {
    const unlikely = isUnlikelyKey(key);
    const isText = value === null || (typeof value === 'string' && value.includes(' '));
    if (unlikely && (running === '' || (isText && typeof running === 'string' && !key.includes(' '))))
      return true;
    if (!unlikely) running = runningKeys.has(key) ? value : undefined;
  }
  return false;
};

/** A strict reading that hides a misreading: text cut at ` #`, eaten by `&` or `!`, or continued as if it were keys. */
const isDoubtful = (map: ReadonlyMap<string, unknown>, block: string): boolean =>
  holdsDialogue(map) ||
  piecesOf(block).some(({ key, first }) => {
    if (!proseKeys.has(key)) return false;
    const value = map.get(key);
    const isList = first === '' && Array.isArray(value);
    const misread = value !== null && value !== undefined && typeof value !== 'string' && !isList;
    const eaten = key === 'name' ? /^!/ : /^[&!]/;
    return misread || eaten.test(first) || (key !== 'name' && /^[^"'|>].* #/.test(first));
  });

const untabbed = (block: string): string =>
  block.replace(/^[ \t]+/gm, (blank) => blank.replaceAll('\t', '  '));

const dedented = (block: string): string => {
  const margin = /^( +)[A-Za-z_][\w.-]*:/m.exec(block)?.[1];
  const rows = block.split('\n');
  return margin && rows.every((row) => row.trim() === '' || row.startsWith(margin))
    ? rows.map((row) => row.slice(margin.length)).join('\n')
    : block;
};

const tabRepair = (block: string): readonly string[] =>
  untabbed(block) === block ? [] : ['Tabs at the beginning of lines were read as blanks.'];

/** Key by key, when the block as a whole is no YAML. */
const rescue = (block: string): Fields => {
  const rescued = readPieces(dedented(untabbed(block)));
  return {
    map: rescued.fields,
    repairs: [...tabRepair(block), ...rescued.repairs],
    problems: rescued.problems,
  };
};

/** JSON between the marks, or a value named by `&` that `*` refers to: nothing but YAML means that. */
const isPlainlyYaml = (block: string): boolean =>
  /^\s*\{/.test(block) ||
  [...block.matchAll(/(?:: |- )&(\w+)/g)].some(([, name]) => new RegExp(`[:,[-] *\\*${name}\\b`).test(block));

const readBlock = (block: string): Fields => {
  const plain = readPlain(block);
  if (plain) return clean(plain);
  if (block.trim() === '') return clean(new Map());
  const sure = isPlainlyYaml(block) ? yamlMap(block) : undefined;
  if (sure && !('error' in sure)) return clean(sure.fields, ...(sure.duplicates ? [twice] : []));
  const texts = quoteTexts(block);
  const soon = texts.repairs.length > 0 ? readPlain(texts.block) : undefined;
  if (soon) return clean(soon, ...texts.repairs);
  if (holdsMarginText(block)) return rescue(block);
  const strict = yamlMap(block);
  if (!('error' in strict) && !isDoubtful(strict.fields, block))
    return clean(strict.fields, ...(strict.duplicates ? [twice] : []));
  const even = dedented(untabbed(block));
  const tabs = tabRepair(block);
  if (tabs.length > 0 && 'error' in strict) {
    const again = yamlMap(even);
    if (!('error' in again) && !isDoubtful(again.fields, even))
      return clean(again.fields, ...tabs, ...(again.duplicates ? [twice] : []));
  }
  const quoted = quoteTexts(even);
  const second = yamlMap(quoted.block);
  if (!('error' in second) && !isDoubtful(second.fields, quoted.block))
    return clean(second.fields, ...tabs, ...quoted.repairs, ...(second.duplicates ? [twice] : []));
  return rescue(block);
};

/** Byte-order marks and foreign line ends, so that everything after sees LF alone. */
const normalised = (text: string): { readonly text: string; readonly repairs: readonly string[] } => {
  const repairs: string[] = [];
  let rest = text;
  if (rest.startsWith('\ufeff')) {
    rest = rest.replace(/^\ufeff+/, '');
    repairs.push('A byte-order mark at the beginning was skipped.');
  }
  if (rest.includes('\r')) {
    rest = rest.replace(/\r\n?/g, '\n');
    repairs.push('Windows line ends were read as plain ones.');
  }
  return { text: rest, repairs };
};

/** Never throws. A text without frontmatter, or whose first marks hold no keys, is all body. */
export const readFrontmatter = (source: string): Frontmatter => {
  const { text, repairs } = normalised(source);
  const block = findBlock(text);
  const none: Frontmatter = { found: false, fields: {}, written: {}, body: text, repairs, problems: [] };
  if (block.yaml === undefined) return none;
  const read = readBlock(block.yaml);
  if (read.map.size === 0 && block.yaml.trim() !== '')
    return read.problems.length === 0 ? none : { ...none, problems: read.problems };
  return {
    found: true,
    fields: Object.fromEntries(read.map),
    written: Object.fromEntries(piecesOf(block.yaml).map(({ key, first }) => [key, first])),
    body: block.body,
    repairs: [...repairs, ...block.repairs, ...read.repairs],
    problems: read.problems,
  };
};
