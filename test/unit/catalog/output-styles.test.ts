import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { outputStyles } from '../../../src/catalog/output-styles.ts';

const home = (files: Readonly<Record<string, string>>): string => {
  const dir = mkdtempSync(join(tmpdir(), 'styles-'));
  mkdirSync(join(dir, 'output-styles'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'output-styles', name), text);
  return dir;
};

test('the built-in styles are there and keep our instructions', async () => {
  const styles = await outputStyles([{ home: resolve('.') }]);
  expect(styles.map(({ name, keepCoding }) => [name, keepCoding])).toEqual([
    ['Concise', true],
    ['Explanatory', true],
    ['Learning', true],
  ]);
});

test('the strongest file of a name counts; what is empty or missing does not', async () => {
  const strong = home({
    'mine.md': '---\nname: CONCISE\ndescription: mine\n---\nShort.',
    'empty.md': '---\nname: Empty\n---\n',
  });
  const weak = home({ 'concise.md': 'Weak.', 'plain.md': 'Plain words.', 'notes.txt': 'no' });
  expect(await outputStyles([strong, '/nowhere', weak].map((home) => ({ home })))).toEqual([
    {
      name: 'CONCISE',
      description: 'mine',
      path: join(strong, 'output-styles', 'mine.md'),
      text: 'Short.',
      keepCoding: false,
    },
    {
      name: 'plain',
      description: '',
      path: join(weak, 'output-styles', 'plain.md'),
      text: 'Plain words.',
      keepCoding: false,
    },
  ]);
});
