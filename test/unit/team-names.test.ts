import { describe, expect, it } from 'vitest';
import { inboxOf, isReservedName, memberName, nameProblem, sameName } from '../../src/contract/team.ts';

describe('names in a team', () => {
  it.each([
    ['Ann', 'ann'],
    ['Zo\u00eb', 'Zoe\u0308'],
    ['ann lee', 'ann-lee'],
    ['\uff21nn', 'ann'],
    ['\ufb01nn', 'finn'],
  ])('%s and %s are one', (a, b) => expect(sameName(a, b)).toBe(true));

  it.each([
    ['ann', 'anna'],
    ['ann-lee', 'annlee'],
    ['ann', '\u0430nn'],
  ])('%s and %s are two, with an inbox each', (a, b) => {
    expect(sameName(a, b)).toBe(false);
    expect(inboxOf('crew', a)).not.toBe(inboxOf('crew', b));
  });

  it.each(['team-lead', 'Lead', 'MAIN', 'Team Lead', '\uff4d\uff41\uff49\uff4e', '*', 'User'])(
    '%s is nobody’s to take',
    (name) => expect(isReservedName(name)).toBe(true),
  );

  it.each(['Lead', 'main', 'team lead'])('mail to %s is for the lead', (name) =>
    expect(memberName(name)).toBe('team-lead'),
  );

  it.each([
    ...[
      '',
      ' ',
      '..',
      '../x',
      'a/b',
      '/etc',
      '.hidden',
      '-x',
      '--help',
      'a\0b',
      'a\nb',
      'a;b',
      '$(id)',
      'a..b',
    ],
    ...['x'.repeat(65), 'x'.repeat(300), '\u{1f130}'.repeat(20), '\u{20000}'.repeat(60), ' ann', 'ann '],
  ])('%j is refused with what is wrong', (name) => {
    expect(nameProblem('agent', name)).toMatch(/name|characters/);
    expect(nameProblem('team', name)).toMatch(/name|characters/);
  });

  it.each(['ann', 'Zo\u00eb', 'ann lee', 'a.b_c-d', '7', 'x'.repeat(64)])('%j is taken', (name) =>
    expect(nameProblem('agent', name)).toBeUndefined(),
  );
});
