import { describe, expect, it } from 'vitest';
import type { Mode } from '../../src/contract/mode.ts';
import { judge } from '../../src/permission/judge.ts';
import { isReadOnlyCommand, isReadOnlyInPlace } from '../../src/permission/read-only.ts';
import { bash, linked, world } from '../support/judging.ts';

const tool = (name: string, input: Record<string, unknown> = {}, rules = {}, more = {}) =>
  judge({ tool: name, input }, world(rules, more));
const write = (path: string, rules = {}, more = {}) =>
  tool('Write', { file_path: path, content: '' }, rules, more).decision;

describe('the order of decisions', () => {
  const rules = { deny: ['Bash(a *)'], ask: ['Bash(b *)'], allow: ['Bash(a *)', 'Bash(b *)', 'Bash(c *)'] };
  it.each<[Mode, string, string]>([
    ['default', 'a', 'deny'],
    ['default', 'b', 'ask'],
    ['default', 'c', 'allow'],
    ['default', 'd', 'ask'],
    ['default', 'ls', 'allow'],
    ['plan', 'a', 'deny'],
    ['plan', 'c', 'deny'],
    ['plan', 'ls', 'allow'],
    ['plan', 'ls > x', 'deny'],
    ['plan', 'ls > /dev/null', 'allow'],
    ['acceptEdits', 'mkdir x', 'allow'],
    ['acceptEdits', 'mkdir /x', 'ask'],
    ['acceptEdits', 'sed -i s/a/b/ x', 'allow'],
    ['acceptEdits', "sed -i 's/a/b/w y' x", 'ask'],
    ['acceptEdits', 'cat a > b', 'allow'],
    ['acceptEdits', 'cat a > .git/b', 'ask'],
    ['acceptEdits', 'rm -rf .', 'ask'],
    ['acceptEdits', 'b', 'ask'],
    ['acceptEdits', 'd', 'ask'],
    ['dontAsk', 'b', 'deny'],
    ['dontAsk', 'c', 'allow'],
    ['dontAsk', 'd', 'deny'],
    ['dontAsk', 'ls', 'allow'],
    ['bypassPermissions', 'a', 'deny'],
    ['bypassPermissions', 'b', 'ask'],
    ['bypassPermissions', 'd', 'allow'],
    ['bypassPermissions', 'X=1; d $X', 'allow'],
    ['bypassPermissions', '$X', 'ask'],
    ['bypassPermissions', 'rm -rf /', 'ask'],
    ['bypassPermissions', 'rm -rf /usr', 'ask'],
    ['bypassPermissions', 'rm -rf ~', 'ask'],
    ['bypassPermissions', 'rm -rf "$X"/', 'ask'],
    ['bypassPermissions', 'rm -rf dist', 'allow'],
  ])('%s: %s gives %s', (mode, command, decision) => {
    expect(bash(command, rules, { mode }).decision).toBe(decision);
  });

  it('refuses in plan mode by telling the model to plan', () => {
    expect(bash('npm test', {}, { mode: 'plan' })).toMatchObject({
      by: 'mode',
      reason: expect.stringContaining('into the plan'),
    });
  });

  it('ranks an ask rule below plan mode and above a mode', () => {
    expect(write('/srv/proj/a', { ask: ['Edit(a)'] }, { mode: 'plan' })).toBe('deny');
    expect(write('/srv/proj/a', { ask: ['Edit(a)'] }, { mode: 'acceptEdits' })).toBe('ask');
  });
});

describe('plan mode and tools', () => {
  const plan = { mode: 'plan' as const, planFile: '/home/u/.coppice/plans/p.md' };
  it.each([
    ['Read', { file_path: '/srv/proj/a' }, 'allow'],
    ['Glob', { pattern: '*' }, 'allow'],
    ['Edit', { file_path: '/srv/proj/a' }, 'deny'],
    ['NotebookEdit', { notebook_path: '/srv/proj/a.ipynb' }, 'deny'],
    ['Write', { file_path: '/home/u/.coppice/plans/p.md' }, 'allow'],
    ['Write', { file_path: '/home/u/.coppice/plans/other.md' }, 'deny'],
    ['WebFetch', { url: 'https://a.example/' }, 'ask'],
    ['AgentTool', { prompt: 'p' }, 'allow'],
    ['AgentTool', { prompt: 'p', isolation: 'worktree' }, 'deny'],
    ['TaskCreateTool', {}, 'allow'],
    ['ExitPlanModeTool', {}, 'allow'],
    ['EnterWorktreeTool', {}, 'deny'],
    ['ExitWorktreeTool', {}, 'deny'],
    ['mcp__a__write', {}, 'deny'],
    ['SomethingNew', {}, 'deny'],
  ])('%s %j: %s', (name, input, decision) => {
    expect(tool(name, input, {}, plan).decision).toBe(decision);
  });

  it('is not lifted by an allow rule', () => {
    expect(write('/srv/proj/a', { allow: ['Edit'] }, { mode: 'plan' })).toBe('deny');
    expect(tool('mcp__a__b', {}, { allow: ['mcp__a'] }, plan).decision).toBe('deny');
  });

  it.each([
    'tee a',
    'cp a b',
    'git commit',
    'git status',
    'sort -o a b',
    'echo > a',
    'sed -i s/a/b/ c',
    'find . -delete',
    'python3 -c 1',
    'X=1',
    'xargs rm',
    'date -s x',
    'make',
    'curl https://a.example',
    'cat <(touch a)',
    'echo $(touch a)',
    'f() { touch a; }; f',
    'cat a | tee b',
    'ls; touch a',
    'awk 1 a',
    'trap "touch a" EXIT',
    'exec > a',
    'printf -v x y',
    'uniq a b',
    'mkdir a',
    ': > a',
    'bash -c "touch a"',
  ])('does not take %j for reading', (command) => {
    expect(isReadOnlyCommand(command, world())).toBe(false);
  });

  it.each([
    'ls -la',
    'cat a | grep b | wc -l',
    'find . -name a',
    'cd src && ls',
    'echo "$x"',
    'timeout 5 ls',
    "sed -n '1,5p' a",
    'bash -c "ls; cat a"',
    'ls /etc',
  ])('takes %j for reading', (command) => {
    expect(isReadOnlyCommand(command, world())).toBe(true);
  });

  it('lets only what reads in place run beside others', () => {
    const beside = (text: string): boolean => isReadOnlyInPlace(text, world());
    expect(['ls', 'cat a | grep b', 'cat cd/a', 'bash -c "ls"'].every(beside)).toBe(true);
    expect(
      ['cd src && ls', '(cd src; ls)', 'builtin cd src', 'bash -c "cd src; ls"', 'pushd a', 'touch a'].some(
        beside,
      ),
    ).toBe(false);
  });

  it.each([
    'cp -rT evil .',
    'cp -alT evil .',
    'cp -r --no-target-dir evil .',
    'mv -T evil dst',
    'cp -r evil/. .',
  ])('does not know under which names %s writes', (text) =>
    expect(bash(text, {}, { mode: 'acceptEdits' }).decision).toBe('ask'),
  );

  it.each(['cp -T a b', 'cp -r evil dst', 'mv evil dst'])('knows under which names %s writes', (text) =>
    expect(bash(text, {}, { mode: 'acceptEdits' }).decision).toBe('allow'),
  );

  it('takes git for reading only where it is switched on and stands inside', () => {
    const on = world({}, { gitReadOnly: true });
    expect(
      ['git status', 'git log -p', 'git diff HEAD', 'git branch --list', 'git show HEAD:a'].every((text) =>
        isReadOnlyCommand(text, on),
      ),
    ).toBe(true);
    expect(
      [
        'git branch x',
        'git diff --output=x',
        'git -c a=b log',
        'git -p log',
        'git stash',
        'cd /tmp && git status',
        'git log --ext-diff',
        'git diff --submodule=diff',
        'git log -p --subm=log',
        'git status --ignore-submodules=none',
      ].some((text) => isReadOnlyCommand(text, on)),
    ).toBe(false);
    expect(bash('git status', {}, { gitReadOnly: true }).decision).toBe('allow');
    expect(bash('git status').decision).toBe('ask');
  });

  it.each([
    'cp -rT evil .',
    'cp -alT evil .',
    'cp -r --no-target-dir evil .',
    'mv -T evil dst',
    'cp -r evil/. .',
  ])('does not know under which names %s writes', (text) =>
    expect(bash(text, {}, { mode: 'acceptEdits' }).decision).toBe('ask'),
  );

  it.each(['cp -T a b', 'cp -r evil dst', 'mv evil dst'])('knows under which names %s writes', (text) =>
    expect(bash(text, {}, { mode: 'acceptEdits' }).decision).toBe('allow'),
  );

  it('takes git for reading only where the whole text reads: nothing switches its programs off for a part', () => {
    const rules = { allow: ['Bash(npm --version)'] };
    const decide = (text: string, mode: 'default' | 'acceptEdits') =>
      bash(text, rules, { gitReadOnly: true, mode }).decision;
    expect(decide('git -C emb status && git log | head -3', 'acceptEdits')).toBe('allow');
    expect(decide('git -C emb status; touch newfile', 'acceptEdits')).toBe('ask');
    expect(decide('mkdir -p x && git -C emb status', 'acceptEdits')).toBe('ask');
    expect(decide('git diff > changes.patch', 'acceptEdits')).toBe('ask');
    expect(decide('git status && npm --version', 'default')).toBe('ask');
    expect(decide('npm --version', 'default')).toBe('allow');
  });
});

describe('other tools', () => {
  it.each([
    ['Write', { file_path: '/srv/proj/a' }, {}, 'ask'],
    ['AgentTool', { prompt: 'p' }, {}, 'allow'],
    ['AgentTool', { prompt: 'p', cwd: '/etc' }, {}, 'ask'],
    ['AgentTool', { prompt: 'p', cwd: 'src' }, {}, 'allow'],
    ['Task', { subagent_type: 'Explore' }, { deny: ['Agent(Explore)'] }, 'deny'],
    ['AgentTool', { model: 'large' }, { ask: ['Agent(model:lar*)'] }, 'ask'],
    ['AgentTool', { model: 'small' }, { ask: ['Agent(model:lar*)'] }, 'allow'],
    ['Bash', { command: 'ls', run_in_background: true }, { deny: ['Bash(run_in_background:true)'] }, 'deny'],
    ['Bash', { command: 'ls' }, { deny: ['Bash(run_in_background:true)'] }, 'allow'],
    ['SkillTool', { skill: '/git:pr', args: 'x' }, { deny: ['Skill(git:pr)'] }, 'deny'],
    ['SkillTool', { skill: 'commit', args: 'x' }, { ask: ['Skill(commit *)'] }, 'ask'],
    ['SkillTool', { skill: 'committed' }, { ask: ['Skill(commit *)'] }, 'allow'],
    ['WebSearch', { query: 'x' }, {}, 'ask'],
    ['WebFetch', { url: 'https://a.example' }, { allow: ['WebFetch'] }, 'allow'],
    ['ExitWorktreeTool', { discard_changes: true }, {}, 'ask'],
    ['ExitWorktreeTool', { discard_changes: true }, { allow: ['ExitWorktree'] }, 'allow'],
    ['ExitWorktreeTool', {}, {}, 'allow'],
    ['mcp__srv__t', {}, { allow: ['mcp__srv__*'] }, 'allow'],
    ['mcp__srv2__t', {}, { allow: ['mcp__srv'] }, 'ask'],
    ['mcp__srv__t', {}, { deny: ['mcp__*'], allow: ['mcp__srv'] }, 'deny'],
  ])('%s %j under %j: %s', (name, input, rules, decision) => {
    expect(tool(name, input, rules).decision).toBe(decision);
  });

  it('asks about files that an approved plan does not name, in acceptEdits too', () => {
    const planned = { mode: 'acceptEdits' as const, planScope: ['src/a.ts'] };
    expect([write('/srv/proj/src/a.ts', {}, planned), write('/srv/proj/src/b.ts', {}, planned)]).toEqual([
      'allow',
      'ask',
    ]);
  });

  it('lets the sandbox spare the last question, but not rules, problems or the way out of it', () => {
    const boxed = { sandboxedBash: true };
    expect(bash('npm test', {}, boxed).decision).toBe('allow');
    expect(bash('npm test', { ask: ['Bash(npm *)'] }, boxed).decision).toBe('ask');
    expect(bash('$X', {}, boxed).decision).toBe('ask');
    expect(tool('Bash', { command: 'npm test', dangerouslyDisableSandbox: true }, {}, boxed).decision).toBe(
      'ask',
    );
  });
});

describe('what "do not ask again" proposes', () => {
  it.each([
    ['npm run build', ['Bash(npm run build *)']],
    ['npm ci && npm run lint -- x', ['Bash(npm ci *)', 'Bash(npm run lint *)']],
    ['pytest -q tests', ['Bash(pytest -q tests)']],
    ['git commit -m x', ['Bash(git commit *)']],
    ['git', []],
    ['python3 x.py', []],
    ['sudo ls', []],
    ['bash x.sh', []],
    ['foo "*"', ['Bash(foo \\*)']],
    ['foo $x', []],
    ['echo a > out/b', ['Edit(./out/b)']],
    ['timeout 5 foo a', ['Bash(foo a)']],
    ['a; b; c; d; e; f', []],
    ['find . -delete', ['Bash(find . -delete)']],
  ])('%s: %j', (command, suggestions) => {
    expect(bash(command).suggestions).toEqual(suggestions);
  });

  it('proposes rules that answer the same question the next time', () => {
    for (const command of [
      'npm run build',
      'pytest -q tests',
      'foo "*"',
      'find . -delete',
      'echo a > out/b',
      'timeout 5 foo a',
      'cat /etc/hosts',
      "foo 'a b'",
    ]) {
      const { suggestions } = bash(command);
      expect([command, bash(command, { allow: suggestions }).decision]).toEqual([command, 'allow']);
    }
    const fetched = tool('WebFetch', { url: 'https://docs.example/a' });
    expect([
      fetched.suggestions,
      tool('WebFetch', { url: 'https://docs.example/b' }, { allow: fetched.suggestions }).decision,
    ]).toEqual([['WebFetch(domain:docs.example)'], 'allow']);
    const edited = tool('Edit', { file_path: '/srv/proj/a.ts' });
    expect([
      edited.suggestions,
      tool('Edit', { file_path: '/srv/proj/x/a.ts' }, { allow: edited.suggestions }).decision,
    ]).toEqual([['Edit(./a.ts)'], 'ask']);
  });

  it('explains every command of a script', () => {
    const { trace, unanalysable } = bash('git status && ./x; ls', { allow: ['Bash(git *)'] });
    expect(trace.map(({ subject, decision, rule }) => [subject, decision, rule])).toEqual([
      ['git status', 'allow', 'Bash(git *)'],
      ['./x', 'ask', undefined],
      ['ls', 'allow', undefined],
    ]);
    expect(unanalysable).toBeUndefined();
    expect(bash('f() { ls; }; f').unanalysable).toBe('the function f');
  });

  it('shows the real place of a link', () => {
    const answer = bash(
      'cat link/x',
      { allow: ['Bash(cat *)'] },
      { readLink: linked({ '/srv/proj/link': '/etc' }) },
    );
    expect(answer.reason).toContain('/srv/proj/link/x (really /etc/x)');
  });
});
