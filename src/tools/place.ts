import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';

/** An absolute path from what the model wrote: relative to the session's directory, `~` is the home. */
export const absolutePath = (written: string, cwd: string): string => {
  if (written === '~') return homedir();
  if (written.startsWith('~/')) return join(homedir(), written.slice(2));
  return isAbsolute(written) ? normalize(written) : resolve(cwd, written);
};

/** A sentence when this cannot be a path. */
export const badPath = (tool: string, name: string, written: string): string | undefined => {
  if (written.trim() === '') return `"${name}" of ${tool} is empty. Give the path of a file.`;
  if (written.includes('\0')) return `"${name}" of ${tool} holds a NUL byte. Give the path of a file.`;
  return undefined;
};

const MOST_LINKS = 40;

/**
 * Where a path leads once every link is followed, also when its end does not exist yet. What was judged and what
 * is opened are compared by it (security: paths).
 */
export const realPath = (path: string, links = 0): string => {
  const real = attempt(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const parent = dirname(path);
  if (parent === path || links > MOST_LINKS) return path;
  // A link to what does not exist yet leads there all the same.
  const target = attempt(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined));
  if (target !== undefined) return realPath(resolve(realPath(parent, links + 1), target), links + 1);
  return join(realPath(parent, links + 1), basename(path));
};

const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Short where it is short: relative below the session's directory, else as it is. */
export const shortPath = (path: string, cwd: string): string =>
  isInside(path, cwd) ? relative(cwd, path) || '.' : path;
