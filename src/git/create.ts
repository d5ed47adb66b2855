/** Makes a worktree, or opens the one of that name. A crash at any point leaves something the next call finishes. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refused, Worktree } from '../contract/worktree.ts';
import { writeWhole } from '../lib/whole-file.ts';
import { copyIncluded, linkFolders } from './furnish.ts';
import { gitIn, readyVerbs } from './git.ts';
import { type Linked, linkedWorktrees } from './linked.ts';
import { type Memo, readMemo, writeMemo } from './memo.ts';
import { badName, readableName } from './names.ts';
import { holderOf, lockReason } from './owner.ts';
import { EXCLUDED, exclude, kindAt, makeFolder, worktreesFolder } from './place.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { forgetMissing } from './remove.ts';
import { commitsOf, type Repository, repositoryAt } from './repository.ts';
import { saveRescue } from './rescue.ts';

export interface OpenWish {
  readonly name?: string;
  readonly owner: string;
}

/** Where it is written down that a worktree is being made. */
const markOf = (commonDir: string, name: string): string => join(commonDir, 'coppice', `${name}.creating`);

export const openWorktree = async (
  deps: WorktreeDeps,
  at: string,
  wish: OpenWish,
): Promise<Worktree | Refused> => {
  const wrong = wish.name === undefined ? undefined : badName(wish.name);
  if (wrong) return { refused: wrong };
  readyVerbs();
  return refusing(async () => {
    const repository = await repositoryAt(deps.program, at);
    if (isRefused(repository)) return repository;
    const name = wish.name ?? (await freeName(repository));
    const ours = join(repository.commonDir, 'coppice');
    await mkdir(ours, { recursive: true });
    const lock = await deps.lock(join(ours, `${name}.lock`));
    if ('refused' in lock)
      return { refused: `The worktree ${name} is being made or removed by somebody else: ${lock.refused}` };
    try {
      return await openLocked(deps, repository, name, wish.owner);
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
  name: string,
  owner: string,
): Promise<Worktree | Refused> => {
  const { commonDir, root } = repository;
  const path = join(worktreesFolder(root), name);
  const mark = markOf(commonDir, name);
  await makeFolder(root);
  const unfinished = (await kindAt(mark)) !== 'nothing';
  const there = (await linkedWorktrees(commonDir)).find((one) => one.path === path);
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
      return { refused: `The worktree ${name} is in use by ${holder.text}. Choose another name.` };
    notes.push(...(await clearRemains(deps, repository, there, kind === 'folder')));
  }
  if (!there && unfinished && kind === 'folder') {
    // Git gave up half way and forgot it: not ours to delete, only to put out of the way.
    const aside = `${path}-unfinished-${randomBytes(3).toString('hex')}`;
    await rename(path, aside);
    await deps.step?.('put aside');
    notes.push(`What a crash had left of it lies in ${aside}; delete that when you have looked at it.`);
  }
  await writeWhole(mark, JSON.stringify({ path, at: deps.now().toISOString() }), {
    mode: 0o600,
    flush: 'fast',
  });
  await deps.step?.('marked');
  await exclude(commonDir, [EXCLUDED]);
  await deps.step?.('excluded');
  const made = await add(deps, repository, { name, path, owner });
  await rm(mark, { force: true });
  await deps.step?.('unmarked');
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
  await deps.step?.('remains saved');
  await forgetMissing(deps, repository.git, linked);
  await deps.step?.('remains gone');
  const what = folder
    ? 'was left unfinished by a crash and was made anew'
    : 'had lost its folder and was made anew';
  return [
    `The worktree ${what}.${saved ? ` What was left in it is saved: coppice worktree rescue restore ${saved.id}.` : ''}`,
  ];
};

const add = async (
  deps: WorktreeDeps,
  { git, root, commonDir, head, originHead }: Repository,
  { name, path, owner }: { readonly name: string; readonly path: string; readonly owner: string },
): Promise<Worktree> => {
  const { baseRef, symlinkDirectories } = deps.settings();
  const branch = `worktree-${name}`;
  const [old] = await commitsOf(git, [`refs/heads/${branch}`]);
  const base = old ?? (baseRef === 'fresh' ? (originHead ?? head) : head);
  const lock = ['--lock', '--reason', lockReason(deps.processes, owner)];
  await deps.step?.('before add');
  await git.verb(`The worktree ${name} could not be made`, [
    'worktree',
    'add',
    '--quiet',
    ...lock,
    ...(old ? [path, branch] : ['--no-track', '-b', branch, path, base]),
  ]);
  await deps.step?.('added');
  const linked = (await linkedWorktrees(commonDir)).find((one) => one.path === path);
  if (!linked) throw new Error(`git made ${path} but does not list it.`);
  const memo: Memo = {
    name,
    createdAt: deps.now().toISOString(),
    base,
    branch,
    links: {},
    ready: false,
    removing: false,
  };
  await writeMemo(linked.admin, memo);
  await deps.step?.('noted');
  const copied = await copyIncluded(git, root, path);
  await deps.step?.('copied');
  const { links, notes } = await linkFolders(git, commonDir, root, path, symlinkDirectories);
  await deps.step?.('linked');
  await writeMemo(linked.admin, { ...memo, links, ready: true });
  await deps.step?.('ready');
  return { name, path, branch, root, base, reopened: false, notes: [...copied, ...notes] };
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

/** Locks an existing worktree for us; a person's own lock is left as it is. */
export const takeHold = async (
  deps: WorktreeDeps,
  linked: Linked,
  owner: string,
): Promise<Refused | undefined> => {
  const { program, processes } = deps;
  const holder = holderOf(linked.locked, processes);
  if (holder.kind === 'us' || holder.kind === 'person' || !program) return undefined;
  if (holder.kind === 'process')
    return {
      refused: `The worktree ${linked.path} is in use by ${holder.text}. Choose another name, or end that first.`,
    };
  const pointer = await readFile(join(linked.path, '.git'), 'utf8').catch(() => '');
  if (!pointer.includes(linked.admin))
    return {
      refused: `${linked.path} is no longer the worktree that git knows: its .git file points elsewhere. Run "git worktree repair", or choose another name.`,
    };
  const git = await gitIn(program, linked.path);
  if (holder.kind === 'dead')
    await git.verb('The old lock could not be lifted', ['worktree', 'unlock', linked.path]);
  await deps.step?.('unlocked');
  await git.verb('The worktree could not be locked', [
    'worktree',
    'lock',
    '--reason',
    lockReason(processes, owner),
    linked.path,
  ]);
  await deps.step?.('locked');
  return undefined;
};
