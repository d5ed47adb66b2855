/** Where a folder stands in its repository. */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refused } from '../contract/worktree.ts';
import { type Git, gitIn, plainGit } from './git.ts';
import { linkedWith } from './linked.ts';
import { refusePipes } from './pipes.ts';
import { plainFacts } from './plain-repository.ts';
import { isRefused } from './refused.ts';
import type { GitProgram } from './run.ts';
import { complaintOf, runGit } from './run.ts';

export interface Repository {
  /** Git at the main checkout. */
  readonly git: Git;
  /** Where worktrees go below. */
  readonly root: string;
  /** The checkout that was asked from. */
  readonly checkout: string;
  readonly commonDir: string;
  /** Commit of that checkout's HEAD. */
  readonly head: string;
  /** `refs/remotes/origin/HEAD`, when it is known. */
  readonly originHead?: string;
  /** Commit of the branch that was asked for. */
  readonly tip?: string;
}

const MAIN = '.git';

/** The same where nothing may be committed yet. */
export type Rooted = Omit<Repository, 'head'> & Partial<Pick<Repository, 'head'>>;

/** Facts, or why there are no worktrees here. */
export const rootedAt = async (
  program: GitProgram | undefined,
  at: string,
  branch?: string,
): Promise<Rooted | Refused> => {
  const found = await locate(program, at, branch);
  if (isRefused(found)) return found;
  const { git, gitDir: _own, ...facts } = found;
  const root = await mainRoot(git, found);
  return { ...facts, git: git.in(root), root };
};

/** Facts, or why no worktree can be made from here. */
export const repositoryAt = async (
  program: GitProgram | undefined,
  at: string,
  branch?: string,
): Promise<Repository | Refused> => {
  const rooted = await rootedAt(program, at, branch);
  if (isRefused(rooted)) return rooted;
  const { head } = rooted;
  return head
    ? { ...rooted, head }
    : {
        refused: `The repository in ${rooted.checkout} has no commit yet, and a worktree needs one to begin from. Commit something first.`,
      };
};

/** The commits that names stand for, undefined where there is none; one process for all. */
export const commitsOf = async (
  git: Git,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> => {
  const done = await git.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: names.map((name) => `${name}^{commit}\n`).join(''),
  });
  return done.stdout
    .toString('utf8')
    .split('\n')
    .slice(0, names.length)
    .map((line) => (line.endsWith(' commit') ? line.slice(0, line.indexOf(' ')) : undefined));
};

interface Located {
  readonly git: Git;
  readonly checkout: string;
  readonly commonDir: string;
  readonly gitDir: string;
  /** Absent where nothing is committed yet. */
  readonly head?: string;
  readonly originHead?: string;
  readonly tip?: string;
}

/** Git repeats what it does not know: it parts the commit of a branch, which may not be there, from what follows. */
const THEN = '--what-follows';

/** Found by a pattern that only the name itself matches: without one, a branch that is not there would end the answer. */
const branchArgument = (branch: string): string =>
  `--glob=refs/heads/${branch.slice(0, -1)}[${branch.slice(-1)}]`;

const isCommit = (line: string): boolean => /^[0-9a-f]{40,64}$/.test(line);

/** Git's folders around a place, and the commit of a branch; asks for less than `repositoryAt`. */
export const locate = async (
  program: GitProgram | undefined,
  at: string,
  branch?: string,
): Promise<Located | Refused> => {
  if (!program)
    return { refused: 'git was not found on PATH, and worktrees need it. Install git 2.38 or newer.' };
  refusePipes(at);
  const plain = plainFacts(at, branch);
  if (plain) {
    const { head, originHead, tip, ...place } = plain;
    return {
      git: plainGit(program, at),
      ...place,
      ...(head ? { head } : {}),
      ...(originHead ? { originHead } : {}),
      ...(tip ? { tip } : {}),
    };
  }
  // Asking where things are runs nothing of the repository, so it need not wait for the settings to be read.
  const found = await Promise.all([
    gitIn(program, at),
    runGit(program, at, [
      'rev-parse',
      '--path-format=absolute',
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--git-dir',
      '--git-common-dir',
      '--show-toplevel',
      ...(branch === undefined ? [] : [branchArgument(branch)]),
      THEN,
      // Git ends at the first of these that does not exist; what stands before it is printed.
      'HEAD^{commit}',
      'refs/remotes/origin/HEAD^{commit}',
    ]),
  ]).catch(() => undefined);
  if (!found) return { refused: `git could not run in ${at}: the folder is gone or may not be entered.` };
  const [git, done] = found;
  const [bare, inside, gitDir, commonDir, checkout, ...lines] = done.stdout.toString('utf8').split('\n');
  const [head, originHead] = lines.slice(lines.indexOf(THEN) + 1).filter(isCommit);
  const tip = lines.slice(0, lines.indexOf(THEN)).find(isCommit);
  if (!gitDir)
    return {
      refused: /not a git repository/i.test(done.stderr)
        ? `${at} is not in a git repository, so there can be no worktree. Run "git init" and commit first, or configure a WorktreeCreate hook.`
        : `No worktree can be made from ${at}: ${complaintOf(done)}.`,
    };
  if (bare === 'true' && inside !== 'true')
    return {
      refused: `${at} is a bare repository without files. Start in one of its worktrees (git worktree add), then worktrees can be made from there.`,
    };
  if (inside !== 'true' || !checkout || !commonDir)
    return {
      refused: `${at} lies inside the folder of git itself, not in a checkout. Start in the checkout.`,
    };
  if (!`${at}/`.startsWith(`${checkout}/`) && !(await sameFolder(at, checkout)))
    return {
      refused: `The repository's configuration says that its files are in ${checkout} (core.worktree), not around ${at}; that is not followed.`,
    };
  return {
    git,
    checkout,
    commonDir,
    gitDir,
    ...(head ? { head } : {}),
    ...(originHead ? { originHead } : {}),
    ...(tip ? { tip } : {}),
  };
};

const sameFolder = async (a: string, b: string): Promise<boolean> => {
  const [x, y] = await Promise.all([a, b].map((path) => realpath(path).catch(() => path)));
  return x !== undefined && y !== undefined && `${x}/`.startsWith(`${y}/`);
};

/** The main checkout, also when asked from a linked one; the linked one itself where the main repository is bare. */
const mainRoot = async (git: Git, { checkout, commonDir, gitDir }: Located): Promise<string> => {
  if (gitDir === commonDir) return checkout;
  const ours = /^(.*)\/\.coppice\/worktrees\/[^/]+$/.exec(checkout)?.[1];
  if (ours && (await linkedWith(commonDir, checkout)) && (await isCheckoutOf(ours, commonDir))) return ours;
  const listed = await git.run(['worktree', 'list', '--porcelain', '-z']);
  const [first = ''] = listed.stdout.toString('utf8').split('\0\0');
  const lines = first.split('\0');
  const path = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
  if (!path || lines.includes('bare') || !(await isCheckoutOf(path, commonDir))) return checkout;
  return path;
};

/** A folder with a `.git` in it; the listing of git names the git folder itself for submodules. */
const isCheckoutOf = async (path: string, commonDir: string): Promise<boolean> =>
  path !== commonDir &&
  (await lstat(join(path, MAIN)).then(
    () => true,
    () => false,
  ));
