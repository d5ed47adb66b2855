import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookTable } from '../../src/hooks/table.ts';

test('the hook table of the README is the one the program works by', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const table = /<!-- hooks -->\n([\s\S]*?)<!-- \/hooks -->/.exec(readme)?.[1];
  expect(table?.trim()).toBe(hookTable().trim());
});
