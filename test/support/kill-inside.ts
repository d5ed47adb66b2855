/**
 * For `NODE_OPTIONS=--import`: kills the program at step number `KILL_AT` that it makes inside the lock of a task list,
 * so that it dies in the middle of its change; with `FULL_FROM` and `FULL_TO` the disk is full for it at the steps
 * between. The program itself knows nothing of it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const INSIDE = /\/tasks\/[^/]+\/\.lock\/./;
let steps = 0;
const isInside = (path: unknown): boolean => typeof path === 'string' && INSIDE.test(path);
const step = (path: unknown): void => {
  if (!isInside(path)) return;
  steps += 1;
  if (steps === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
};
const isFull = (): boolean => steps >= Number(process.env.FULL_FROM) && steps <= Number(process.env.FULL_TO);
const full = (call: string, path: unknown): Error =>
  Object.assign(new Error(`ENOSPC: no space left on device, ${call} '${path}'`), { code: 'ENOSPC' });
const { openSync, renameSync, unlinkSync } = fs;
Object.assign(fs, {
  openSync(...args: Parameters<typeof openSync>) {
    step(args[0]);
    if (isInside(args[0]) && isFull()) throw full('open', args[0]);
    return openSync(...args);
  },
  renameSync(...args: Parameters<typeof renameSync>) {
    step(args[0]);
    if (isInside(args[0]) && isFull()) throw full('rename', args[0]);
    renameSync(...args);
  },
  unlinkSync(...args: Parameters<typeof unlinkSync>) {
    step(args[0]);
    unlinkSync(...args);
  },
});
syncBuiltinESMExports();
