import { describe, expect, it } from 'vitest';
import { canonicalName, shortName, spellingsOf } from '../../src/contract/tool-names.ts';
import { parseRule, rulesAbout } from '../../src/permission/rule.ts';
import { domainCovers } from '../../src/permission/spec-match.ts';
import { bash } from '../support/judging.ts';

const read = (text: string, behavior: 'allow' | 'ask' | 'deny' = 'deny') =>
  parseRule(text, behavior, { source: 'user' });

describe('tool names', () => {
  it.each([
    ['Agent', 'AgentTool', 'Agent'],
    ['Task', 'AgentTool', 'Agent'],
    ['AgentTool', 'AgentTool', 'Agent'],
    ['KillShell', 'TaskStopTool', 'TaskStop'],
    ['MultiEdit', 'Edit', 'Edit'],
    ['Bash', 'Bash', 'Bash'],
    ['mcp__a__b', 'mcp__a__b', 'mcp__a__b'],
  ])('%s is %s, shown as %s', (spelling, canonical, short) => {
    expect([canonicalName(spelling), shortName(spelling)]).toEqual([canonical, short]);
  });

  it('knows every spelling of a tool', () => {
    expect(spellingsOf('Task')).toEqual(['AgentTool', 'Agent', 'Task']);
  });
});

describe('parseRule', () => {
  it.each([
    ['Bash', 'Bash', undefined],
    ['Bash(*)', 'Bash', undefined],
    ['Bash(npm test *)', 'Bash', 'npm test *'],
    ['Bash(echo (a))', 'Bash', 'echo (a)'],
    ['Task(Explore)', 'AgentTool', 'Explore'],
    ['mcp__srv__*', 'mcp__srv__*', undefined],
    ['*', '*', undefined],
  ])('reads %s', (text, tool, spec) => {
    const { rule, problem } = read(text);
    expect([rule?.tool, rule?.spec, problem]).toEqual([tool, spec, undefined]);
  });

  it.each(['Bash(', 'Bash()', '', 'two words', '(x)'])('reports %j', (text) => {
    expect(read(text).problem?.problem).toBeTruthy();
    expect(read(text).rule).toBeUndefined();
  });

  it('keeps a deny rule for an unknown tool, and says so', () => {
    const { rule, problem } = read('Bsah(rm *)');
    expect(rule?.tool).toBe('Bsah');
    expect(problem?.problem).toContain('does not exist');
  });

  it.each(['*', 'mcp__*', 'B*'])('drops the allow rule %s, which names no tool', (text) => {
    expect(read(text, 'allow').rule).toBeUndefined();
  });
});

describe('Bash rules', () => {
  it.each([
    ['Bash(ls *)', 'ls', 'allow'],
    ['Bash(git:*)', 'git push', 'allow'],
    ['Bash(npm run test:*)', 'npm run test --x', 'allow'],
    ['Bash(npm run test:*)', 'npm run test:e2e', 'ask'],
    ['Bash(foo*)', 'foobar', 'allow'],
    ['Bash(foo bar)', 'foo bar baz', 'ask'],
    ["Bash(foo 'a b' *)", 'foo "a b" c', 'allow'],
    ['Bash(foo \\*)', 'foo "*"', 'allow'],
    ['Bash(foo \\*)', 'foo bar', 'ask'],
    ['Bash(find . -name x -delete)', 'find . -name x -delete', 'allow'],
    ['Bash(timeout 5 foo)', 'timeout 5 foo', 'allow'],
  ])('%s and %s: %s', (rule, command, decision) => {
    expect(bash(command, { allow: [rule] }).decision).toBe(decision);
  });

  it('takes a wildcard in the tool for deny', () => {
    expect(bash('ls', { deny: ['*'] }).decision).toBe('deny');
    expect(bash('ls', { deny: ['B*'] }).decision).toBe('deny');
  });
});

describe('WebFetch domains', () => {
  it.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://example.com:8443/a', true],
    ['example.com', 'https://a.example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://evilexample.com/', false],
    ['api-*.example.com', 'https://api-1.example.com/', true],
    ['api-*.example.com', 'https://api-1.evil.example.com/', false],
    ['example.com', 'ftp://example.com/', false],
    ['example.com', 'not an address', false],
  ])('%s and %s: %s', (pattern, url, covered) => {
    expect(domainCovers(pattern, url)).toBe(covered);
  });
});

it('rules looked at are those of the tool, and of files where it touches some', () => {
  const texts = ['Bash(git *)', 'Edit(src/**)', 'Read(~/x)', 'WebFetch(domain:a.b)', 'mcp__srv'];
  const rules = texts.flatMap((text) => read(text, 'allow').rule ?? []);
  const about = (tool: string) => rulesAbout(tool, rules).map(({ text }) => text);
  expect(['Bash', 'Write', 'Grep', 'WebFetch', 'mcp__srv__do', 'mcp__other__do'].map(about)).toEqual([
    ['Bash(git *)', 'Edit(src/**)', 'Read(~/x)'],
    ['Edit(src/**)'],
    ['Read(~/x)'],
    ['WebFetch(domain:a.b)'],
    ['mcp__srv'],
    [],
  ]);
});
