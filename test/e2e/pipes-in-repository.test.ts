/** A repository with pipes where files are expected: nothing waits for them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const PIPES = [
  'AGENTS.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  '.mcp.json',
  '.coppice/settings.json',
  '.coppice/settings.local.json',
  '.coppice/skills/wait/SKILL.md',
  '.coppice/agents/wait.md',
  '.coppice/output-styles/wait.md',
  '.claude/settings.json',
  '.claude/rules/wait.md',
  '.claude/commands/wait.md',
  '.git/index',
  '.git/sharedindex.1',
];

const withPipes = async (lines: Parameters<typeof scene>[0]) => {
  const on = await scene(lines);
  for (const pipe of PIPES.map((path) => join(on.repo.path, path))) {
    mkdirSync(dirname(pipe), { recursive: true });
    if (pipe.includes('/.git/')) rmSync(pipe, { force: true });
    if (!existsSync(pipe)) execFileSync('mkfifo', [pipe]);
  }
  return on;
};

test.each([[[]], [['--trust']]])('a prompt is answered, with %j', async (more) => {
  await using on = await withPipes([
    [use('Read', { file_path: 'AGENTS.md' }), use('Write', { file_path: 'CLAUDE.md', content: 'x' })],
    use('Bash', { command: 'echo ran > made.txt' }),
    [use('Bash', { command: 'git status' }), use('EnterWorktreeTool', { name: 'w' })],
    say('answered'),
  ]);
  const ran = await on.ask(
    'look @AGENTS.md',
    '--allowedTools',
    'Write,Bash(echo *),EnterWorktreeTool',
    ...more,
  );
  expect([ran.code, ran.stdout]).toEqual([0, 'answered\n']);
  expect(ran.stderr).toContain('.coppice/settings.json: found a pipe or a device, expected a readable file.');
  expect(on.sent(1)).toContain('not a file');
  expect(readFileSync(join(on.repo.path, 'made.txt'), 'utf8')).toBe('ran\n');
  expect(on.sent(-1)).toContain('.git/index is a pipe or a device where git expects a file');
});

test.each(['doctor', 'skills list', 'agents list', 'config list', 'hooks list', 'mcp list', 'trust'])(
  'coppice %s ends',
  async (command) => {
    await using on = await withPipes([]);
    const ran = await on.run(command.split(' '));
    expect(ran.signal).toBeNull();
  },
);
