/** Which lines of a common ancestor two lines of work changed both. */
import type { Overlap } from '../contract/worktree.ts';
import type { Git } from './git.ts';

type Range = readonly [first: number, last: number];

/** Changed lines of the older side, by file. A pure insertion counts as the line before it and the one after. */
const changedLines = async (
  git: Git,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, readonly Range[]>> => {
  const text = await git.text('The differences could not be read', [
    'diff',
    '-U0',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--src-prefix=a/',
    '--dst-prefix=b/',
    from,
    to,
    '--',
  ]);
  const found = new Map<string, Range[]>();
  let path = '';
  for (const line of text.split('\n')) {
    const named = /^diff --git a\/(.*) b\/\1$/.exec(line)?.[1];
    if (named !== undefined) path = named;
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line) ?? [];
    if (start === undefined) continue;
    const [first, length] = [Number(start), count === undefined ? 1 : Number(count)];
    const range: Range = length === 0 ? [first, first + 1] : [first, first + length - 1];
    found.set(path, [...(found.get(path) ?? []), range]);
  }
  return found;
};

export const overlapsOf = async (
  git: Git,
  a: { readonly name: string; readonly commit: string },
  b: { readonly name: string; readonly commit: string },
): Promise<readonly Overlap[]> => {
  const done = await git.run(['merge-base', a.commit, b.commit]);
  const base = done.stdout.toString('utf8').trim();
  if (done.code !== 0 || base === '') return [];
  const [left, right] = await Promise.all([
    changedLines(git, base, a.commit),
    changedLines(git, base, b.commit),
  ]);
  return [...left].flatMap(([path, ranges]) =>
    ranges.flatMap((mine) =>
      (right.get(path) ?? []).flatMap((theirs) =>
        mine[0] <= theirs[1] + 1 && theirs[0] <= mine[1] + 1
          ? [
              {
                names: [a.name, b.name] as const,
                path,
                lines: [Math.max(mine[0], theirs[0]), Math.min(mine[1], theirs[1])] as const,
              },
            ]
          : [],
      ),
    ),
  );
};
