/** Checks out some folders of a commit only (`worktree.sparsePaths`), with the files at the top. */
import type { Git } from './git.ts';

/** Answers what could not be followed; where nothing of the setting can, everything is checked out. */
export const checkOutSparse = async (
  git: Git,
  base: string,
  wished: readonly string[],
): Promise<readonly string[]> => {
  const folders = wished.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));
  const asked = await git.run(['cat-file', '--batch-check=%(objecttype)'], {
    input: folders.map((path) => `${base}:${path.replaceAll('\n', ' ')}\n`).join(''),
  });
  const kinds = asked.stdout.toString('utf8').split('\n');
  const isFolder = (at: number): boolean => folders[at] !== '' && kinds[at] === 'tree';
  const there = folders.filter((_, at) => isFolder(at));
  if (there.length > 0)
    await git.verb('The folders of worktree.sparsePaths could not be set', [
      'sparse-checkout',
      'set',
      '--cone',
      '--end-of-options',
      ...there,
    ]);
  await git.verb('The files could not be checked out', ['reset', '--hard', '--no-recurse-submodules']);
  return wished.flatMap((path, at) =>
    isFolder(at)
      ? []
      : [`worktree.sparsePaths: there is no folder ${path} in what is checked out, so it was left out.`],
  );
};
