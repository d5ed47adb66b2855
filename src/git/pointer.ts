/** The `.git` file by which a worktree finds its repository. Where it is missing, git takes the checkout around for it. */
import { realpath, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularText } from '../lib/regular-file.ts';
import { type Git, gitIn } from './git.ts';
import type { Linked } from './linked.ts';
import { kindAt } from './place.ts';
import { GitFailed, type GitProgram } from './run.ts';

/** Git in a worktree, and in no other checkout: a pointer that is gone (a crash, a person) is written again first. */
export const gitOf = async (program: GitProgram | undefined, linked: Linked): Promise<Git> => {
  if (!program) throw new GitFailed('git was not found on PATH.', 1);
  const pointer = join(linked.path, '.git');
  if ((await kindAt(pointer)) === 'nothing')
    await writeFile(pointer, `gitdir: ${linked.admin}\n`, { flag: 'wx' });
  else if (!(await pointsTo(pointer, linked.admin)))
    throw new GitFailed(
      `${linked.path} is no longer the worktree that git knows: its .git leads elsewhere. Look at it by hand; "git worktree repair" mends a repository that was moved.`,
      1,
    );
  // Nothing above the worktree is ever looked at, should it go away meanwhile.
  return gitIn(
    { ...program, env: { ...program.env, GIT_CEILING_DIRECTORIES: dirname(linked.path) } },
    linked.path,
  );
};

const pointsTo = async (pointer: string, admin: string): Promise<boolean> => {
  const text = await readRegularText(pointer).catch(() => '');
  const target = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim();
  if (target === undefined) return false;
  const [a, b] = await Promise.all(
    [resolve(dirname(pointer), target), admin].map((path) => realpath(path).catch(() => path)),
  );
  return a === b;
};
