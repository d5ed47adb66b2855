import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder where scripts run for real and can do nothing but call stubs that write down that they ran. */
export interface Stubs {
  readonly project: string;
  /** Which stubs bash ran. */
  run(script: string): ReadonlySet<string>;
  remove(): void;
}

/** Harmless wrappers that need their real behaviour; what they can start is only what PATH holds. */
const real = ['timeout', 'nice', 'env', 'xargs', 'sh', 'bash', 'cat'];

/** Generated scripts may fork without end: with its first process everything in here dies. */
const cage = (root: string): readonly string[] => [
  '--ro-bind',
  '/',
  '/',
  '--bind',
  root,
  root,
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--unshare-pid',
  '--unshare-net',
  '--die-with-parent',
  '--new-session',
];

export const makeStubs = (names: readonly string[]): Stubs => {
  const bwrap = ['/usr/bin/bwrap', '/usr/local/bin/bwrap'].find(existsSync);
  if (!bwrap) throw new Error('bubblewrap (bwrap) is needed: generated scripts run only inside it.');
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-stubs-')));
  const bin = join(root, 'bin');
  const project = join(root, 'project');
  const log = join(root, 'log');
  for (const folder of [bin, project]) mkdirSync(folder);
  for (const name of names) {
    // Each run has a log of its own, so that a job left running cannot speak for the next script.
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> "\${STUB_LOG:-${log}}"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  for (const name of real) {
    const path = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find(existsSync);
    if (path) symlinkSync(path, join(bin, name));
  }
  let count = 0;
  return {
    project,
    run(script) {
      const own = `${log}-${++count}`;
      rmSync(log, { force: true });
      const caged = [...cage(root), '/bin/bash', '--norc', '--noprofile', '-c', script];
      spawnSync(bwrap, caged, {
        cwd: project,
        env: { PATH: bin, HOME: project, STUB_LOG: own },
        input: '',
        timeout: 3_000,
        killSignal: 'SIGKILL',
        maxBuffer: 1_000_000,
      });
      const lines = [own, log].flatMap((file) =>
        existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [],
      );
      return new Set(lines.filter((line) => line !== ''));
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
};
