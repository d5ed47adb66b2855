import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Search } from '../contract/search.ts';
import type { SessionState } from '../contract/state.ts';
import { absolutePath, badPath } from './place.ts';

export interface SearchDeps {
  readonly search: Search;
  /** True for a file that a rule forbids to read: it is left out of results. */
  forbidden?(path: string, state: SessionState): boolean;
}

/** Where a search starts; what is judged is this folder, wherever the pattern tries to lead. */
export const searchPlace = (
  tool: string,
  path: string | undefined,
  cwd: string,
): string | { readonly invalid: string } => {
  if (path === undefined || path === '') return cwd;
  const invalid = badPath(tool, 'path', path);
  return invalid === undefined ? absolutePath(path, cwd) : { invalid };
};

/** A pattern that is absolute, begins at the home or climbs up names its own place. */
export const placeInPattern = (
  pattern: string,
  from: string,
): { readonly root: string; readonly pattern: string } => {
  if (!/^(?:\/|~\/|\.\.?\/)/.test(pattern)) return { root: from, pattern };
  const parts = pattern.split('/');
  const magic = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  const fixed = parts.slice(0, magic === -1 ? -1 : magic);
  const rest = parts.slice(fixed.length);
  return {
    root: absolutePath(fixed.join('/') || '/', from),
    pattern: rest.length === 1 ? `/${rest[0]}` : rest.join('/'),
  };
};

/** A sentence when there is nothing to search. */
export const nothingThere = (root: string): string | undefined => {
  if (statSync(root, { throwIfNoEntry: false })) return undefined;
  const there = nearest(dirname(root));
  return `${root} does not exist; ${there} does. Give a "path" that exists, or leave it out.`;
};

const nearest = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) ? path : nearest(dirname(path));
