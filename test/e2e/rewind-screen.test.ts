import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const bash = (command: string) => use('Bash', { command });
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  await terminal.settle(30);
  terminal.key('enter');
};

const recorded = (state: string): number =>
  readdirSync(state, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('journal.jsonl'))
    .flatMap((path) => readFileSync(join(state, path), 'utf8').split('\n'))
    .filter((line) => line.includes('"type":"end"')).length;

test.each([80, 120])(
  'going back is looked at first, leaves what a person wrote, and is taken back, at %i columns',
  async (columns) => {
    await using on = await scene(
      [
        bash('echo mine > made.txt; echo more >> README.md; echo x > x.log'),
        say('first done'),
        bash('echo second > second.txt'),
        say('second done'),
      ],
      { files: { '.gitignore': '*.log\n' } },
    );
    const { repo } = on;
    await using terminal = await on.screen(['--allowedTools', 'Bash,Write,Edit'], { columns });
    await submit(terminal, 'do the first');
    await terminal.waitFor('first done');
    // Nobody waits for what a command left to be recorded: the next call does, and this person here.
    await until('the end of the command', () => recorded(repo.state) === 1);
    appendFileSync(join(repo.path, 'made.txt'), 'by the person\n');
    await submit(terminal, 'do the second');
    await terminal.waitFor('second done');
    await submit(terminal, '/rewind 1');
    await terminal.waitFor('Show what would change');
    for (let row = 0; row < 4; row++) terminal.key('down');
    terminal.key('enter');
    await terminal.waitFor('-by the person');
    terminal.key('q');
    await terminal.waitFor('Never mind');
    terminal.key('esc');
    await terminal.waitFor('What shall we do?');
    await submit(terminal, '/rewind 1 code');
    await terminal.waitFor('1 file changed outside of this conversation too: made.txt');
    terminal.key('enter');
    await terminal.waitFor('Put back 2 files');
    await terminal.waitFor('Left alone: made.txt');
    expect(terminal.text()).toContain('Files that git ignores are not recorded');
    expect([
      await repo.read('README.md'),
      await repo.read('made.txt'),
      existsSync(join(repo.path, 'second.txt')),
      existsSync(join(repo.path, 'x.log')),
    ]).toEqual(['# Sample\n', 'mine\nby the person\n', false, true]);
    await submit(terminal, '/rewind undo');
    await terminal.waitFor(/Put back 2 files[\s\S]+Put back 2 files/);
    expect([await repo.read('README.md'), await repo.read('second.txt')]).toEqual([
      '# Sample\nmore\n',
      'second\n',
    ]);
    await submit(terminal, '/diff');
    await terminal.waitFor('Turn 2: do the second');
    terminal.key('enter');
    await terminal.waitFor('/ search');
    terminal.key('q');
    await terminal.waitFor('3 calls');
    terminal.key('esc');
    await terminal.waitFor('What shall we do?');
  },
  60_000,
);

test('what was gone back from is not shown again: not after a resume, not in the preview; the whole transcript has it', async () => {
  await using on = await scene([say('one done'), say('two done'), say('three done')]);
  const before = await on.screen();
  for (const [prompt, answer] of [
    ['first wish', 'one done'],
    ['second wish', 'two done'],
    ['third wish', 'three done'],
  ] as const) {
    await submit(before, prompt);
    await before.waitFor(answer);
  }
  // Two presses that come in one read.
  before.type('\x1b\x1b');
  await before.waitFor('Go back to before which prompt?');
  before.key('esc');
  await before.waitUntilGone('Go back to before which prompt?');
  await submit(before, '/rewind 2 conversation');
  await before.waitFor('The conversation is back to before: second wish');
  before.key('ctrl+u');
  await submit(before, '/exit');
  await before.exit();
  await before[Symbol.asyncDispose]();

  await using picking = await on.screen(['--resume']);
  await picking.waitFor('one done');
  expect(picking.text()).not.toContain('two done');
  picking.key('space');
  await picking.waitFor('q leave');
  expect(picking.text()).not.toContain('second wish');
  picking.key('q');
  await picking.waitUntilGone('q leave');
  picking.key('enter');
  await picking.waitFor('── back to before: second wish');
  expect(picking.text()).toContain('one done');
  for (const gone of ['two done', 'third wish', 'three done']) expect(picking.text()).not.toContain(gone);
  picking.key('ctrl+o');
  await picking.waitFor('three done');
});

test('the preview leaves out what was gone back from, however long that was', async () => {
  await using on = await scene([say('one done'), say('long '.repeat(80_000)), say('three done')]);
  await on.ask('first wish');
  for (const prompt of ['second wish', 'third wish', '/rewind 2 conversation'])
    expect((await on.ask(prompt, '--continue')).code).toBe(0);
  await using picking = await on.screen(['--resume']);
  await picking.waitFor('one done');
  for (const gone of ['long long', 'three done']) expect(picking.text()).not.toContain(gone);
});
