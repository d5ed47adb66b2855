import { describe, expect, it } from 'vitest';
import { judge } from '../../src/permission/judge.ts';
import { withHook } from '../../src/permission/verdicts.ts';
import { bash, world } from '../support/judging.ts';

const tool = (name: string, input: Record<string, unknown> = {}, rules = {}, more = {}) =>
  judge({ tool: name, input }, world(rules, more));

it('asks when the engine itself fails', () => {
  const broken = () => {
    throw new Error('the disk is gone');
  };
  expect(tool('Read', { file_path: '/srv/proj/a' }, {}, { readLink: broken })).toMatchObject({
    decision: 'ask',
    reason: expect.stringContaining('the disk is gone'),
  });
});

describe('withHook', () => {
  const open = bash('npm test');
  const ruled = bash('npm test', { ask: ['Bash(npm *)'] });
  const denied = bash('npm test', { deny: ['Bash(npm *)'] });
  const guarded = tool('Write', { file_path: '/srv/proj/.git/config' });
  it('lets a yes replace only the final ask', () => {
    const answers = [open, ruled, denied, guarded].map(
      (judgement) => withHook(judgement, { decision: 'allow' }).decision,
    );
    expect(answers).toEqual(['allow', 'ask', 'deny', 'ask']);
  });
  it('lets a no and a question through', () => {
    const allowed = bash('ls');
    expect(withHook(allowed, { decision: 'deny', reason: 'no' })).toMatchObject({
      decision: 'deny',
      by: 'hook',
      reason: 'no',
    });
    expect(withHook(allowed, { decision: 'ask' }).decision).toBe('ask');
    expect(withHook(denied, { decision: 'ask' }).decision).toBe('deny');
    expect(withHook(allowed, undefined)).toBe(allowed);
  });
});
