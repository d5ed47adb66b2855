/** What `git status` says, taken apart. Runs no program of the repository and writes nothing. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { nulSeparated, quoted } from './names-on-pipes.ts';

export interface Status {
  /** Tracked and different: content, mode, staged, renamed, in conflict. */
  readonly changed: readonly string[];
  /** Tracked and not on disk. */
  readonly gone: readonly string[];
  readonly untracked: readonly string[];
  /** A trailing slash marks a folder, all of it. */
  readonly ignored: readonly string[];
  readonly head?: string;
  readonly branch?: string;
}

/** Fields before the path, by kind of line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

export const statusOf = async (git: Git): Promise<Status> => {
  const text = await git.text(`What ${git.cwd} holds could not be read`, [
    'status',
    '--porcelain=v2',
    '-z',
    '--branch',
    '--untracked-files=all',
    '--ignored=matching',
    '--ignore-submodules=dirty',
    '--no-renames',
  ]);
  const found = {
    changed: [] as string[],
    gone: [] as string[],
    untracked: [] as string[],
    ignored: [] as string[],
  };
  let head: string | undefined;
  let branch: string | undefined;
  const parts = text.split('\0');
  for (let at = 0; at < parts.length; at++) {
    const line = parts[at] ?? '';
    const kind = line[0] ?? '';
    if (line.startsWith('# branch.oid ')) head = line.slice(13) === '(initial)' ? undefined : line.slice(13);
    else if (line.startsWith('# branch.head '))
      branch = line.slice(14) === '(detached)' ? undefined : line.slice(14);
    else if (kind === '?') found.untracked.push(line.slice(2));
    else if (kind === '!') found.ignored.push(line.slice(2));
    else if (kind in FIELDS) {
      const words = line.split(' ');
      const path = words.slice(FIELDS[kind]).join(' ');
      found.changed.push(path);
      if (words[1]?.[1] === 'D' || (words[1] === 'D.' && kind === '1')) found.gone.push(path);
      if (kind === '2') at += 1;
    }
  }
  return { ...found, ...(head ? { head } : {}), ...(branch ? { branch } : {}) };
};

/** Files that the index was told not to look at (assume-unchanged, skip-worktree), that are there, and that differ. */
export const hiddenChanges = async (git: Git): Promise<readonly string[]> => {
  const flagged = nulSeparated(
    await git.text('The index could not be read', ['ls-files', '-v', '-z']),
  ).flatMap((line) => (/^[a-zS] /.test(line) ? [line.slice(2)] : []));
  // Of a sparse checkout most are not there.
  const there = await Promise.all(flagged.map((path) => isFile(join(git.cwd, path))));
  const paths = flagged.filter((_, at) => there[at]);
  if (paths.length === 0) return [];
  const wanted = new Set(paths);
  const staged = nulSeparated(await git.text('The index could not be read', ['ls-files', '-s', '-z']));
  const known = new Map(
    staged.flatMap((line) => {
      const [, oid = '', path = ''] = /^\d+ ([0-9a-f]+) \d\t([\s\S]+)$/.exec(line) ?? [];
      return wanted.has(path) ? [[path, oid] as const] : [];
    }),
  );
  const hashed = await git.run(['hash-object', '--stdin-paths'], {
    input: `${paths.map(quoted).join('\n')}\n`,
  });
  const now = hashed.stdout.toString('utf8').split('\n');
  return paths.filter((path, at) => now[at] !== known.get(path));
};

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
