import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fileTools } from '../../src/permission/file-tool-table.ts';
import { bash } from '../support/judging.ts';

const page = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## The read-only set'), page.indexOf('## Modes'));
const printed = [...section.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

it('prints the whole read-only set', () => {
  const set = Object.keys(fileTools).filter((name) => fileTools[name]?.readOnly);
  expect(set.filter((name) => !printed.includes(name))).toEqual([]);
});

it('prints nothing that asks', () => {
  const operands: Record<string, string> = {
    'command -v': 'command -v ls',
    printf: 'printf x',
    sed: 'sed -n 1p a',
    '[': '[ -f a ]',
    gitReadOnly: ':',
    status: ':',
    log: ':',
    show: ':',
    'rev-parse': ':',
    'ls-files': ':',
    blame: ':',
    branch: ':',
  };
  const asked = printed.filter(
    (name) => bash(operands[name] ?? name, {}, { gitReadOnly: true }).decision !== 'allow',
  );
  expect(asked).toEqual([]);
});
