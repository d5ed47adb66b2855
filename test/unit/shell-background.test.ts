import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ShellResult } from '../../src/contract/shell.ts';
import { backgroundCommands } from '../../src/shell/background.ts';
import { createShell } from '../../src/shell/run.ts';

const path = process.env.PATH ?? '';
const shell = createShell({ path });
const folder = mkdtempSync(join(tmpdir(), 'background-'));
const never = new AbortController().signal;
let counter = 0;
afterAll(() => shell.close());

const adopt = (
  commands: ReturnType<typeof backgroundCommands>,
  command: string,
  ended: [string, ShellResult][] = [],
) => {
  const outputFile = join(folder, String(counter++));
  const running = shell.start({
    command,
    cwd: folder,
    env: { PATH: path },
    timeoutMs: 50,
    outputFile,
    signal: never,
  });
  const id = commands.adopt(command, running, outputFile, (...end) => ended.push(end));
  return { id, outputFile };
};

it('runs on past its time limit, and tells of its end once', async () => {
  const commands = backgroundCommands();
  const ended: [string, ShellResult][] = [];
  const { id, outputFile } = adopt(commands, 'sleep 0.2; echo out; exit 3', ended);
  expect(commands.get(id)).toMatchObject({ id, status: 'running', outputFile, output: '' });
  await commands.wait(id, 10_000, never);
  expect(commands.get(id)).toMatchObject({ status: 'failed', exitCode: 3, output: 'out\n' });
  expect(readFileSync(outputFile, 'utf8')).toBe('out\n');
  expect(ended.map(([who, result]) => [who, result.exitCode])).toEqual([[id, 3]]);
});

it('waits no longer than asked, nor than the turn lasts', async () => {
  const commands = backgroundCommands();
  const { id } = adopt(commands, 'sleep 300');
  await commands.wait(id, 10, never);
  await commands.wait(id, 60_000, AbortSignal.abort());
  expect(commands.get(id)?.status).toBe('running');
  expect(await commands.stop(id)).toBe(true);
  expect(commands.get(id)?.status).toBe('stopped');
  expect(await commands.stop(id)).toBe(false);
  expect(await commands.stop('b0')).toBe(false);
});

it('stops all of them', async () => {
  const commands = backgroundCommands();
  const ids = [adopt(commands, 'sleep 300').id, adopt(commands, 'sleep 300').id];
  expect(commands.ids()).toEqual(ids);
  await commands.stopAll();
  expect(ids.map((id) => commands.get(id)?.status)).toEqual(['stopped', 'stopped']);
});
