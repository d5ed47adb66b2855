import { describe, expect, it } from 'vitest';
import { matchesIf } from '../../src/permission/hook-filter.ts';

const world = {
  cwd: '/srv/proj',
  home: '/home/u',
  project: '/srv/proj',
  readLink: (path: string) => (path === '/srv/proj/link.ts' ? 'src/a.ts' : undefined),
};
const bash = (filter: string, command: string) =>
  matchesIf(filter, { tool: 'Bash', input: { command } }, world);
const file = (filter: string, tool: string, path: string) =>
  matchesIf(filter, { tool, input: { file_path: path } }, world);

describe('the if of a hook', () => {
  it('takes a rule, Tool(pattern): a Bash call that starts with git, a Read call on a .ts file', () => {
    expect([bash('Bash(git *)', 'git push'), bash('Bash(git *)', 'npm test')]).toEqual([true, false]);
    expect([
      file('Read(*.ts)', 'Read', '/srv/proj/a.ts'),
      file('Read(*.ts)', 'Read', '/srv/proj/a.md'),
    ]).toEqual([true, false]);
  });

  it('takes a bare tool name: any call to that tool', () => {
    expect([bash('Bash', 'anything'), file('Read', 'Read', '/x'), file('Read', 'Write', '/x')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a hook runs if', () => {
  it.each([
    ['Bash', 'ls', true],
    ['Bash(git *)', 'git push', true],
    ['Bash(git:*)', 'git push', true],
    ['Bash(git *)', 'npm test', false],
    ['Bash(git *)', 'npm test && git push', true],
    ['Bash(git *)', 'FOO=1 git push', true],
    ['Bash(git push *)', 'git -C x push', true],
    ['Bash(git *)', 'echo $(git log)', true],
    ['Bash(git *)', 'echo `git log`', true],
    ['Bash(git *)', 'bash -c "git push"', true],
    ['Bash(git *)', 'timeout 5 git push', true],
    ['Bash(git push *)', 'git $X', true],
    ['Bash(rm *)', 'echo "rm -rf x"', false],
    ['Bash(rm *)', 'if true; then', true],
    ['Bash(rm *)', '$X', true],
    ['Edit', 'ls', false],
    ['not a rule (', 'ls', true],
  ])('%s on %s: %s', (filter, command, runs) => {
    expect(bash(filter, command)).toBe(runs);
  });

  it.each([
    ['Read(*.ts)', 'Read', '/srv/proj/a/b.ts', true],
    ['Read(*.ts)', 'Read', '/srv/proj/a/b.js', false],
    ['Edit(src/**)', 'Edit', '/srv/proj/src/a', true],
    ['Edit(src/**)', 'Write', '/srv/proj/src/a', false],
    ['Write(src/**)', 'Write', '/srv/proj/src/a', true],
    ['Edit(src/**)', 'MultiEdit', '/srv/proj/src/a', true],
    ['Read(src/**)', 'Read', '/srv/proj/link.ts', true],
  ])('%s on %s %s: %s', (filter, tool, path, runs) => {
    expect(file(filter, tool, path)).toBe(runs);
  });

  it.each([
    ['Task', 'AgentTool', true],
    ['AgentTool', 'Agent', true],
    ['mcp__srv', 'mcp__srv__t', true],
    ['mcp__srv__*', 'mcp__srv__t', true],
    ['mcp__srv', 'mcp__srv2__t', false],
    ['TaskCreate', 'TaskCreateTool', true],
    ['TaskCreate', 'TaskUpdateTool', false],
  ])('%s on %s: %s', (filter, tool, runs) => {
    expect(matchesIf(filter, { tool, input: {} }, world)).toBe(runs);
  });
});
