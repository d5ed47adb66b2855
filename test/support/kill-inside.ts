/**
 * For `NODE_OPTIONS=--import`: kills the program at step number `KILL_AT` that it makes inside the lock of a task list,
 * so that it dies in the middle of its change. The program itself knows nothing of it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const INSIDE = /\/tasks\/[^/]+\/\.lock\/./;
let steps = 0;
const step = (path: unknown): void => {
  if (typeof path !== 'string' || !INSIDE.test(path)) return;
  steps += 1;
  if (steps === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
};
const { openSync, renameSync, unlinkSync } = fs;
Object.assign(fs, {
  openSync(...args: Parameters<typeof openSync>) {
    step(args[0]);
    return openSync(...args);
  },
  renameSync(...args: Parameters<typeof renameSync>) {
    step(args[0]);
    renameSync(...args);
  },
  unlinkSync(...args: Parameters<typeof unlinkSync>) {
    step(args[0]);
    unlinkSync(...args);
  },
});
syncBuiltinESMExports();
