/** Tidies up behind crashes and time. Whatever holds work is skipped; whatever is unsure is left alone. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWhole, putAside } from './aside.ts';
import { dropDeadLock } from './branch-lock.ts';
import { dropIdleBranch } from './commits.ts';
import { bornAt, type Linked, linkedWith, linkedWorktrees } from './linked.ts';
import { markOf, readMemo } from './memo.ts';
import { holderOf } from './owner.ts';
import { kindAt, worktreesFolder } from './place.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused } from './refused.ts';
import { finishRemoval, forgetMissing, removeWorktree } from './remove.ts';
import { type Rooted, rootedAt } from './repository.ts';
import { saveRescue } from './rescue.ts';
import { allRescues, KEPT_DAYS, RESCUES } from './rescue-record.ts';
import { GitFailed } from './run.ts';

const DAY = 86_400_000;

/** Answers one sentence per thing done. */
export const sweep = async (deps: WorktreeDeps, at: string, days: number): Promise<readonly string[]> => {
  const repository = await rootedAt(deps.program, at);
  if (isRefused(repository)) return [];
  const told: string[] = [];
  const ours = (await linkedWorktrees(repository.commonDir)).filter(({ path }) =>
    path.startsWith(`${worktreesFolder(repository.root)}/`),
  );
  for (const linked of ours) {
    const line = await sweepOne(deps, repository, linked, days).catch((error: unknown) => {
      if (error instanceof GitFailed) return undefined;
      throw error;
    });
    if (line) told.push(line);
  }
  told.push(...(await sweepMarks(deps, repository)));
  await dropOldRescues(deps, repository);
  return told;
};

const MARK = /^(.+)\.creating$/;

/** What was begun, and forgotten by git again: its folder goes where it can be looked at, its branch where it holds nothing. */
const sweepMarks = async (deps: WorktreeDeps, repository: Rooted): Promise<readonly string[]> => {
  const { commonDir, git, root } = repository;
  const ours = join(commonDir, 'coppice');
  const told: string[] = [];
  for (const mark of await readdir(ours).catch((): string[] => [])) {
    const name = MARK.exec(mark)?.[1];
    if (name === undefined) continue;
    const path = join(worktreesFolder(root), name);
    const lock = await deps.lock(join(ours, `${name}.lock`));
    if ('refused' in lock) continue;
    try {
      if (await linkedWith(commonDir, path)) continue;
      told.push(...(await putAside(commonDir, path, undefined)));
      await dropDeadLock(commonDir, `worktree-${name}`);
      await dropIdleBranch(git, commonDir, `worktree-${name}`);
      await rm(join(ours, mark), { force: true });
    } finally {
      lock.release();
    }
  }
  return told;
};

const sweepOne = async (
  deps: WorktreeDeps,
  repository: Rooted,
  linked: Linked,
  days: number,
): Promise<string | undefined> => {
  const holder = holderOf(linked.locked, deps.processes);
  if (holder.kind !== 'nobody' && holder.kind !== 'dead') return undefined;
  const memo = await readMemo(linked.admin);
  const name = memo?.name ?? linked.path.slice(linked.path.lastIndexOf('/') + 1);
  const mark = markOf(repository.commonDir, name);
  const marked = (await kindAt(mark)) !== 'nothing';
  if (!memo?.removing && !marked) {
    const born = memo ? Date.parse(memo.createdAt) : (await bornAt(linked))?.getTime();
    if (born === undefined || deps.now().getTime() - born < days * DAY) return undefined;
    const removal = await removeWorktree(deps, linked.path, { rescue: false });
    return 'removed' in removal
      ? `The worktree ${name} was ${days} days old and held nothing; it was removed.`
      : undefined;
  }
  const lock = await deps.lock(join(repository.commonDir, 'coppice', `${name}.lock`));
  if ('refused' in lock) return undefined;
  try {
    await dropDeadLock(repository.commonDir, `worktree-${name}`);
    if (memo?.removing) {
      await finishRemoval(deps, linked);
      return `The removal of the worktree ${name}, which a crash had cut off, is finished.`;
    }
    if (!(await isWhole(linked.admin))) {
      const notes = await putAside(repository.commonDir, linked.path, linked.admin);
      await rm(mark, { force: true });
      return [`The worktree ${name}, which a crash had left half made, was put aside.`, ...notes].join(' ');
    }
    const saved = await saveRescue(deps, linked, 'a crash left it half made');
    await forgetMissing(repository.git, linked);
    await rm(mark, { force: true });
    return `The worktree ${name}, which a crash had left half made, was taken away.${saved ? ` What was in it is saved as ${saved.id}.` : ''}`;
  } finally {
    lock.release();
  }
};

const dropOldRescues = async (deps: WorktreeDeps, { git }: Rooted): Promise<void> => {
  for (const { id, createdAt } of await allRescues(git))
    if (deps.now().getTime() - Date.parse(createdAt) > KEPT_DAYS * DAY)
      await git.run(['update-ref', '-d', RESCUES + id]);
};
