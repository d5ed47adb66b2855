import { expect, test } from 'vitest';
import { tempRepo } from '../support/repo.ts';
import { COPPICE } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

const lines = {
  columns: 80,
  rows: 40,
  command: ['/usr/bin/env', 'TERM=dumb', process.execPath, COPPICE],
} as const;

test('on a dumb terminal the conversation goes on in plain lines', async () => {
  await using repo = await tempRepo({ files: { 'README.md': '# Shop\n' } });
  await using on = await openTerminal(repo, ['--practice', '--trust'], lines);
  await on.waitFor(/^>/m);
  on.type('look around\r');
  await on.waitFor('Turn finished.');
  expect(on.text()).toContain('Running: Read README.md');
  on.type('ask me a question\r');
  await on.waitFor('Answer by number');
  on.type('2\r');
  await on.waitFor('You answered');
  on.type('/exit\r');
  const { code } = await on.exit();
  expect(code).toBe(0);
  expect(on.raw()).not.toContain('\x1b');
});

test('a permission is given and refused by number, with words', async () => {
  await using repo = await tempRepo();
  await using on = await openTerminal(repo, ['--practice', '--trust'], lines);
  await on.waitFor(/^>/m);
  on.type('create note.txt with hello\r');
  await on.waitFor('Answer by number');
  on.type('4 not now\r');
  await on.waitFor('Not allowed');
  await on.waitFor('Turn finished.');
  on.type('create note.txt with hello\r');
  await on.waitFor(() => on.text().split('Answer by number').length === 3);
  on.type('1\r');
  await on.waitFor(() => on.text().split('Turn finished.').length === 3);
  expect(on.text()).toContain('● Write note.txt');
});
