import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The file whose age is the age of the build. */
export const STAMP = 'build.json';

/**
 * Puts a build in place under the feet of programs that run from the last one: a chunk carries its content in
 * its name, arrives before whatever imports it, and an old one stays until it has been unused for `keepMs`.
 */
export function publish(out, version, files, keepMs) {
  mkdirSync(out, { recursive: true });
  const chunksFirst = files.toSorted((a, b) => rank(a.path) - rank(b.path));
  for (const file of chunksFirst) replace(file.path, file.contents);
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
  if (name === 'entry.js') return 2;
  return name.startsWith('chunk-') ? 0 : 1;
}

function replace(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}
