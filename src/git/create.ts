/** Makes a worktree, or opens the one of that name. A crash at any point leaves something the next call finishes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refused, Worktree, WorktreeWish } from '../contract/worktree.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { writeWhole } from '../lib/whole-file.ts';
import { add } from './add.ts';
import { isWhole, putAside } from './aside.ts';
import { dropDeadLock } from './branch-lock.ts';
import { readyVerbs } from './git.ts';
import { takeHold } from './hold.ts';
import { type Linked, linkedWith } from './linked.ts';
import { markOf, readMemo } from './memo.ts';
import { badName, readableName } from './names.ts';
import { holderOf } from './owner.ts';
import { EXCLUDED, exclude, kindAt, makeFolder, worktreesFolder } from './place.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { forgetMissing } from './remove.ts';
import { type Repository, repositoryAt } from './repository.ts';
import { saveRescue } from './rescue.ts';

export const openWorktree = async (
  deps: WorktreeDeps,
  at: string,
  wish: WorktreeWish,
): Promise<Worktree | Refused> => {
  const wrong = wish.name === undefined ? undefined : badName(wish.name);
  if (wrong) return { refused: wrong };
  readyVerbs();
  return refusing(async () => {
    const given = wish.name && `worktree-${wish.name}`;
    const repository = await repositoryAt(deps.program, at, given);
    if (isRefused(repository)) return repository;
    const name = wish.name ?? (await freeName(repository));
    const ours = join(repository.commonDir, 'coppice');
    await ensureFolder(ours);
    const lock = await deps.lock(join(ours, `${name}.lock`));
    if ('refused' in lock) return { refused: `The worktree ${name} was left alone: ${lock.refused}` };
    try {
      return await openLocked(deps, repository, { ...wish, name });
    } finally {
      lock.release();
    }
  });
};

const freeName = async ({ root, git }: Repository): Promise<string> => {
  for (let attempt = 0; ; attempt++) {
    const name = readableName();
    const branch = await git.run(['show-ref', '--verify', '--quiet', `refs/heads/worktree-${name}`]);
    if (
      attempt > 20 ||
      (branch.code !== 0 && (await kindAt(join(worktreesFolder(root), name))) === 'nothing')
    )
      return name;
  }
};

const openLocked = async (
  deps: WorktreeDeps,
  repository: Repository,
  wish: WorktreeWish & { readonly name: string },
): Promise<Worktree | Refused> => {
  const { name, owner } = wish;
  const { commonDir, root } = repository;
  const path = join(worktreesFolder(root), name);
  const mark = markOf(commonDir, name);
  await makeFolder(root);
  const unfinished = (await kindAt(mark)) !== 'nothing';
  const listed = await linkedWith(commonDir, path);
  const there = listed && (await isWhole(listed.admin)) ? listed : undefined;
  const kind = await kindAt(path);
  if (kind === 'link' || kind === 'other')
    return {
      refused: `${path} is ${kind === 'link' ? 'a link' : 'a file'} now, not the folder of a worktree. Move it away, then try again.`,
    };
  if (there && kind === 'folder' && !unfinished) return reopen(deps, repository, there, name, owner);
  const notes: string[] = [];
  if (there) {
    const holder = holderOf(there.locked, deps.processes);
    if (holder.kind === 'process' || holder.kind === 'person')
      return { refused: `The worktree ${name} is held by ${holder.text}. Choose another name.` };
    notes.push(...(await clearRemains(deps, repository, there, kind === 'folder')));
  } else if (listed || unfinished) notes.push(...(await putAside(commonDir, path, listed?.admin)));
  await dropDeadLock(commonDir, `worktree-${name}`);
  await writeWhole(mark, JSON.stringify({ path, at: deps.now().toISOString() }), {
    mode: 0o600,
    flush: 'fast',
  });
  await exclude(commonDir, [EXCLUDED]);
  const made = await add(deps, repository, { ...wish, path });
  await rm(mark, { force: true });
  if (isRefused(made)) return made;
  return { ...made, notes: [...notes, ...made.notes] };
};

/** What a crash or a person's `rm` left: anything that could be work is saved before the rest goes. */
const clearRemains = async (
  deps: WorktreeDeps,
  repository: Repository,
  linked: Linked,
  folder: boolean,
): Promise<readonly string[]> => {
  const saved = await saveRescue(deps, linked, 'the worktree was left half made or its folder is gone');
  await forgetMissing(repository.git, linked);
  const what = folder
    ? 'was left unfinished by a crash and was made anew'
    : 'had lost its folder and was made anew';
  return [
    `The worktree ${what}.${saved ? ` What was left in it is saved: coppice worktree rescue restore ${saved.id}.` : ''}`,
  ];
};

const reopen = async (
  deps: WorktreeDeps,
  { root }: Repository,
  linked: Linked,
  name: string,
  owner: string,
): Promise<Worktree | Refused> => {
  const refused = await takeHold(deps, linked, owner);
  if (refused) return refused;
  const memo = await readMemo(linked.admin);
  return {
    name,
    path: linked.path,
    ...(linked.branch ? { branch: linked.branch } : {}),
    root,
    ...(memo?.base ? { base: memo.base } : {}),
    reopened: true,
    notes: [],
  };
};
