/** What a skill, agent or command file could run once its folder is trusted, as one line (ruling 8). */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { plainKey } from '../catalog/fields.ts';
import { leadsOut } from '../catalog/leads-out.ts';
import {
  createReadAlready,
  type ReadAlready,
  type ReadFile,
  readFile,
  stampOf,
} from '../catalog/read-already.ts';
import { HEAD } from '../catalog/read-head.ts';
import { decode } from '../lib/decode-text.ts';
import { readRegularSync } from '../lib/regular-file.ts';

/** Keys that run something or widen something, however they are spelled. */
const running = ['hooks', 'mcpservers', 'permissionmode', 'allowedtools'] as const;
const runningKeys: ReadonlySet<string> = new Set(running);

/** Where YAML says no letter by an escape or a tag, a key stands in the text as it is read: thousands need no parser. */
const maySpellOne = (text: string): boolean => {
  const plain = plainKey(text);
  return /\\|!!|!</.test(text) || running.some((key) => plain.includes(key));
};

/** Read as those read it who run it, so that nothing runs which was not seen here. */
const runsSomething = ({ head: { text }, matter }: ReadFile): boolean =>
  /(^|\s)!`|^\s*(?:`{3,}|~{3,})!/m.test(text) ||
  (maySpellOne(text) && Object.keys(matter().fields).some((key) => runningKeys.has(plainKey(key))));

export interface DefinitionFile {
  readonly path: string;
  /** Where its links lead; undefined for nowhere. */
  readonly real: string | undefined;
  /** Real folders whose own words it may bring. */
  readonly homes: readonly string[];
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** What a skill, agent or command file could run or bring in, as one line; undefined when it only holds words of its own. */
const definitionPart = (
  root: string,
  { path, real, homes }: DefinitionFile,
  file: ReadFile,
): string | undefined => {
  const facts = [
    ...(leadsOut(real, homes) ? [`leads out of its folder, to ${real}`] : []),
    ...(runsSomething(file) ? [`can run commands or widen permissions (${hashOf(file.head.text)})`] : []),
  ];
  return facts.length === 0 ? undefined : `${relative(root, path)} ${facts.join(' and ')}`;
};

export interface PartReader {
  /** What one file could run; undefined where it only holds words of its own. Throws when it cannot be read. */
  partOf(file: DefinitionFile): string | undefined;
  readonly folders: ReadAlready['walked'];
}

/** Remembers what it found, and reads a file again when it changed. What is small goes to `already` as it was read. */
export const partReader = (project: string, already = createReadAlready()): PartReader => {
  const known = new Map<string, { readonly stamp: string; readonly part: string | undefined }>();
  return {
    folders: already.walked,
    partOf(file) {
      const { path, real, homes } = file;
      const seen = statSync(path);
      const stamp = [stampOf(seen), real, ...homes].join(' ');
      const before = known.get(path);
      if (before?.stamp === stamp) return before.part;
      const bytes = readRegularSync(path, undefined, seen);
      const read = readFile({ ...decode(bytes, true), bytes: bytes.length });
      const part = definitionPart(project, file, read);
      if (real !== undefined && bytes.length <= HEAD) already.keep(real, seen, read);
      known.set(path, { stamp, part });
      return part;
    },
  };
};
