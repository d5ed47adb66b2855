/** All worktrees of a repository with owner, age, size and state. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holdsText, type Refused, type WorktreeRow } from '../contract/worktree.ts';
import { bornAt, type Linked, linkedWorktrees } from './linked.ts';
import { markOf, readMemo } from './memo.ts';
import { holderOf } from './owner.ts';
import { kindAt } from './place.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { locate } from './repository.ts';
import { GitFailed } from './run.ts';
import { commonDirOf, look } from './survey.ts';

export const listWorktrees = (deps: WorktreeDeps, at: string): Promise<readonly WorktreeRow[] | Refused> =>
  refusing(async () => {
    const found = await locate(deps.program, at);
    if (isRefused(found)) return found;
    const rows: WorktreeRow[] = [];
    for (const linked of await linkedWorktrees(found.commonDir)) rows.push(await rowOf(deps, linked));
    return rows;
  });

const rowOf = async (deps: WorktreeDeps, linked: Linked): Promise<WorktreeRow> => {
  const memo = await readMemo(linked.admin);
  const holder = holderOf(linked.locked, deps.processes);
  const createdAt = memo?.createdAt ?? (await bornAt(linked))?.toISOString() ?? null;
  const base = {
    name: memo?.name ?? linked.path.slice(linked.path.lastIndexOf('/') + 1),
    path: linked.path,
    branch: linked.branch ?? null,
    owner:
      holder.kind === 'process' || holder.kind === 'person'
        ? holder.text
        : holder.kind === 'us'
          ? 'this program'
          : null,
    createdAt,
    ageMs: createdAt === null ? null : deps.now().getTime() - Date.parse(createdAt),
  };
  if ((await kindAt(linked.path)) === 'nothing')
    return { ...base, bytes: null, state: 'missing', holds: 'its folder is gone' };
  try {
    const { survey } = await look(deps, linked);
    const state =
      memo?.removing || (await kindAt(markOf(commonDirOf(linked), base.name))) !== 'nothing'
        ? 'unfinished'
        : survey.unclear
          ? 'unclear'
          : survey.clean
            ? 'clean'
            : 'work';
    return {
      ...base,
      bytes: await bytesBelow(linked.path),
      state,
      holds: holdsText(survey) || 'nothing that is not elsewhere',
    };
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return { ...base, bytes: null, state: 'unclear', holds: error.message };
  }
};

/** Bytes of all files below, links not followed. */
const bytesBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? bytesBelow(path) : ((await lstat(path).catch(() => undefined))?.size ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};
