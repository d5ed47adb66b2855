/** Has git make a worktree, and furnishes it. */
import type { Refused, Worktree, WorktreeWish } from '../contract/worktree.ts';
import { copyIncluded, linkFolders } from './furnish.ts';
import { linkedWith } from './linked.ts';
import { writeMemo } from './memo.ts';
import { lockReason } from './owner.ts';
import type { WorktreeDeps } from './ports.ts';
import { fetchPull } from './pull.ts';
import { commitsOf, type Repository } from './repository.ts';
import { GitFailed } from './run.ts';
import { checkOutSparse } from './sparse.ts';

interface AddWish extends WorktreeWish {
  readonly name: string;
  readonly path: string;
}

const MOST_TRIES = 8;

/** Git reads the records of all worktrees first, also of one that another git is writing just then. */
const isHalfWritten = (error: unknown): boolean =>
  error instanceof GitFailed && /failed to read .*worktrees\//.test(error.message);

/** The branch as it is, or as it was when the repository was looked at: where that is no longer so, git refuses, and is asked again. */
export const add = async (
  deps: WorktreeDeps,
  repository: Repository,
  wish: AddWish,
  tries = MOST_TRIES,
): Promise<Worktree | Refused> => {
  const ref = `refs/heads/worktree-${wish.name}`;
  try {
    return await addOn(deps, repository, wish, repository.tip);
  } catch (error) {
    if (tries > 0 && isHalfWritten(error)) return await add(deps, repository, wish, tries - 1);
    const [now] = error instanceof GitFailed ? await commitsOf(repository.git, [ref]) : [];
    if (!(error instanceof GitFailed) || now === repository.tip) throw error;
    return await addOn(deps, repository, wish, now);
  }
};

const addOn = async (
  deps: WorktreeDeps,
  repository: Repository,
  { name, path, owner, pull }: AddWish,
  old: string | undefined,
): Promise<Worktree | Refused> => {
  const { git, root, commonDir } = repository;
  const { symlinkDirectories, sparsePaths } = deps.settings();
  const branch = `worktree-${name}`;
  const base = old ?? (await baseOf(deps, repository, pull));
  if (typeof base !== 'string') return base;
  const sparse = sparsePaths.length > 0;
  const making = git.verb(`The worktree ${name} could not be made`, [
    'worktree',
    'add',
    '--quiet',
    '--lock',
    '--reason',
    lockReason(deps.processes, owner),
    ...(sparse ? ['--no-checkout'] : []),
    ...(old ? [path, branch] : ['--no-track', '-b', branch, path, base]),
  ]);
  await making.catch(async (error: unknown) => {
    // Git leaves its branch behind when it fails later on: on a full disk, say.
    if (!old && !(await linkedWith(commonDir, path)))
      await git.run(['update-ref', '-d', `refs/heads/${branch}`, base]);
    throw error;
  });
  const linked = await linkedWith(commonDir, path);
  if (!linked) throw new Error(`git made ${path} but does not list it.`);
  const left = sparse ? await checkOutSparse(git.in(path), base, sparsePaths) : [];
  const copied = await copyIncluded(git, root, path);
  const { links, notes } = await linkFolders(git, commonDir, root, path, symlinkDirectories);
  await writeMemo(linked.admin, {
    name,
    createdAt: deps.now().toISOString(),
    base,
    branch,
    links,
    removing: false,
  });
  return { name, path, branch, root, base, reopened: false, notes: [...left, ...copied, ...notes] };
};

/** Where a new branch begins. */
const baseOf = async (
  deps: WorktreeDeps,
  repository: Repository,
  pull: number | undefined,
): Promise<string | Refused> => {
  const { head, originHead } = repository;
  if (pull === undefined) return deps.settings().baseRef === 'fresh' ? (originHead ?? head) : head;
  return fetchPull(deps, repository, pull);
};
