/**
 * Files that lead git to configuration elsewhere by being there. To hold their names while a command runs would break
 * git inside, so what appeared under them is taken away when the command has ended.
 */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Call it before the command; the answer, called after it, takes away and names what the command left. */
export const guardPointers = (roots: readonly string[]): (() => readonly string[]) => {
  const missing = roots
    // In a worktree `.git` is a file, and held as it is.
    .filter((root) => lstatSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((root) => ['commondir', 'config.worktree'].map((name) => join(root, '.git', name)))
    .filter((path) => !isThere(path));
  return () => {
    const left = missing.filter(isThere);
    for (const path of left) rmSync(path, { recursive: true, force: true });
    return left;
  };
};
