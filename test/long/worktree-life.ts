/** A program that makes, leaves or sweeps worktrees and dies at the N-th step: `node worktree-life.ts REPO WHAT N`. Prints each step. */
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';

const [path = '', what = '', end = '0'] = process.argv.slice(2);
let count = 0;
const service = worktreeBench(process.env as Record<string, string>, {
  settings: { symlinkDirectories: ['linked'] },
  step: async (name) => {
    count += 1;
    process.stdout.write(`${name}\n`);
    if (count === Number(end)) process.kill(process.pid, 'SIGKILL');
  },
  ...(what === 'sweep' ? { now: () => new Date(Date.now() + 40 * 86_400_000) } : {}),
});
const done =
  what === 'create'
    ? await service.open(path, { name: 'w', owner: 'test' })
    : what === 'exit'
      ? await service.remove(worktreePath({ path }, 'w'), { rescue: true })
      : await service.sweep(path, 30);
process.stdout.write(`done ${JSON.stringify(done)}\n`);
