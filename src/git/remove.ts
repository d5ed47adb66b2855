/** Removes a worktree of ours through git, after everything in it was found to be elsewhere or was saved. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refused, RemovalWish, Rescue, Survey } from '../contract/worktree.ts';
import { ownCommits } from './commits.ts';
import { filesOf } from './examine.ts';
import { type Git, gitIn } from './git.ts';
import { type Linked, linkedAt, linkedWith } from './linked.ts';
import { readMemo, writeMemo } from './memo.ts';
import { type Holder, holderOf } from './owner.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { locate } from './repository.ts';
import { saveLooked } from './rescue.ts';
import { GitFailed } from './run.ts';
import { commonDirOf, type Looked, look } from './survey.ts';

export type Removal =
  | { readonly removed: true; readonly survey: Survey; readonly rescue?: Rescue }
  | Refused
  | { readonly holds: Survey };

/** The linked worktree at a path, found from the worktree itself or, where that is gone, from the checkout around it. */
export const linkedTo = async (
  deps: WorktreeDeps,
  path: string,
  around?: string,
): Promise<Linked | Refused> => {
  const places = [path, ...(around ? [around] : []), path.replace(/\/\.coppice\/worktrees\/[^/]+$/, '')];
  for (const place of places) {
    const found = await locate(deps.program, place);
    if (isRefused(found)) continue;
    const linked = await linkedWith(found.commonDir, path);
    if (linked) return linked;
  }
  return { refused: `${path} is not a worktree that git knows. Nothing was changed.` };
};

/** A sentence when somebody else's hands are on it. */
const heldBy = (holder: Holder, path: string): string | undefined =>
  holder.kind === 'process' || holder.kind === 'person'
    ? `The worktree ${path} was left alone: it is held by ${holder.text}.`
    : undefined;

export const removeWorktree = async (deps: WorktreeDeps, path: string, how: RemovalWish): Promise<Removal> =>
  refusing(async (): Promise<Removal> => {
    const linked = await linkedTo(deps, path);
    if (isRefused(linked)) return linked;
    const memo = await readMemo(linked.admin);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!memo && linked.branch !== `worktree-${name}`)
      return {
        refused: `The worktree ${path} was made by somebody else, so it is not removed. Leave it with action "keep".`,
      };
    const lock = await deps.lock(join(commonDirOf(linked), 'coppice', `${memo?.name ?? name}.lock`));
    if ('refused' in lock) return { refused: `The worktree ${path} was left alone: ${lock.refused}` };
    try {
      return await removeLocked(deps, linked, how);
    } finally {
      lock.release();
    }
  });

/** How often the disk may change under our hands before we give up. */
const TRIES = 3;

const removeLocked = async (
  deps: WorktreeDeps,
  before: Linked,
  { rescue, before: told }: RemovalWish,
): Promise<Removal> => {
  const linked = await linkedAt(before.admin);
  if (!linked) return { refused: `The worktree ${before.path} is gone already.` };
  const held = heldBy(holderOf(linked.locked, deps.processes), linked.path);
  if (held) return { refused: held };
  let saved: Rescue | undefined;
  let looked = await look(deps, linked);
  if (told && (rescue || looked.survey.clean)) {
    await told();
    looked = await look(deps, linked);
  }
  for (let attempt = 0; ; attempt++) {
    if (!looked.survey.clean && !rescue) return { holds: looked.survey };
    const seen = await fingerprint(looked);
    saved = await saveLooked(
      deps,
      looked,
      rescue ? 'it was removed with work in it' : 'it was removed',
    ).catch((error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
      throw new GitFailed(
        `The worktree ${linked.path} was left as it is, because its work could not be saved. ${error.message}`,
        error.code,
      );
    });
    const again = await look(deps, linked);
    if ((await fingerprint(again)) === seen) {
      await finish(deps, looked, saved);
      return { removed: true, survey: looked.survey, ...(saved ? { rescue: saved } : {}) };
    }
    looked = again;
    if (attempt + 1 === TRIES)
      return {
        refused: `The worktree ${linked.path} was left alone: files in it keep changing. End what still runs there, then try again.`,
      };
  }
};

/** Changes when anything that was saved changes. */
const fingerprint = async ({ survey, found, tips, linked }: Looked): Promise<string> => {
  const files = found ? filesOf(found) : [];
  const stats = await Promise.all(
    files.map(async (path) => {
      const at = await lstat(join(linked.path, path), { bigint: true }).catch(() => undefined);
      return at ? [path, at.ino, at.size, at.mtimeNs, at.ctimeNs] : [path];
    }),
  );
  return JSON.stringify(
    [stats, survey.changed, survey.commits, survey.stashes, survey.operation, tips.tips],
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
};

/** Everything is safe: from here on a crash only leaves rubbish, which the next sweep takes away. */
const finish = async (deps: WorktreeDeps, looked: Looked, saved: Rescue | undefined): Promise<void> => {
  const { linked, memo, commonDir, ownBranch, survey } = looked;
  const git = looked.git.in(commonDir);
  const name = survey.worktree.name;
  await writeMemo(linked.admin, {
    name,
    createdAt: deps.now().toISOString(),
    links: {},
    ...memo,
    removing: true,
  });
  await git.verb(`The worktree ${linked.path} could not be removed`, [
    'worktree',
    'remove',
    '--force',
    '--force',
    linked.path,
  ]);
  if (ownBranch) await dropBranch(git, looked, ownBranch, saved);
  if (saved) for (const { id } of looked.stashes) await dropStash(git, id);
};

/** Only at the commit that was looked at, and only when that is safe elsewhere. */
const dropBranch = async (
  git: Git,
  { tips }: Looked,
  branch: string,
  saved: Rescue | undefined,
): Promise<void> => {
  const tip = await git.run(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  const id = tip.stdout.toString('utf8').trim();
  if (tip.code !== 0 || !tips.tips.includes(id)) return;
  if (!saved && (await ownCommits(git, { tips: [id], elsewhere: tips.elsewhere })).length > 0) return;
  await git.run(['update-ref', '-d', `refs/heads/${branch}`, id]);
};

/** The stash is one list for all worktrees: the entry is found by its commit again right before it goes. */
const dropStash = async (git: Git, id: string): Promise<void> => {
  const listed = await git.run(['log', '-g', '--format=%H', 'refs/stash', '--']);
  const at = listed.stdout.toString('utf8').split('\n').indexOf(id);
  if (at < 0) return;
  const now = await git.run(['rev-parse', '--verify', '--quiet', `refs/stash@{${at}}`]);
  if (now.stdout.toString('utf8').trim() === id)
    await git.run(['reflog', 'delete', '--updateref', '--rewrite', `refs/stash@{${at}}`]);
  const left = await git.run(['reflog', 'exists', 'refs/stash']);
  const rest = await git.run(['log', '-g', '--format=%H', '--max-count=1', 'refs/stash', '--']);
  if (left.code === 0 && rest.stdout.toString('utf8').trim() === '')
    await git.run(['update-ref', '-d', 'refs/stash', id]);
};

/** Takes a worktree out of git's list; what was in it has been saved. Its branch stays. */
export const forgetMissing = async (git: Git, linked: Linked): Promise<void> => {
  await git.verb(`What was left of ${linked.path} could not be taken away`, [
    'worktree',
    'remove',
    '--force',
    '--force',
    linked.path,
  ]);
};

/** Goes on with a removal that a crash cut off: what is left is saved once more, then goes. */
export const finishRemoval = async (deps: WorktreeDeps, linked: Linked): Promise<void> => {
  const { program } = deps;
  if (!program) throw new GitFailed('git was not found on PATH.', 1);
  const looked = await look(deps, linked);
  const left = looked.found
    ? filesOf(looked.found).length > 0 || looked.survey.commits.length > 0
    : looked.survey.commits.length > 0;
  const saved = left ? await saveLooked(deps, looked, 'its removal was cut off by a crash') : undefined;
  await finish(deps, { ...looked, git: await gitIn(program, commonDirOf(linked)) }, saved);
};
