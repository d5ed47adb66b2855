/** Paths as manifests of plugins write them: relative to the plugin, with globs, never outside of it. */
import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import { relative, resolve } from 'node:path';

/** Files a glob of somebody else may bring. */
const MOST = 1000;

const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return !way.startsWith('..');
};

/** The folder that a setting or a flag names; `base` is where relative ones begin. */
export const pluginFolder = (path: string, base: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(base, path);

/** Absolute paths that are there. What lies outside or is missing becomes a sentence; a glob may match nothing. */
export const pluginPaths = (
  root: string,
  key: string,
  wishes: readonly string[],
  problems: string[],
): readonly string[] => {
  const found = wishes.flatMap((wish): readonly string[] => {
    const path = resolve(root, wish.replaceAll(/\$\{(?:CLAUDE|COPPICE)_PLUGIN_ROOT\}/g, root));
    if (!isInside(root, path)) {
      problems.push(`${root}: ${key} names ${wish}, which lies outside the plugin. It is skipped.`);
      return [];
    }
    if (/[*?[{]/.test(wish) && !existsSync(path))
      return globSync(relative(root, path), { cwd: root })
        .sort()
        .slice(0, MOST)
        .map((one) => resolve(root, one))
        .filter((one) => isInside(root, one));
    if (existsSync(path)) return [path];
    problems.push(`${root}: ${key} names ${wish}, which is not there. It is skipped.`);
    return [];
  });
  return [...new Set(found)];
};
