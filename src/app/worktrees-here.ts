/** The worktree service on this machine: git by its absolute path, our locks, the settings of now. */
import { hostname } from 'node:os';
import type { Settings } from '../contract/settings.ts';
import type { MergeDesk, Worktrees } from '../contract/worktree.ts';
import { createMergeDesk, type DeskDeps } from '../git/merge-desk.ts';
import { DISPOSABLE, type WorktreeDeps } from '../git/ports.ts';
import { findGit } from '../git/run.ts';
import { createWorktrees } from '../git/worktrees.ts';
import { waitForLock } from '../store/lock.ts';
import { bootId, processStart } from '../store/process-start.ts';
import type { Host } from './host.ts';

export interface ServicePlace {
  readonly host: Host;
  readonly project: string;
  settings(): Settings;
}

const NETWORK =
  /^(https?_proxy|all_proxy|no_proxy|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|GIT_SSH_COMMAND|SSH_AUTH_SOCK)$/i;

const depsOf = ({ host, project, settings }: ServicePlace): WorktreeDeps => ({
  program: findGit(host.env, [project]),
  processes: { pid: host.pid, startOf: processStart, boot: bootId(), host: hostname() },
  network: Object.fromEntries(
    Object.entries(host.env).flatMap(([name, value]) =>
      value !== undefined && NETWORK.test(name) ? [[name, value]] : [],
    ),
  ),
  settings() {
    const wished = settings().worktree ?? {};
    return {
      baseRef: wished.baseRef ?? 'fresh',
      symlinkDirectories: wished.symlinkDirectories ?? [],
      sparsePaths: wished.sparsePaths ?? [],
      disposable: wished.disposableDirectories ?? DISPOSABLE,
    };
  },
  async lock(path) {
    const lock = await waitForLock(path);
    if ('refused' in lock) return { refused: lock.refused };
    return 'failed' in lock ? { refused: lock.failed } : lock;
  },
  now: () => new Date(),
});

export const worktreeService = (place: ServicePlace): Worktrees => createWorktrees(depsOf(place));

/** The merge desk: checks run as Bash commands do. */
export const mergeDesk = (place: ServicePlace, check: DeskDeps['check']): MergeDesk =>
  createMergeDesk({ ...depsOf(place), check });
