/**
 * For `NODE_OPTIONS=--import`: kills the program at step number `KILL_AT` that it makes below `KILL_UNDER` (a write,
 * rename, link, removal or new folder) or at a start of another program. `KILL_TORN=1`: where that step is a write, its
 * first half is written before. With `KILL_COUNT` the number of steps is written to that file. The program itself knows
 * nothing of it.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_AT, KILL_UNDER = '/', KILL_TORN, KILL_COUNT } = process.env;
const { openSync, closeSync, writeSync, writeFileSync } = fs;
/** Files that are open below the folder. */
const known = new Set<number>();
let steps = 0;

const isBelow = (path: unknown): boolean => typeof path === 'string' && path.startsWith(KILL_UNDER);
const step = (before?: () => void): void => {
  steps += 1;
  if (steps !== Number(KILL_AT)) return;
  before?.();
  process.kill(process.pid, 'SIGKILL');
};

type Call = (...args: never[]) => unknown;
/** Puts a step before a call where one of its first two arguments is a path below the folder. */
const stepping = <T extends Call>(call: T): T =>
  new Proxy(call, {
    apply(target, self, args: unknown[]) {
      if (args.slice(0, 2).some(isBelow)) step();
      return Reflect.apply(target, self, args);
    },
  });

for (const name of [
  'renameSync',
  'unlinkSync',
  'linkSync',
  'mkdirSync',
  'rmdirSync',
  'writeFileSync',
  'appendFileSync',
] as const)
  Object.assign(fs, { [name]: stepping(fs[name] as Call) });
for (const name of ['rename', 'unlink', 'rm', 'mkdir', 'writeFile', 'appendFile'] as const)
  Object.assign(fs.promises, { [name]: stepping(fs.promises[name] as Call) });
Object.assign(fs, {
  openSync(...args: Parameters<typeof openSync>) {
    const fd = openSync(...args);
    if (isBelow(args[0])) known.add(fd);
    return fd;
  },
  closeSync(fd: number) {
    known.delete(fd);
    closeSync(fd);
  },
  writeSync: new Proxy(writeSync, {
    apply(target, self, args: [number, unknown]) {
      const [fd, bytes] = args;
      if (known.has(fd))
        step(() => {
          if (KILL_TORN !== '1') return;
          const whole = ArrayBuffer.isView(bytes)
            ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
            : Buffer.from(String(bytes));
          target(fd, whole.subarray(0, Math.floor(whole.length / 2)));
        });
      return Reflect.apply(target, self, args);
    },
  }),
});
const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: new Proxy(spawn, {
    apply(target, self, args) {
      step();
      return Reflect.apply(target, self, args);
    },
  }),
});
syncBuiltinESMExports();
if (KILL_COUNT) process.on('exit', () => writeFileSync(KILL_COUNT, String(steps)));
