import { expect, test } from 'vitest';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  terminal.key('enter');
};
const create = (subject: string) =>
  use('TaskCreateTool', { subject, description: `${subject}.`, activeForm: `${subject}ing` });
const row = (terminal: Terminal, text: string) =>
  terminal.screen().find((line) => line.includes(text) && !line.includes('❯')) ?? '';

test('the task panel shows who works on what how long and what waits, and a person cancels from it', async () => {
  const held = gate();
  await using on = await scene([
    ['Lex', 'Pars', 'Test'].map(create),
    [
      use('TaskUpdateTool', { taskId: '3', addBlockedBy: ['1', '2'] }),
      use('TaskUpdateTool', { taskId: '2', status: 'in_progress' }),
      use('TaskUpdateTool', { taskId: '1', status: 'in_progress' }),
    ],
    pauseAfter(use('Read', { file_path: 'README.md' }), 3, held),
    say('Stopped with it.'),
  ]);
  await using terminal = await on.screen();
  await submit(terminal, 'make a plan');
  // The lowest number of this conversation's own.
  await terminal.waitFor('Lexing…');
  terminal.key('ctrl+t');
  await terminal.waitFor('0 of 3 done');
  expect(row(terminal, '1 Lex')).toMatch(/▸ 1 Lex +main · \d+s/);
  expect(row(terminal, '2 Pars')).toMatch(/▸ 2 Pars +main · \d+s/);
  expect(row(terminal, '3 Test')).toMatch(/○ 3 Test +after 1, 2/);

  const session = JSON.parse((await on.run(['tasks', '--json'])).stdout).list;
  expect(await on.run(['tasks', 'cancel', '1', '--list', session])).toMatchObject({ code: 0 });
  await terminal.waitFor(() => row(terminal, '1 Lex').includes('✕'));
  await terminal.waitFor('Parsing…');
  expect(row(terminal, '3 Test')).toMatch(/after 2$/);

  terminal.key('down');
  await terminal.waitFor('enter choose');
  terminal.key('down');
  terminal.key('down');
  await terminal.waitFor(/❯ 3 Test/);
  terminal.key('ctrl+x');
  await terminal.waitFor(/3 Test +cancelled/);
  terminal.key('up');
  terminal.key('enter');
  await terminal.waitFor('q leave');
  expect(terminal.screen().join('\n')).toMatch(/Pars\./);
  terminal.key('q');
  await terminal.waitUntilGone('q leave');

  held.open();
  await terminal.waitFor('Stopped with it.');
  expect(on.server.requests.at(-1)?.raw).toMatch(
    /Task 1 \(Lex\), which you worked on, was cancelled by the user/,
  );
  expect(JSON.parse((await on.run(['tasks', '--json'])).stdout).tasks).toMatchObject([
    { status: 'cancelled' },
    { status: 'in_progress', owner: 'main' },
    { status: 'cancelled' },
  ]);
  expect(on.server.violations).toEqual([]);
}, 60_000);

test('the list is there again after a kill and a resume, and what was in progress is still the session’s', async () => {
  const held = gate();
  await using on = await scene([
    ['Lex', 'Pars'].map(create),
    use('TaskUpdateTool', { taskId: '1', status: 'in_progress' }),
    pauseAfter(say('Half of it.'), 2, held),
  ]);
  {
    await using terminal = await on.screen();
    await submit(terminal, 'make a plan');
    await terminal.waitFor('Lexing…');
    terminal.kill('SIGKILL');
    await terminal.exit();
  }
  held.open();
  const away = JSON.parse((await on.run(['tasks', '--json'])).stdout);
  expect(away.tasks).toMatchObject([{ status: 'pending', note: expect.stringContaining('main ended') }, {}]);
  await using terminal = await on.screen(['--continue']);
  terminal.key('ctrl+t');
  await terminal.waitFor('0 of 2 done');
  await terminal.waitFor(() => /▸ 1 Lex +main/.test(row(terminal, '1 Lex')));
}, 60_000);
