/** A checkout with the repositories inside it: submodules, and those that nobody told git of. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { FileChange } from '../contract/checkpoint.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { exists } from './store.ts';
import { createFlatTrees, type FlatTree, type TreeDeps } from './tree.ts';

export interface Trees {
  /** Names the state of a checkout. Undefined where it is not recorded: no git, too many files, git failed. */
  take(checkout: string): Promise<string | undefined>;
  /** The same ahead of time, for the next one to be quick; says nothing. */
  ready(checkout: string): Promise<string | undefined>;
  /** Rejects where git cannot tell. */
  between(checkout: string, before: string, after: string): Promise<readonly FileChange[]>;
}

/** Where git is missing; said once. */
export const noTrees = (trouble: TreeDeps['trouble']): Trees => {
  let said = false;
  return {
    async take() {
      if (!said)
        trouble(
          'git was not found on PATH, so /rewind knows the edits of tools, but not what commands change.',
        );
      said = true;
      return undefined;
    },
    ready: async () => undefined,
    between: async () => [],
  };
};

/** Each costs two processes before a command. */
const MOST_INSIDE = 20;

/** A tree without anything in it; git knows it everywhere. */
const EMPTY = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const whole = z.object({ tree: z.string(), inside: z.record(z.string(), z.string()) });

const named = (tree: string, inside: Readonly<Record<string, string>>): string =>
  Object.keys(inside).length === 0 ? tree : JSON.stringify({ tree, inside });
const parted = (name: string): z.infer<typeof whole> =>
  name.startsWith('{') ? whole.parse(JSON.parse(name)) : { tree: name, inside: {} };

export const createTrees = (deps: TreeDeps): Trees => {
  const flat = createFlatTrees(deps);
  const inside = new Map<string, Trees>();
  const treesOf = (path: string): Trees => {
    const name = `inside-${createHash('sha1').update(path).digest('hex').slice(0, 12)}`;
    const trees = inside.get(path) ?? createTrees({ ...deps, store: deps.store.below(name) });
    inside.set(path, trees);
    return trees;
  };
  const withInside = async (
    checkout: string,
    found: FlatTree | undefined,
    how: 'take' | 'ready',
  ): Promise<string | undefined> => {
    if (!found) return undefined;
    const paths = [...(await submodulesIn(checkout)), ...found.nested].slice(0, MOST_INSIDE);
    const taken = await Promise.all(
      paths.map(
        async (path) => [path, await treesOf(join(checkout, path))[how](join(checkout, path))] as const,
      ),
    );
    const known = taken.flatMap(([path, tree]) => (tree === undefined ? [] : [[path, tree] as const]));
    return named(found.tree, Object.fromEntries(known));
  };
  return {
    take: async (checkout) => withInside(checkout, await flat.take(checkout), 'take'),
    ready: async (checkout) => withInside(checkout, await flat.ready(checkout), 'ready'),
    async between(checkout, before, after) {
      if (before === after) return [];
      const [a, b] = [parted(before), parted(after)];
      const changes: FileChange[] = [];
      // A repository that a command made is not recorded; of one that is gone its files are.
      for (const [path, tree] of Object.entries(a.inside)) {
        const top = join(checkout, path);
        changes.push(...(await treesOf(top).between(top, tree, b.inside[path] ?? EMPTY)));
      }
      return [...changes, ...(await flat.between(checkout, a.tree, b.tree))];
    },
  };
};

/** Submodules that are checked out and really lie inside. */
const submodulesIn = async (checkout: string): Promise<readonly string[]> => {
  const text = await readRegularText(join(checkout, '.gitmodules')).catch(() => '');
  if (text === '') return [];
  const top = await realpath(checkout);
  const paths = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(.+?)[ \t]*$/gm)].map(([, path = '']) => path);
  const there = await Promise.all(
    paths.map(async (path) => {
      const real = await realpath(join(checkout, path)).catch(() => '');
      return real === join(top, path) && real !== top && (await exists(join(real, '.git')));
    }),
  );
  return paths.filter((_, at) => there[at]);
};
