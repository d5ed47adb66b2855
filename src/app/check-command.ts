/** Runs a check command that a person gave, between merges. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DeskDeps } from '../git/merge-desk.ts';
import { createShell } from '../shell/run.ts';
import type { World } from './world.ts';

const LONGEST_MS = 30 * 60_000;

export const checkCommand =
  (world: World, outputs: () => Promise<string>): DeskDeps['check'] =>
  async (command, cwd) => {
    const shell = createShell({ path: world.env().PATH ?? '/usr/bin:/bin' });
    try {
      const { result } = shell.start({
        command,
        cwd,
        env: world.childEnv(),
        timeoutMs: LONGEST_MS,
        outputFile: join(await outputs(), `check-${randomUUID().slice(0, 8)}.txt`),
        signal: new AbortController().signal,
      });
      const { exitCode, output, notStarted } = await result;
      return { code: exitCode, output: notStarted ?? output };
    } finally {
      await shell.close();
    }
  };
