/** Differences between two sets of files, as git writes them. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { DiffText, FileState, RunGit } from '../contract/checkpoint.ts';
import { gitTrouble, type ObjectStore } from './store.ts';

export interface Pair {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

/** This index goes at once: nothing of it may stay behind in a shared one. */
const WHOLE_INDEX = ['-c', 'core.splitIndex=false'];

const NOTHING: DiffText = { text: '', files: [] };

const shortName = (path: string, top: string): string => {
  const inside = relative(top, path);
  return inside.startsWith('..') ? path.replace(/^\/+/, '') : inside;
};

export const diffText = async (
  pairs: readonly Pair[],
  {
    store,
    git,
    top,
  }: { readonly store: ObjectStore; readonly git: RunGit | undefined; readonly top: string },
): Promise<DiffText> => {
  if (pairs.length === 0 || !git) return NOTHING;
  await store.ready(undefined);
  const index = join(store.dir, `diff-${randomUUID()}`);
  const env = { GIT_DIR: store.dir, GIT_INDEX_FILE: index };
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    // Not in the checkout: that may be gone.
    const done = await git(store.dir, args, { env, ...(input === undefined ? {} : { input }) });
    if (done.code !== 0) throw new Error(`The differences cannot be shown: ${gitTrouble(done)}.`);
    return done.stdout.toString('utf8');
  };
  const treeOf = async (side: 'before' | 'after'): Promise<string> => {
    await run([...WHOLE_INDEX, 'read-tree', '--empty']);
    const lines = pairs.flatMap((pair) => {
      const state = pair[side];
      if (state.kind !== 'file' && state.kind !== 'link') return [];
      const mode = state.kind === 'link' ? '120000' : state.executable ? '100755' : '100644';
      return [`${mode} ${state.blob}\t${shortName(pair.path, top)}\0`];
    });
    await run([...WHOLE_INDEX, 'update-index', '-z', '--index-info'], lines.join(''));
    return (await run([...WHOLE_INDEX, 'write-tree'])).trim();
  };
  try {
    const trees = [await treeOf('before'), await treeOf('after')];
    const common = [
      'diff-tree',
      '-r',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--no-renames',
      ...trees,
    ];
    const [patch, sums] = await Promise.all([run([...common, '-p']), run([...common, '--numstat', '-z'])]);
    return {
      text: patch,
      files: sums.split('\0').flatMap((line) => {
        const [added, removed, ...path] = line.split('\t');
        return path.length === 0
          ? []
          : [{ path: path.join('\t'), added: Number(added) || 0, removed: Number(removed) || 0 }];
      }),
    };
  } finally {
    await rm(index, { force: true });
  }
};
