/** Makes worktrees and takes them away: hooks are asked first, and which locks are ours is kept. */
import { isAbsolute, join } from 'node:path';
import type { HookScope } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';
import type { Left, Refused, Survey, Worktree, Worktrees } from '../contract/worktree.ts';
import { badName } from '../git/names.ts';
import { isFolder } from '../lib/is-folder.ts';
import { branchOf } from './git-facts.ts';
import type { HookHouse } from './hook-house.ts';
import type { World } from './world.ts';

export interface Made {
  readonly worktree: Worktree;
  /** A hook made it, not git. */
  readonly byHook: boolean;
}

export type Gone =
  | { readonly survey?: Survey; readonly rescue?: Left['rescue'] }
  | Refused
  | { readonly holds: Survey };

export interface Yard {
  /** `pull`: the number of a pull request of origin to begin from. `owner`: an agent that is no session yet. */
  make(
    state: SessionState,
    wish: { readonly name: string; readonly pull?: number; readonly owner?: string },
    scope: HookScope | undefined,
  ): Promise<Made | Refused>;
  /** Enters one that is there; its lock is ours from then on. */
  enter(state: SessionState, path: string, from?: string): Promise<Worktree | Refused>;
  /** Removes it. Without `rescue` only one that holds nothing goes. */
  takeAway(
    path: string,
    how: { readonly byHook: boolean; readonly rescue: boolean },
    scope: HookScope | undefined,
  ): Promise<Gone>;
  /** Gives up the lock, where it is ours. */
  release(path: string): Promise<void>;
  releaseAll(): Promise<void>;
}

const ownerOf = (state: SessionState): string =>
  `session ${state.root}${state.parent ? ` agent ${state.agent.name ?? state.agent.type}` : ''}`;

export const createYard = (world: World, hooks: HookHouse['hooks'], service: Worktrees): Yard => {
  /** Locks we hold, by path. */
  const held = new Set<string>();

  const release = async (path: string): Promise<void> => {
    if (held.delete(path)) await service.release(path);
  };

  /** What a WorktreeCreate hook says: a refusal, a folder of its own, or nothing. */
  const hooked = async (name: string, scope: HookScope | undefined): Promise<Made | Refused | undefined> => {
    if (!scope || !hooks.listens('WorktreeCreate', scope.extra)) return undefined;
    const verdict = await hooks.dispatch('WorktreeCreate', { name }, scope);
    const refused = verdict.blocked ?? verdict.stop;
    if (refused !== undefined) return { refused: `A hook refused the worktree: ${refused}` };
    const path = verdict.worktreePath;
    if (path === undefined) return undefined;
    if (!isAbsolute(path) || !(await isFolder(path)))
      return {
        refused: `The WorktreeCreate hook answered ${JSON.stringify(path)}, which is not the absolute path of a folder.`,
      };
    const branch = branchOf(path);
    const root = world.project;
    return {
      byHook: true,
      worktree: { name, path, ...(branch ? { branch } : {}), root, reopened: false, notes: [] },
    };
  };

  return {
    async make(state, wish, scope) {
      const wrong = badName(wish.name);
      if (wrong) return { refused: wrong };
      const byHook = await hooked(wish.name, scope);
      if (byHook) return byHook;
      const worktree = await service.open(state.checkout, {
        ...wish,
        owner: wish.owner === undefined ? ownerOf(state) : `session ${state.root} agent ${wish.owner}`,
      });
      if ('refused' in worktree) return worktree;
      held.add(worktree.path);
      return { worktree, byHook: false };
    },
    async enter(state, path, from = state.checkout) {
      const worktree = await service.enter(
        from,
        isAbsolute(path) ? path : join(state.cwd, path),
        ownerOf(state),
      );
      if (!('refused' in worktree)) held.add(worktree.path);
      return worktree;
    },
    async takeAway(path, { byHook, rescue }, scope) {
      const tell = async () => scope && hooks.dispatch('WorktreeRemove', { worktree_path: path }, scope);
      if (byHook) {
        const survey = await service.survey(path);
        if (!('refused' in survey) && !survey.clean && !rescue) return { holds: survey };
        await tell();
        return 'refused' in survey ? {} : { survey };
      }
      const heard = scope !== undefined && hooks.listens('WorktreeRemove', scope.extra);
      const removed = await service.remove(path, { rescue, ...(heard ? { before: tell } : {}) });
      if (!('removed' in removed)) return removed;
      held.delete(path);
      return { survey: removed.survey, ...(removed.rescue ? { rescue: removed.rescue } : {}) };
    },
    release,
    async releaseAll() {
      for (const path of [...held]) await release(path);
    },
  };
};
