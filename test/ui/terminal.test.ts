import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDemo } from '../support/build-demo.mjs';
import { openTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';

/** The screen bundled as the program is, in a real pseudo-terminal. */
let folder = '';
let program = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-ui-'));
  program = await buildDemo(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (scene: string, options: TerminalOptions = {}): Promise<Terminal> =>
  openTerminal(
    { path: folder, root: folder, env: { PATH: process.env.PATH ?? '', HOME: folder, ...options.env } },
    [],
    {
      columns: 100,
      rows: 30,
      ...options,
      command: [process.execPath, program, scene],
    },
  );

const rules = (on: Terminal): number =>
  on
    .text()
    .split('\n')
    .filter((row) => /^─{20,}$/.test(row.trim())).length;

test('a window that gets narrower and wider again keeps one prompt and every row above it', async () => {
  // The emulator is the one of VS Code, which wraps anew in its own way.
  await using on = await open('failed', { env: { TERM_PROGRAM: 'vscode' } });
  await on.waitFor('/login');
  on.type('a draft that is long enough to wrap in a narrow window, and then some more of it');
  await on.waitFor('more of it');
  for (const columns of [90, 80, 100, 85]) {
    on.resize(columns, 30);
    await on.settle(300);
  }
  expect(rules(on)).toBe(2);
  expect(on.text().split('❯ Go on.').length - 1).toBe(1);
  expect(on.text().split('Coppice 0.1.0').length - 1).toBe(1);
});

test('a tick of the spinner writes few bytes and never clears', async () => {
  await using on = await open('tool');
  await on.waitFor('docs: search rounding');
  const before = on.raw().length;
  await on.waitFor(() => on.raw().slice(before).split('\x1b[?2026h').length > 6);
  const frames = on.raw().slice(before).split('\x1b[?2026h').slice(1);
  const median = frames.map((frame) => frame.length).sort((a, b) => a - b)[frames.length >> 1] ?? 0;
  expect(median).toBeLessThan(250);
  expect(on.raw()).not.toMatch(/\x1b\[[23]J/);
});

test('ctrl+c twice gives the terminal back as it was', async () => {
  await using on = await open('empty');
  await on.waitFor('What shall we do?');
  on.key('ctrl+c');
  await on.waitFor('ctrl+c again to leave');
  on.key('ctrl+c');
  await on.waitFor('left: quit');
  const { termios, code } = await on.exit();
  expect(code).toBe(0);
  expect(termios.after).toBe(termios.before);
  for (const [off, wanted] of [
    ['\x1b[?25l', '\x1b[?25h'],
    ['\x1b[?2004h', '\x1b[?2004l'],
  ] as const)
    expect(on.raw().lastIndexOf(wanted)).toBeGreaterThan(on.raw().lastIndexOf(off));
});

test('a flood of text is written once, without clearing', async () => {
  await using on = await open('flood');
  await on.waitFor('flood over');
  expect(on.text().split('integers in cents would be safer').length - 1).toBe(60);
  expect(on.raw()).not.toMatch(/\x1b\[[23]J/);
  expect(Buffer.byteLength(on.raw()) / 1024).toBeLessThan(180);
});
