import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readFrontmatter } from '../../../src/lib/frontmatter.ts';
import { layOut, readCatalog } from './lay-out.ts';

const root = join(import.meta.dirname, '../../..');
const catalog = await readCatalog(layOut({}), { builtin: root });
const all = catalog.definitions();

test('what comes with the program is there and well-formed', () => {
  expect(all.filter((one) => one.kind === 'agent').map((one) => one.name)).toEqual([
    'code-reviewer',
    'explore',
    'general-purpose',
    'plan',
    'verify',
  ]);
  expect(all.filter((one) => one.kind === 'skill').map((one) => one.slash)).toEqual([
    'commit',
    'create-skill',
    'explain-failing-test',
    'review',
    'security-review',
    'simplify',
    'write-plan',
  ]);
  expect(all.flatMap((one) => [...one.repairs, ...one.problems])).toEqual([]);
});

test.each(all.filter((one) => one.kind === 'skill').map((one) => [one.slash, one] as const))(
  'the skill %s is in the form of agentskills.io',
  (_, { name, description, path, fields }) => {
    expect(name).toBe(basename(dirname(path)));
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(name.length).toBeLessThanOrEqual(64);
    expect(description.length).toBeGreaterThan(20);
    expect(description.length).toBeLessThanOrEqual(1024);
    const { fields: raw, body } = readFrontmatter(readFileSync(path, 'utf8'));
    if (raw['allowed-tools'] !== undefined) expect(typeof raw['allowed-tools']).toBe('string');
    expect(Object.keys(fields)).toContain('description');
    expect(body.split('\n').length).toBeLessThan(300);
  },
);

test('agents that look have no tool that writes', () => {
  const writing = ['Write', 'Edit', 'NotebookEdit', 'AgentTool'];
  const looking = catalog.agents().filter((one) => one.name !== 'general-purpose');
  expect(looking.map((one) => one.permissionMode)).toEqual(['dontAsk', 'dontAsk', 'dontAsk', 'dontAsk']);
  expect(looking.flatMap((one) => one.tools?.filter((tool) => writing.includes(tool)) ?? ['all'])).toEqual(
    [],
  );
  expect(catalog.agents().find((one) => one.name === 'general-purpose')?.tools).toBeUndefined();
});
