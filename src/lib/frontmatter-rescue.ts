import { isUnlikelyKey, knownKeys, nestedKeys, proseKeys, runningKeys } from './frontmatter-keys.ts';
import { readPlain } from './frontmatter-plain.ts';
import { yamlMap } from './yaml.ts';

/** One top-level key with the text that follows it. */
export interface Piece {
  readonly key: string;
  /** The rest of the key's own line. */
  readonly first: string;
  /** Lines below, up to the next key. */
  readonly more: readonly string[];
  /** No blank behind the colon. */
  readonly tight: boolean;
}

const keyLine = /^([A-Za-z_][\w.-]*)[ \t\u00a0]*:(?:[ \t\u00a0]+(.*)|$)/;
const tightKeyLine = /^([A-Za-z_][\w-]*)[ \t]*:(.*)$/;

/** Keys that only ever hold a word; a longer line that begins with one is text. */
const wordKeys: ReadonlySet<string> = new Set([
  'context',
  'model',
  'color',
  'agent',
  'effort',
  'type',
  'title',
]);
const isWord = (text: string): boolean => text.trim().split(/\s+/).length <= 3;

/** Cuts a block at its top-level keys. `begins` says which lines with a colon are keys. */
const cut = (
  block: string,
  begins: (key: string, first: string, before: Piece | undefined, next: string) => boolean,
) => {
  const pieces: (Piece & { more: string[] })[] = [];
  const rows = block.split('\n');
  for (const [at, row] of rows.entries()) {
    const before = pieces.at(-1);
    const loose = keyLine.exec(row);
    const tight = loose ?? tightKeyLine.exec(row);
    const key = tight?.[1];
    const first = (tight?.[2] ?? '').trim();
    if (key && (loose || knownKeys.has(key)) && begins(key, first, before, rows[at + 1] ?? ''))
      pieces.push({ key, first, more: [], tight: !loose });
    else if (before) before.more.push(row);
  }
  return pieces;
};

/** Every line at the margin that looks like a key. */
export const piecesOf = (block: string): readonly Piece[] => cut(block, () => true);

/** True when text of the key has gone on at the margin, so that a line with a colon may be text too. */
const goesOn = (piece: Piece | undefined): boolean =>
  piece?.more.some((row) => /^[^\s#]/.test(row) && !row.startsWith('- ')) ?? false;

const isMarginText = (row: string): boolean => /^[^\s#-]/.test(row) && !/:(?:\s|$)/.test(row);

/** Text at the margin that is no key, item or comment: no strict reader takes it. */
export const holdsMarginText = (block: string): boolean => block.split('\n').some(isMarginText);

/** Cut at the keys that files really carry; an unknown one counts where no text is running. */
const knownPieces = (block: string): readonly Piece[] => {
  const seen = new Set<string>();
  return cut(block, (key, first, before, next) => {
    const inText = before !== undefined && runningKeys.has(before.key);
    const known = knownKeys.has(key) && !(wordKeys.has(key) && inText && !isWord(first));
    const isText = goesOn(before) && (seen.has(key) || (inText && isMarginText(next)));
    const counts = known ? !isText : !inText && !isUnlikelyKey(key);
    if (counts) seen.add(key);
    return counts;
  });
};

const isWhole = (value: string): boolean => {
  const read = yamlMap(`k: ${value}`);
  return !('error' in read);
};

/** Whether a value of one line would be misread, refused or cut by YAML, and is meant as text. */
const isText = (key: string, value: string): boolean => {
  const prose = proseKeys.has(key);
  if (value === '' || /^[|>][+-]?\d?[+-]?(?:\s+#.*)?$/.test(value)) return false;
  if (value.startsWith('"') || value.startsWith("'") || value.startsWith('[') || value.startsWith('{'))
    return !isWhole(value) || (prose && /^[[{]/.test(value));
  if (value.includes(': ') || value.endsWith(':')) return true;
  if (key === 'name' && /^&\w+ /.test(value)) return false;
  // A colour; to YAML a comment.
  if (/^#[0-9a-f]{3,8}$/i.test(value)) return true;
  return /^(?:[@`%&*!|>]|[-?] )/.test(value) || (prose && key !== 'name' && value.includes(' #'));
};

/** Lines of a plain value that were indented under it, as YAML folds them. */
const folded = (piece: Piece): string | undefined => {
  const more = piece.more.filter((row) => row.trim() !== '' && !row.startsWith('#'));
  if (more.length === 0) return piece.first;
  const plain = piece.first === '' ? proseKeys.has(piece.key) : !/^["'[{|>]/.test(piece.first);
  if (!plain || more.some((row) => !/^\s/.test(row) || /^\s+- /.test(row))) return undefined;
  return [piece.first, ...more.map((row) => row.trim())].join(' ').trim();
};

/** Quotes around a text go, also where the text holds the same quotes unescaped; so does a quote that stands alone. */
const withoutQuotes = (text: string): string => {
  const quote = /^["']/.exec(text)?.[0];
  if (quote === undefined) return text;
  const second = /(?<!\\)["']/g;
  second.lastIndex = 1;
  let at = second.exec(text)?.index ?? -1;
  while (at > 0 && text[at] !== quote) at = second.exec(text)?.index ?? -1;
  if (at < 0) return text.slice(1);
  const isNested = at < text.length - 1 && /[^\s.,:;!?)]/.test(text[at + 1] ?? '');
  const wraps = at === text.length - 1 || (isNested && text.endsWith(quote));
  return wraps ? text.slice(1, -1).replaceAll(`\\${quote}`, quote) : text;
};

/** `- Read` behind a key on the same line. */
const inlineList = (text: string): readonly string[] | undefined =>
  /^- \S/.test(text)
    ? text
        .slice(2)
        .split(/\s+- |,/)
        .map((item) => item.trim())
        .filter((item) => item !== '')
    : undefined;

/** The lines of a list that YAML refuses, such as `- *.md`. */
const itemsBelow = ({ key, first, more }: Piece): readonly string[] | undefined => {
  const rows = more.map((row) => row.trim()).filter((row) => row !== '' && !row.startsWith('#'));
  return first === '' && !proseKeys.has(key) && rows.length > 0 && rows.every((row) => row.startsWith('- '))
    ? rows.map((row) => withoutQuotes(row.slice(2).trim()))
    : undefined;
};

/** Values of one line inside nested YAML get quotes where they need them. */
const quoteNested = (source: string): string =>
  source.replace(/^(\s+(?:- +)?)([\w-]+): +(\S.*)$/gm, (row, margin: string, key: string, value: string) =>
    !/^[[{"']/.test(value) && isText(key, value.trim())
      ? `${margin}${key}: ${JSON.stringify(value.trim())}`
      : row,
  );

export interface Quoted {
  readonly block: string;
  /** Sentences: what was changed. */
  readonly repairs: readonly string[];
}

const listed = (keys: readonly string[]): string => [...new Set(keys)].join(', ');

/** One sentence for all values that were read as text, one for keys that touch their value. */
const sentences = (texts: readonly string[], tight: readonly string[]): readonly string[] => [
  ...(texts.length > 0
    ? [`The value of ${listed(texts)} is not plain YAML as written; it was read as text. Put it in quotes.`]
    : []),
  ...(tight.length > 0 ? [`There is no blank after the colon of ${listed(tight)}.`] : []),
];

/** Writes the values that are text as quoted ones. */
export const quoteTexts = (block: string): Quoted => {
  const keys: string[] = [];
  const pieces = piecesOf(block);
  const rows = pieces.flatMap((piece) => {
    const text = folded(piece);
    if (text === undefined || !isText(piece.key, text))
      return [`${piece.key}: ${piece.first}`, ...piece.more];
    keys.push(piece.key);
    const list = proseKeys.has(piece.key) ? undefined : inlineList(text);
    return [`${piece.key}: ${JSON.stringify(list ?? withoutQuotes(text))}`];
  });
  const tight = pieces.filter((piece) => piece.tight && piece.first !== '').map((piece) => piece.key);
  return { block: rows.join('\n'), repairs: sentences(keys, tight) };
};

/** The text of a piece as a reader sees it. */
const rawText = (piece: Piece): string => {
  const header = /^[|>][+-]?\d?[+-]?$/.test(piece.first);
  const text = [header ? '' : piece.first, ...piece.more].join('\n').trim();
  return withoutQuotes(/^"[\s\S]*"$/.test(text) ? text.replaceAll('\\n', '\n') : text);
};

const strictFields = (block: string): ReadonlyMap<string, unknown> | undefined => {
  const read = yamlMap(block);
  return 'error' in read ? undefined : read.fields;
};

/** Reads one piece alone; undefined when only nested YAML would make sense and there is none. */
const readPiece = (
  piece: Piece,
): { readonly value: unknown; readonly asText: boolean } | { readonly error: string } => {
  const source = [`${piece.key}: ${piece.first}`, ...piece.more].join('\n');
  const list = proseKeys.has(piece.key) ? undefined : inlineList(piece.first);
  if (list)
    return {
      value: [...list, ...piece.more.flatMap((row) => /^\s*- +(.+)$/.exec(row)?.[1] ?? [])],
      asText: true,
    };
  const tried = runningKeys.has(piece.key) && goesOn(piece) ? [] : [source, quoteTexts(source).block];
  for (const block of tried) {
    const fields = readPlain(block) ?? strictFields(block);
    if (fields?.size !== 1) continue;
    const value = fields.get(piece.key);
    if (value === undefined || (proseKeys.has(piece.key) && typeof value !== 'string')) continue;
    if (value === '' && piece.more.some((row) => row.trim() !== '')) continue;
    return { value, asText: block !== source };
  }
  if (nestedKeys.has(piece.key)) {
    const nested = yamlMap(quoteNested(source));
    return 'error' in nested ? nested : { value: nested.fields.get(piece.key), asText: true };
  }
  return { value: itemsBelow(piece) ?? rawText(piece), asText: true };
};

/** Under a key that holds no running text, a line at the margin belongs to nothing. */
const withoutStrays = (piece: Piece): { readonly piece: Piece; readonly strays: readonly string[] } => {
  if (runningKeys.has(piece.key)) return { piece, strays: [] };
  const isStray = (row: string) => /^[^\s#]/.test(row) && !row.startsWith('- ');
  if (/^[|>]/.test(piece.first)) return { piece, strays: [] };
  if (/^[[{]/.test(piece.first))
    return { piece: { ...piece, more: piece.more.map((row) => `  ${row}`) }, strays: [] };
  return {
    piece: { ...piece, more: piece.more.filter((row) => !isStray(row) && !row.startsWith('#')) },
    strays: piece.more.filter(isStray),
  };
};

export interface Rescued {
  readonly fields: ReadonlyMap<string, unknown>;
  readonly repairs: readonly string[];
  readonly problems: readonly string[];
}

/** The last resort: each known key is read alone, and what cannot be read stays as it is written. */
export const readPieces = (block: string): Rescued => {
  const fields = new Map<string, unknown>();
  const texts: string[] = [];
  const tight: string[] = [];
  const twice: string[] = [];
  const problems: string[] = [];
  for (const whole of knownPieces(block)) {
    const { piece, strays } = withoutStrays(whole);
    problems.push(...strays.map((row) => `This line could not be read and is left out: ${row.trim()}`));
    const read = readPiece(piece);
    if ('error' in read) {
      problems.push(`The value of ${piece.key} could not be read as YAML and is left out: ${read.error}.`);
      continue;
    }
    if (piece.tight && piece.first !== '') tight.push(piece.key);
    if (read.asText || goesOn(piece)) texts.push(piece.key);
    if (fields.has(piece.key)) {
      twice.push(piece.key);
      if (read.value === null || read.value === '') continue;
    }
    fields.set(piece.key, read.value);
  }
  return {
    fields,
    repairs: [
      ...sentences(texts, tight),
      ...(twice.length > 0 ? [`The key ${listed(twice)} stands more than once; the last one counts.`] : []),
    ],
    problems,
  };
};
