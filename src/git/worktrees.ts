/** The worktree service: one mechanism for tools, flag, agents and commands. */
import { realpath } from 'node:fs/promises';
import type { Refused, Worktree, Worktrees } from '../contract/worktree.ts';
import { openWorktree } from './create.ts';
import { takeHold } from './hold.ts';
import { linkedWith } from './linked.ts';
import { listWorktrees } from './listing.ts';
import { readMemo } from './memo.ts';
import { holderOf } from './owner.ts';
import { gitOf } from './pointer.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { linkedTo, removeWorktree } from './remove.ts';
import { locate } from './repository.ts';
import { allRescues, readRescue, summaryOf } from './rescue-record.ts';
import { restoreRescue, showRescue } from './restore.ts';
import { look, rootOf } from './survey.ts';
import { sweep } from './sweep.ts';

export const createWorktrees = (deps: WorktreeDeps): Worktrees => ({
  open: (at, wish) => openWorktree(deps, at, wish),
  enter: (at, path, owner) => refusing(() => enter(deps, at, path, owner)),
  survey: (path) =>
    refusing(async () => {
      const linked = await linkedTo(deps, path);
      return isRefused(linked) ? linked : (await look(deps, linked)).survey;
    }),
  remove: (path, how) => removeWorktree(deps, path, how),
  async release(path) {
    const done = await refusing(() => release(deps, path));
    void done;
  },
  list: (at) => listWorktrees(deps, at),
  sweep: async (at, days) => {
    const told = await refusing(() => sweep(deps, at, days));
    return isRefused(told) ? [] : told;
  },
  rescues: (at) =>
    refusing(async () => {
      const here = await locate(deps.program, at);
      return isRefused(here) ? here : (await allRescues(here.git)).map(summaryOf);
    }),
  showRescue: (at, id) =>
    refusing(async () => {
      const here = await locate(deps.program, at);
      if (isRefused(here)) return here;
      const record = await readRescue(here.git, id);
      return isRefused(record) ? record : { text: showRescue(record), rescue: summaryOf(record) };
    }),
  restoreRescue: (at, id, to) => restoreRescue(deps, at, id, to),
});

const enter = async (
  deps: WorktreeDeps,
  at: string,
  written: string,
  owner: string,
): Promise<Worktree | Refused> => {
  const path = await realpath(written).catch(() => undefined);
  if (path === undefined)
    return {
      refused: `There is no folder ${written}. Give the path of an existing worktree, or a name for a new one.`,
    };
  const here = await locate(deps.program, at);
  if (isRefused(here)) return here;
  const linked = await linkedWith(here.commonDir, path);
  if (!linked)
    return {
      refused: `${path} is not a worktree of this repository (git worktree list names them). Give the path of one, or a name for a new one.`,
    };
  // What git's files say of it is the repository's to write: the folder has to say so too.
  await gitOf(deps.program, linked);
  const refused = await takeHold(deps, linked, owner);
  if (refused) return refused;
  const memo = await readMemo(linked.admin);
  return {
    name: memo?.name ?? path.slice(path.lastIndexOf('/') + 1),
    path,
    ...(linked.branch ? { branch: linked.branch } : {}),
    root: rootOf(linked),
    ...(memo?.base ? { base: memo.base } : {}),
    reopened: true,
    notes: [],
  };
};

const release = async (deps: WorktreeDeps, path: string): Promise<void> => {
  const linked = await linkedTo(deps, path);
  if (isRefused(linked) || holderOf(linked.locked, deps.processes).kind !== 'us') return;
  const git = await gitOf(deps.program, linked);
  await git.verb('The lock could not be lifted', ['worktree', 'unlock', path]);
};
