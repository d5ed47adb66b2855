import type { ReadLink } from '../contract/permission.ts';

/** A path as written (dots removed) and as the disk will follow it. */
export interface Access {
  readonly lexical: string;
  readonly real: string;
}

/** What `resolveForAccess` needs to know. */
export interface Places {
  readonly home: string;
  readonly readLink: ReadLink;
}

const linkLimit = 40;

/**
 * The one way from a path in a call to the paths that are judged: `~` expanded, dots removed, and the links of
 * every existing part followed in the order the disk follows them. A path with NUL or control characters has
 * no access at all.
 */
export const resolveForAccess = (path: string, cwd: string, places: Places): Access | undefined => {
  if (/[\u0000-\u001f\u007f\uE000-\uE00F]/.test(path)) return undefined;
  const expanded = path === '~' || path.startsWith('~/') ? places.home + path.slice(1) : path;
  const absolute = expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`;
  return { lexical: normalise(absolute), real: follow(absolute, places.readLink) };
};

/** Removes empty and dot segments of an absolute path without looking at the disk. */
export const normalise = (absolute: string): string => {
  const kept: string[] = [];
  for (const segment of absolute.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return `/${kept.join('/')}`;
};

/** Follows links part by part; parts that do not exist stay as they are. */
const follow = (absolute: string, readLink: ReadLink): string => {
  const rest = absolute.split('/').reverse();
  let real = '';
  let links = 0;
  while (rest.length > 0) {
    const segment = rest.pop() ?? '';
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
      continue;
    }
    const here = `${real}/${segment}`;
    const target = links < linkLimit ? readLink(here) : undefined;
    if (target === undefined) {
      real = here;
      continue;
    }
    links++;
    if (target.startsWith('/')) real = '';
    rest.push(...target.split('/').reverse());
  }
  return real === '' ? '/' : real;
};

/** True when `path` is `root` or lies below it, compared segment by segment. */
export const isWithin = (path: string, root: string): boolean =>
  root === '/' || path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);

/** The working directories, as written and as on disk. */
export interface Workspace {
  readonly roots: readonly string[];
  readonly realRoots: readonly string[];
}

export const workspaceOf = (roots: readonly string[], readLink: ReadLink): Workspace => ({
  roots: roots.map(normalise),
  realRoots: roots.map((root) => follow(root, readLink)),
});

/** Inside only if both the written and the real path are. */
export const isInside = (access: Access, workspace: Workspace): boolean =>
  workspace.roots.some((root) => isWithin(access.lexical, root)) &&
  workspace.realRoots.some((root) => isWithin(access.real, root));
