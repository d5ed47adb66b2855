import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { MergeDesk, Worktrees } from '../../src/contract/worktree.ts';
import { createMergeDesk } from '../../src/git/merge-desk.ts';
import { DISPOSABLE, type WorktreeDeps, type WorktreeSettings } from '../../src/git/ports.ts';
import { findGit } from '../../src/git/run.ts';
import { createWorktrees } from '../../src/git/worktrees.ts';
import { waitForLock } from '../../src/store/lock.ts';
import { bootId, processStart } from '../../src/store/process-start.ts';
import type { Environment } from './repo.ts';

export interface BenchWish {
  readonly settings?: Partial<WorktreeSettings>;
  readonly now?: () => Date;
  /** Stands for another process: locks of it look like those of somebody else. */
  readonly pid?: number;
}

/** The worktree service on real git and real locks. */
export const worktreeBench = (env: Environment, wish: BenchWish = {}): Worktrees =>
  createWorktrees(depsOf(env, wish));

/** The merge desk, with checks run by bash. */
export const deskBench = (env: Environment): MergeDesk =>
  createMergeDesk({
    ...depsOf(env, {}),
    check: async (command, cwd) => {
      const { status, stdout } = spawnSync('bash', ['-c', command], { cwd, env });
      return { code: status, output: stdout.toString() };
    },
  });

const depsOf = (env: Environment, wish: BenchWish): WorktreeDeps => ({
  program: findGit(env, []),
  processes: { pid: wish.pid ?? process.pid, startOf: processStart, boot: bootId(), host: hostname() },
  network: {},
  settings: () => ({
    baseRef: 'fresh',
    symlinkDirectories: [],
    sparsePaths: [],
    disposable: DISPOSABLE,
    ...wish.settings,
  }),
  async lock(path) {
    const lock = await waitForLock(path, 5_000);
    if ('refused' in lock) return { refused: lock.refused };
    if ('failed' in lock) return { refused: lock.failed };
    return lock;
  },
  now: wish.now ?? (() => new Date()),
});

/** The path that a worktree of this name has. */
export const worktreePath = (repo: { readonly path: string }, name: string): string =>
  join(repo.path, '.coppice', 'worktrees', name);
