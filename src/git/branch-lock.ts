/** The lock of a branch that a killed git left behind: as long as it is there, no git writes that branch again. */
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds; git holds such a lock for one of them. */
const PATIENCE = 1_000;
const STEP = 50;

/**
 * For a branch of ours that no worktree has, or whose worktree a crash left half made or half removed, while our own
 * lock keeps others away: a git that was orphaned and not killed is done in a moment; what stays the same for longer
 * is nobody's.
 */
export const dropDeadLock = async (commonDir: string, branch: string): Promise<void> => {
  const path = join(commonDir, 'refs', 'heads', `${branch}.lock`);
  const seen = await stampOf(path);
  if (seen === undefined) return;
  for (let waited = 0; waited < PATIENCE; waited += STEP) {
    await pause(STEP);
    if ((await stampOf(path)) !== seen) return;
  }
  await unlink(path);
};

const stampOf = (path: string): Promise<string | undefined> =>
  lstat(path).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => undefined,
  );
