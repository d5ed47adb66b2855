/** Brings an index of the private store up to what is on disk, path by path. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunGit } from '../contract/checkpoint.ts';
import { MOST_BYTES } from './file-state.ts';
import { blobId, gitTrouble, type ObjectStore } from './store.ts';

const NOTE = Buffer.from('A file that is too large to be kept.\n');

/** Stands in a tree for every file that is too large. */
export const HUGE = blobId(NOTE);

/** Files that git cannot read are left out one by one; beyond this many the checkout is not recorded. */
const MOST_UNREADABLE = 50;

interface GatherDeps {
  readonly store: ObjectStore;
  readonly git: RunGit;
  envOf(checkout: string): Readonly<Record<string, string>>;
}

/** Answers whether there was anything to record. */
type Gather = (
  checkout: string,
  paths: readonly string[],
) => Promise<{ readonly any: boolean } | { readonly why: string }>;

export const createGather = ({ store, git, envOf }: GatherDeps): Gather => {
  /** Paths with the note in their place, and paths that git could not read. */
  const noted = new Set<string>();
  const unreadable = new Set<string>();

  const update = async (
    checkout: string,
    paths: readonly string[],
  ): Promise<{ readonly why: string } | undefined> => {
    const fresh = paths.filter((path) => !unreadable.has(join(checkout, path)));
    if (fresh.length === 0) return undefined;
    const done = await git(
      checkout,
      ['update-index', '--add', '--remove', '--replace', '--ignore-skip-worktree-entries', '-z', '--stdin'],
      { env: envOf(checkout), input: fresh.map((path) => `${path}\0`).join('') },
    );
    if (done.code === 0) return undefined;
    const stuck = /^fatal: Unable to process path (.+)$/m.exec(done.stderr)?.[1];
    if (stuck === undefined || !fresh.includes(stuck) || unreadable.size >= MOST_UNREADABLE)
      return { why: gitTrouble(done) };
    unreadable.add(join(checkout, stuck));
    return update(checkout, fresh);
  };

  const note = async (
    checkout: string,
    paths: readonly string[],
  ): Promise<{ readonly why: string } | undefined> => {
    await store.put(NOTE);
    const input = paths.map((path) => `100644 ${HUGE}\t${path}\0`).join('');
    const done = await git(checkout, ['update-index', '--replace', '-z', '--index-info'], {
      env: envOf(checkout),
      input,
    });
    if (done.code !== 0) return { why: gitTrouble(done) };
    for (const path of paths) noted.add(join(checkout, path));
    return undefined;
  };

  return async (checkout, paths) => {
    const { fair, huge } = await sorted(checkout, paths);
    const failed = await update(checkout, fair);
    if (failed) return failed;
    for (const path of fair) noted.delete(join(checkout, path));
    const grown = huge.filter((path) => !noted.has(join(checkout, path)));
    const unnoted = grown.length > 0 ? await note(checkout, grown) : undefined;
    return unnoted ?? { any: fair.length + grown.length > 0 };
  };
};

/** Plain files and links; what is gone counts as well, but not what lies behind a link now: git goes by the link. */
const sorted = async (
  checkout: string,
  paths: readonly string[],
): Promise<{ readonly fair: readonly string[]; readonly huge: readonly string[] }> => {
  const known = new Map<string, Promise<boolean>>();
  const behindLink = (path: string): Promise<boolean> => {
    const folder = dirname(path);
    if (folder === '.') return Promise.resolve(false);
    const found =
      known.get(folder) ?? isLink(join(checkout, folder)).then((link) => link || behindLink(folder));
    known.set(folder, found);
    return found;
  };
  const fair: string[] = [];
  const huge: string[] = [];
  await Promise.all(
    paths.map(async (path) => {
      if (await behindLink(path)) return;
      const at = await lstat(join(checkout, path)).catch(() => undefined);
      if (at?.isFile() && at.size > MOST_BYTES) huge.push(path);
      else if (!at || at.isSymbolicLink() || at.isFile()) fair.push(path);
    }),
  );
  return { fair, huge };
};

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
