import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The file whose age is the age of the build. */
export const STAMP = 'build.json';

/**
 * Puts a build in place under the feet of programs that start from the last one: what the entry loads carries its
 * content in its name and arrives before it, and an old one stays until it is `keepMs` old.
 */
export function publish(out, version, files, keepMs) {
  mkdirSync(out, { recursive: true });
  const entryLast = files.toSorted((a, b) => rank(a.path) - rank(b.path));
  for (const file of entryLast) replace(file.path, file.contents);
  replace(join(out, STAMP), `${JSON.stringify({ version })}\n`);

  const current = new Set([STAMP, ...files.map((file) => basename(file.path))]);
  for (const name of readdirSync(out)) {
    const path = join(out, name);
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs >= keepMs)
      rmSync(path, { recursive: true });
  }
}

function rank(path) {
  const name = basename(path);
  if (name === 'entry.cjs') return 2;
  return name.startsWith('chunk-') ? 0 : 1;
}

function replace(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}
