import { expect, test } from 'vitest';
import { checkLines, ok, warn } from '../../src/app/doctor-check.ts';

const checks = [
  ok('git', '2.39.5'),
  warn(
    'settings',
    `/home/somebody/${'deep/'.repeat(20)}settings.json: model is 3, expected a string.`,
    'Correct it.',
  ),
];

test('what is too long for the terminal goes on below itself', () => {
  for (const columns of [40, 60, 80]) {
    const rows = checkLines(checks, columns).split('\n');
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
    expect(rows.filter((row) => !/^[✓!✗] /.test(row)).every((row) => row.startsWith(' '.repeat(12)))).toBe(
      true,
    );
    expect(rows.join('').replace(/\s+/g, '')).toContain('deep/'.repeat(20));
  }
});

test('without a terminal each finding is one line', () => {
  expect(checkLines(checks, Number.POSITIVE_INFINITY).split('\n')).toHaveLength(3);
});
