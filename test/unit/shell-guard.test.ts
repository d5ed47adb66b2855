import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const room = resolve(import.meta.dirname, '../../src/shell');

/** Processes whose environment holds this. */
const carrying = (tag: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(tag);
    } catch {
      return false;
    }
  });

const program = (folder: string, tag: string): string => `
import { createShell } from ${JSON.stringify(join(room, 'run.ts'))};
const shell = createShell({ path: process.env.PATH });
const start = (command, n) => shell.start({
  command, cwd: '/', env: { PATH: process.env.PATH, RUN_TAG: ${JSON.stringify(tag)} }, timeoutMs: 60_000,
  outputFile: ${JSON.stringify(folder)} + '/' + n, signal: new AbortController().signal,
  onOutput: () => process.stdout.write('.'),
});
start('trap "" TERM; echo up; sleep 300', 1);
start('echo up; sleep 300 & sleep 300', 2);
start('setsid sh -c "echo up; exec sleep 300" & sleep 300', 3);
`;

it.each(['SIGKILL', 'SIGTERM'] as const)('no command outlives a program that %s ends', async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-'));
  const tag = `guarded-${signal}-${process.pid}`;
  const file = join(folder, 'program.ts');
  writeFileSync(file, program(folder, tag));
  const child = spawn('node', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let dots = 0;
  await new Promise<void>((all) => {
    child.stdout.on('data', (text: Buffer) => {
      dots += text.length;
      if (dots >= 3) all();
    });
  });
  expect(carrying(tag).length).toBeGreaterThanOrEqual(6);
  child.kill(signal);
  await expect.poll(() => carrying(tag), { timeout: 5_000 }).toEqual([]);
});
