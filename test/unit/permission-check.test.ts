import { describe, expect, it } from 'vitest';
import { checkPermissions } from '../../src/permission/check-lines.ts';
import { world } from '../support/judging.ts';

const defaults = {
  world: world({ allow: ['Bash(here *)'] }, { gitReadOnly: true }),
  projectOf: () => '/srv/proj',
};
const check = (input: string) => {
  const { lines, exitCode } = checkPermissions(input, defaults);
  return {
    words: lines.map((line) => line.split(' ')[0]),
    json: lines.map((line) => JSON.parse(line.slice(line.indexOf(' ') + 1))),
    exitCode,
  };
};
const line = (value: unknown) => JSON.stringify(value);

describe('permissions check', () => {
  it('answers one line per call, the decision first', () => {
    const input = [
      line({ tool: 'Bash', input: { command: 'ls' }, rules: { allow: [] } }),
      line({ tool: 'Bash', input: { command: 'x' }, rules: { deny: ['Bash(x *)'] }, unknown: 1 }),
      line({ tool: 'Bash', input: { command: 'x' }, rules: {} }),
    ].join('\n');
    expect(check(`${input}\n`)).toMatchObject({
      words: ['allow', 'deny', 'ask'],
      exitCode: 0,
      json: [{}, { rule: 'Bash(x *)', source: 'flag', trace: [{ subject: 'x' }] }, { rule: null }],
    });
  });

  it('reads one object over several lines', () => {
    expect(check('{\n  "tool": "Bash",\n  "input": { "command": "ls" }\n}').words).toEqual(['allow']);
  });

  it('asks about a malformed line and says so by the exit code', () => {
    expect(check(`nonsense\n${line({ tool: 'Bash', input: { command: 'ls' } })}`)).toMatchObject({
      words: ['ask', 'allow'],
      exitCode: 1,
      json: [{ reason: expect.stringContaining('no call') }, {}],
    });
    expect(check(line({ tool: 'Bash' }))).toMatchObject({
      words: ['ask'],
      exitCode: 1,
      json: [{ reason: expect.stringContaining('input') }],
    });
  });

  it('uses the rules here only when none are given', () => {
    expect(check(line({ tool: 'Bash', input: { command: 'here x' } })).words).toEqual(['allow']);
    expect(check(line({ tool: 'Bash', input: { command: 'here x' }, rules: {} })).words).toEqual(['ask']);
    expect(check(line({ tool: 'Bash', input: { command: 'git status' } })).words).toEqual(['allow']);
    expect(check(line({ tool: 'Bash', input: { command: 'git status' }, rules: {} })).words).toEqual(['ask']);
  });

  it('takes mode, home, project and cwd from the line', () => {
    const given = { rules: {}, home: '/h', project: '/p', cwd: '/p/src', tool: 'Bash' };
    expect(check(line({ ...given, input: { command: 'cat ../a' } })).words).toEqual(['allow']);
    expect(check(line({ ...given, input: { command: 'cat ../../a' } })).words).toEqual(['ask']);
    expect(check(line({ ...given, input: { command: 'touch ../a' }, mode: 'acceptEdits' })).words).toEqual([
      'allow',
    ]);
  });
});
