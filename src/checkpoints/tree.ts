/** A checkout as a tree in the private store, what lies in repositories inside left out: only what changed since the last time is read. */
import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange, FileState, RunGit } from '../contract/checkpoint.ts';
import { TOO_LARGE } from './file-state.ts';
import { createGather, HUGE } from './gather.ts';
import { seed } from './seed.ts';
import { exists, gitTrouble, type ObjectStore } from './store.ts';

export interface FlatTree {
  readonly tree: string;
  /** Repositories that the checkout's own does not know, by path in it. */
  readonly nested: readonly string[];
}

export interface FlatTrees {
  /** Undefined where a checkout is not recorded: no git, too many files, git failed. */
  take(checkout: string): Promise<FlatTree | undefined>;
  /** The same ahead of time, for the next one to be quick. */
  ready(checkout: string): Promise<FlatTree | undefined>;
  /** Rejects where git cannot tell. */
  between(checkout: string, before: string, after: string): Promise<readonly FileChange[]>;
}

export interface TreeDeps {
  readonly store: ObjectStore;
  readonly git: RunGit;
  /** Folders that are never recorded whole: the home directory, the root. */
  readonly never: readonly string[];
  /** Said once per checkout. */
  trouble(text: string): void;
}

/** Outside a repository nothing says what to leave out: beyond this the folder is not recorded. */
const MOST_LOOSE_FILES = 20_000;

export const createFlatTrees = ({ store, git, never, trouble }: TreeDeps): FlatTrees => {
  const last = new Map<string, string>();
  const off = new Set<string>();
  const seeded = new Set<string>();

  const indexOf = (checkout: string) =>
    join(store.dir, `index-${createHash('sha1').update(checkout).digest('hex').slice(0, 12)}`);
  const envOf = (checkout: string) => ({
    ...store.env,
    GIT_WORK_TREE: checkout,
    GIT_INDEX_FILE: indexOf(checkout),
  });

  const gather = createGather({ store, git, envOf });
  const give = (checkout: string, { why }: { readonly why: string }): undefined => {
    off.add(checkout);
    trouble(`What commands change in ${checkout} is not recorded for /rewind: ${why}.`);
    return undefined;
  };

  /** Paths that differ from the index, by their times at least, and those that it does not know. */
  const touched = async (checkout: string): Promise<Touched | { readonly why: string }> => {
    const env = envOf(checkout);
    // Side by side, they take no longer than "git status" does.
    const listed = await Promise.all([
      git(checkout, ['diff-files', '--name-only', '-z', '--no-ext-diff', '--ignore-submodules=all'], { env }),
      git(checkout, ['ls-files', '-z', '--others', '--exclude-standard'], { env }),
    ]);
    const failed = listed.find(({ code }) => code !== 0);
    if (failed) return { why: gitTrouble(failed) };
    const all = listed.flatMap(({ stdout }) => stdout.toString('utf8').split('\0'));
    return {
      paths: all.filter((path) => path !== '' && !path.endsWith('/')),
      nested: all.flatMap((path) => (path.endsWith('/') ? path.slice(0, -1) : [])),
    };
  };

  const first = async (checkout: string): Promise<Touched | { readonly why: string }> => {
    const index = indexOf(checkout);
    const { wrong } = await seed(checkout, { store, git, index });
    const [again, found] = await Promise.all([wrong, touched(checkout)]);
    if (again) await rm(index, { force: true });
    seeded.add(checkout);
    return again ? await touched(checkout) : found;
  };

  /** The tree as it is now, or why there is none. */
  const read = async (checkout: string): Promise<FlatTree | { readonly why: string }> => {
    if (never.includes(checkout)) return { why: 'it is too wide a folder' };
    const env = envOf(checkout);
    const found = seeded.has(checkout) ? await touched(checkout) : await first(checkout);
    if ('why' in found) return found;
    const { paths, nested } = found;
    if (paths.length > MOST_LOOSE_FILES && !(await exists(join(checkout, '.git'))))
      return { why: `it holds ${paths.length} files and is no git repository` };
    const known = last.get(checkout);
    const added = await gather(checkout, paths);
    if ('why' in added) return added;
    if (!added.any && known !== undefined) return { tree: known, nested };
    const written = await git(checkout, ['write-tree'], { env });
    if (written.code !== 0) return { why: gitTrouble(written) };
    const tree = written.stdout.toString('utf8').trim();
    last.set(checkout, tree);
    return { tree, nested };
  };

  return {
    async take(checkout) {
      if (off.has(checkout)) return undefined;
      const found = await read(checkout);
      return 'why' in found ? give(checkout, found) : found;
    },
    async ready(checkout) {
      const found = await read(checkout);
      return 'why' in found ? undefined : found;
    },
    async between(checkout, before, after) {
      if (before === after) return [];
      // Not in the checkout: that may be gone.
      const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', before, after];
      const done = await git(store.dir, args, { env: store.env });
      if (done.code !== 0) throw new Error(gitTrouble(done));
      const top = await realpath(checkout).catch(() => checkout);
      const parts = done.stdout.toString('utf8').split('\0');
      const changes: FileChange[] = [];
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const [, oldMode = '', newMode = '', oldBlob = '', newBlob = ''] =
          /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w/.exec(parts[at] ?? '') ?? [];
        if (oldMode === '160000' || newMode === '160000') continue;
        changes.push({
          path: join(top, parts[at + 1] ?? ''),
          before: stateOf(oldMode, oldBlob),
          after: stateOf(newMode, newBlob),
        });
      }
      return changes;
    },
  };
};

interface Touched {
  readonly paths: readonly string[];
  readonly nested: readonly string[];
}

const stateOf = (mode: string, blob: string): FileState => {
  if (blob === HUGE) return { kind: 'unsaved', why: TOO_LARGE };
  if (/^0+$/.test(mode)) return { kind: 'none' };
  return mode === '120000' ? { kind: 'link', blob } : { kind: 'file', blob, executable: mode === '100755' };
};
