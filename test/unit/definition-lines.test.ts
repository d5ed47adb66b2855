import { expect, test } from 'vitest';
import { createProgram } from '../../src/app/flags.ts';
import { definitionLines } from '../../src/catalog/list-definitions.ts';
import type { Definition } from '../../src/contract/catalog.ts';
import { columnsOf, hanging } from '../../src/lib/hanging.ts';

const words = 'Reviews a change and reports the faults that matter, each checked in the code. '
  .repeat(4)
  .trim();

const skill = (slash: string, more: Partial<Definition> = {}): Definition => ({
  name: slash,
  kind: 'skill',
  description: words,
  path: `/s/${slash}/SKILL.md`,
  source: 'user',
  fields: {},
  repairs: [],
  problems: [],
  slash,
  ...more,
});

const all = [
  skill('review', { repairs: ['It was mended.'], problems: ['It is odd.'], shadowedBy: '/other/SKILL.md' }),
  skill('a-name-longer-than-the-column-of-names'),
  skill('deploy', { kind: 'command', description: 'Two\nlines \u001b[31mred.' }),
];

test('in a terminal names, sources and whole descriptions stand in columns within its width', () => {
  for (const columns of [70, 80, 120]) {
    const text = definitionLines(all, columns);
    const rows = text.split('\n');
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
    const said = (rows[0] ?? '').indexOf('Reviews');
    expect(rows.filter((row) => !row.startsWith('/')).map((row) => row.search(/\S/))).toEqual(
      rows.filter((row) => !row.startsWith('/')).map(() => said),
    );
    expect(text.replace(/\s+/g, ' ').split(words)).toHaveLength(3);
    expect(text).toMatch(/not used: [\s\S]*repaired: It was mended\.[\s\S]*problem: It is odd\./);
  }
});

test('without a terminal each definition is one line, with notes below', () => {
  const rows = definitionLines(all, Number.POSITIVE_INFINITY).split('\n');
  expect(rows.map((row) => row.trim().replace(/ {2,}/g, ' | '))).toEqual([
    `/review | user | ${words}`,
    'not used: /other/SKILL.md has the name',
    'repaired: It was mended.',
    'problem: It is odd.',
    `/a-name-longer-than-the-column-of-names | user | ${words}`,
    '/deploy | user, command | Two lines red.',
  ]);
});

test('a stream that is no terminal, or knows no width, breaks nothing', () => {
  expect([columnsOf({}), columnsOf({ columns: 0 }), columnsOf({ columns: 5 })]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    20,
  ]);
  expect(hanging('one two three', 7, '  ')).toBe('one two\n  three');
  expect(hanging('/a/long/path', 5, '')).toBe('/a/lo\nng/pa\nth');
});

test('the help of the program stays within 80 columns', () => {
  const program = createProgram('1').configureOutput({ getOutHelpWidth: () => 80 });
  const rows = program.helpInformation().split('\n');
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
});
