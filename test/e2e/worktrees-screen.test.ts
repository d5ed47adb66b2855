import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { type Scene, scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';

const MAY = ['--allowedTools', 'Bash,Write,Edit,Read'];
const bash = (command: string) => use('Bash', { command });
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  await terminal.settle(30);
  terminal.key('enter');
};

/** `/clear`, until the new conversation has locked the worktree. */
const cleared = async (on: Scene, terminal: Terminal, name: string): Promise<void> => {
  const lock = join(on.repo.path, '.git', 'worktrees', name, 'locked');
  const before = readFileSync(lock, 'utf8');
  await submit(terminal, '/clear');
  await until('the new lock', () => existsSync(lock) && !['', before].includes(readFileSync(lock, 'utf8')));
  await terminal.settle();
};

test('in a terminal: enter a worktree, work, leave it dirty, be refused, say yes to losing it, and bring it back', async () => {
  await using on = await scene([
    use('EnterWorktreeTool', { name: 'tried' }),
    bash('echo precious > work.txt'),
    use('ExitWorktreeTool', {}),
    say('it holds work'),
    use('ExitWorktreeTool', { discard_changes: true }),
    say('it is gone'),
  ]);
  await using terminal = await on.screen(MAY);
  await submit(terminal, 'try a worktree');
  await terminal.waitFor('it holds work');
  expect(existsSync(join(worktreePath(on.repo, 'tried'), 'work.txt'))).toBe(true);
  await submit(terminal, 'throw it away');
  await terminal.waitFor('1. Yes');
  const asked = terminal.text().slice(terminal.text().lastIndexOf('asks for permission'));
  for (const words of ['Untracked:', 'work.txt', 'It is saved first']) expect(asked).toContain(words);
  terminal.key('1');
  await terminal.waitFor('it is gone');
  expect(existsSync(worktreePath(on.repo, 'tried'))).toBe(false);
  const [rescue] = JSON.parse((await on.run(['worktree', 'rescue', 'list', '--json'])).stdout);
  await on.run(['worktree', 'rescue', 'restore', rescue.id]);
  expect(readFileSync(join(worktreePath(on.repo, 'tried'), 'work.txt'), 'utf8')).toBe('precious\n');
});

test('in a terminal: Esc Esc goes back to before a command and a sub-agent, and the prompt is in the input again', async () => {
  await using on = await scene();
  on.server.lane(
    ({ raw }: Received) => raw.includes('child-task'),
    bash('echo c > child.txt'),
    say('child done'),
  );
  on.server.script(
    [bash('echo b >> README.md')],
    use('AgentTool', { prompt: 'child-task', description: 'change files' }),
    say('all is changed'),
    say('starting over'),
  );
  await using terminal = await on.screen(MAY);
  await submit(terminal, 'change things');
  await terminal.waitFor('all is changed');
  await terminal.settle(50);
  terminal.key('esc');
  await terminal.settle(60);
  terminal.key('esc');
  await terminal.waitFor('before which prompt');
  terminal.key('enter');
  await terminal.waitFor('Files and conversation');
  terminal.key('enter');
  await terminal.waitFor('Put back 2 files');
  expect([await on.repo.read('README.md'), existsSync(join(on.repo.path, 'child.txt'))]).toEqual([
    '# Sample\n',
    false,
  ]);
  await terminal.settle(50);
  terminal.key('enter');
  await terminal.waitFor('starting over');
  const sent = on.sent(-1);
  expect([sent.includes('change things'), sent.includes('all is changed')]).toEqual([true, false]);
});

test('two agents in worktrees are merged: the conflict is shown, nothing of it is merged, and the model is asked to resolve it', async () => {
  await using on = await scene([], { files: { 'list.txt': 'one\ntwo\nthree\n' } });
  const { server } = on;
  for (const [name, word] of [
    ['first', 'ONE'],
    ['second', 'EINS'],
  ] as const)
    server.lane(
      ({ raw }: Received) => raw.includes(`task-of-${name}`),
      bash(`sed -i s/one/${word}/ list.txt; git commit -qam ${word}`),
      say(`${name} done`),
    );
  server.script(
    [
      use('AgentTool', {
        prompt: 'task-of-first',
        description: 'first change',
        isolation: 'worktree',
        name: 'first',
      }),
      use('AgentTool', {
        prompt: 'task-of-second',
        description: 'second change',
        isolation: 'worktree',
        name: 'second',
      }),
    ],
    say('both are done'),
    say('resolving'),
  );
  await using terminal = await on.screen(MAY);
  await submit(terminal, 'work in two worktrees');
  await terminal.waitFor('both are done');
  const rows: readonly { readonly name: string }[] = JSON.parse(
    (await on.run(['worktree', 'list', '--json'])).stdout,
  );
  const [a = '', b = ''] = ['first', 'second'].map(
    (name) => rows.find((row) => row.name.startsWith(name))?.name,
  );
  await submit(terminal, `/worktrees merge ${a} ${b}`);
  await terminal.waitFor('Merge them all the same?');
  expect(terminal.text()).toContain('both changed list.txt around line 1');
  terminal.key('enter');
  await terminal.waitFor('Who looks at');
  expect(terminal.text()).toContain('Merge conflict in list.txt');
  expect([await on.repo.read('list.txt'), await on.repo.git('status', '--porcelain')]).toEqual([
    'ONE\ntwo\nthree\n',
    '',
  ]);
  terminal.key('enter');
  await terminal.waitFor('resolving');
  expect(on.sent(-1)).toContain(`Merge conflict in list.txt`);
});

test('in the list of worktrees: a difference is looked at and left again, two are marked and merged with a check that fails', async () => {
  await using on = await scene([], { files: { 'list.txt': 'one\n' } });
  const { repo } = on;
  for (const name of ['apple', 'birch']) {
    await worktreeBench(repo.env, { pid: 4_194_999 }).open(repo.path, { name, owner: 'somebody' });
    writeFileSync(join(worktreePath(repo, name), `${name}.txt`), `${name}\n`);
  }
  await using terminal = await on.screen();
  await submit(terminal, '/worktrees');
  await terminal.waitFor('1 untracked file');
  terminal.key('enter');
  await terminal.waitFor('Show what it changes');
  terminal.key('enter');
  await terminal.waitFor('What apple changes');
  expect(terminal.text()).toContain('+apple');
  terminal.key('esc');
  await terminal.waitFor('work in it is saved first');
  terminal.key('esc');
  await terminal.waitFor('mark to merge');
  terminal.key('space');
  await terminal.waitFor('Enter merges apple');
  terminal.key('down');
  terminal.key('space');
  await terminal.waitFor('Enter merges apple, then birch');
  terminal.key('enter');
  await terminal.waitFor('run after each merge');
  terminal.type('test ! -f birch.txt');
  terminal.key('enter');
  await terminal.waitFor('Who looks at birch?');
  expect(terminal.text()).toMatch(
    /Merged apple[\s\S]+failed with exit code 1 after it was merged; the merge was taken\s+back/,
  );
  terminal.key('down');
  terminal.key('enter');
  await terminal.waitFor('birch is as it was');
  expect(['apple', 'birch'].map((name) => existsSync(join(repo.path, `${name}.txt`)))).toEqual([true, false]);
  expect(readFileSync(join(worktreePath(repo, 'birch'), 'birch.txt'), 'utf8')).toBe('birch\n');
});

test('/clear goes on in the worktree of the conversation before: --worktree makes one, and it goes at the end', async () => {
  await using on = await scene([bash('pwd'), say('first said'), bash('pwd'), say('second said')]);
  const folder = join(on.repo.path, '.coppice', 'worktrees');
  await using terminal = await on.screen([...MAY, '--worktree']);
  await submit(terminal, 'where is this');
  await terminal.waitFor('first said');
  const [name = 'none'] = readdirSync(folder);
  await cleared(on, terminal, name);
  await submit(terminal, 'and where now');
  await terminal.waitFor('second said');
  expect(readdirSync(folder)).toEqual([name]);
  expect([on.sent(1), on.sent(3)].map((sent) => sent.includes(join(folder, name)))).toEqual([true, true]);
  await submit(terminal, '/exit');
  await terminal.exit();
  expect(readdirSync(folder)).toEqual([]);
});

test('after /clear the worktree that was entered by a tool can be left as before', async () => {
  await using on = await scene([
    use('EnterWorktreeTool', { name: 'tried' }),
    say('entered'),
    bash('pwd'),
    use('ExitWorktreeTool', {}),
    bash('echo "now in $PWD."'),
    say('left'),
  ]);
  await using terminal = await on.screen(MAY);
  await submit(terminal, 'try a worktree');
  await terminal.waitFor('entered');
  await cleared(on, terminal, 'tried');
  await submit(terminal, 'and leave it');
  await terminal.waitFor('left');
  expect(on.sent(3)).toContain(worktreePath(on.repo, 'tried'));
  expect(existsSync(worktreePath(on.repo, 'tried'))).toBe(false);
  expect(on.sent(5)).toContain(`now in ${on.repo.path}.`);
});

test('/resume out of a run with --worktree goes to where that conversation was and makes no worktree', async () => {
  await using on = await scene([
    say('said before'),
    say('said in the worktree'),
    bash('echo "now in $PWD."'),
    say('said again'),
  ]);
  await on.ask('an earlier talk');
  await using terminal = await on.screen([...MAY, '--worktree', 'own']);
  await submit(terminal, 'something');
  await terminal.waitFor('said in the worktree');
  await submit(terminal, '/resume');
  await terminal.waitFor('an earlier talk');
  terminal.key('enter');
  await terminal.waitFor(/❯ an earlier talk\n\n +said before/);
  await submit(terminal, 'go on');
  await terminal.waitFor('said again');
  expect(on.sent(3)).toContain(`now in ${on.repo.path}.`);
  expect(readdirSync(join(on.repo.path, '.coppice', 'worktrees'))).toEqual(['own']);
});
