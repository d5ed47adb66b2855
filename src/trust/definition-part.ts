/** What a skill, agent or command file could run once its folder is trusted, as one line (ruling 8). */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { plainKey } from '../catalog/fields.ts';
import { decode } from '../lib/decode-text.ts';
import { readFrontmatter } from '../lib/frontmatter.ts';
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
const runsSomething = (text: string): boolean =>
  /(^|\s)!`|^\s*(?:`{3,}|~{3,})!/m.test(text) ||
  (maySpellOne(text) &&
    Object.keys(readFrontmatter(text).fields).some((key) => runningKeys.has(plainKey(key))));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** What a skill, agent or command file could run, as one line; undefined when it only holds words. */
const definitionPart = (root: string, path: string, bytes: Uint8Array): string | undefined => {
  const { text } = decode(bytes, true);
  return runsSomething(text)
    ? `${relative(root, path)} can run commands or widen permissions (${hashOf(text)})`
    : undefined;
};

/** What one file could run; undefined where it only holds words. Throws when it cannot be read. */
export type PartOf = (path: string) => string | undefined;

/** Remembers what it read, and reads a file again when it changed. */
export const partReader = (project: string): PartOf => {
  const known = new Map<string, { readonly stamp: string; readonly part: string | undefined }>();
  return (path) => {
    const seen = statSync(path);
    const { ino, size, mtimeMs, ctimeMs } = seen;
    const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.part;
    const part = definitionPart(project, path, readRegularSync(path, undefined, seen));
    known.set(path, { stamp, part });
    return part;
  };
};
