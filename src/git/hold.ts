/** Takes and gives up git's own lock of a worktree. */
import type { Refused } from '../contract/worktree.ts';
import type { Linked } from './linked.ts';
import { holderOf, lockReason } from './owner.ts';
import { gitOf } from './pointer.ts';
import type { WorktreeDeps } from './ports.ts';

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
      refused: `The worktree ${linked.path} is held by ${holder.text}. Choose another name, or end that first.`,
    };
  const git = await gitOf(program, linked);
  if (holder.kind === 'dead')
    await git.verb('The old lock could not be lifted', ['worktree', 'unlock', linked.path]);
  await git.verb('The worktree could not be locked', [
    'worktree',
    'lock',
    '--reason',
    lockReason(processes, owner),
    linked.path,
  ]);
  return undefined;
};
