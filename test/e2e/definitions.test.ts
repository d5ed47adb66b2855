import { expect, test } from 'vitest';
import * as z from 'zod';
import { definitionsSchema } from '../../src/catalog/definition-schema.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice as run } from '../support/run-binary.ts';

const files = {
  '.claude/skills/release/SKILL.md':
    '---\nname: Release It\ndescription: Use when: it is time\nallowed-tools: Read Bash(git *)\n---\nDo it.',
  '.claude/commands/git/pr.md': '---\ndescription: Makes a request\nargument-hint: [title]\n---\nDo it.',
  '.coppice/agents/scout.md': '---\nname: scout\ndescription: Looks\ntools: [Read, codebase]\n---\nYou look.',
  '.claude/agents/scout.md': '---\nname: scout\ndescription: Looks too\n---\nYou look.',
  'web/.claude/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: Deploys\n---\nDo it.',
};

test('skills list --json prints skills and commands with what was repaired, the same every time', async () => {
  await using repo = await tempRepo({ files });
  const ran = await run(repo, ['skills', 'list', '--json']);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const all = definitionsSchema.parse(JSON.parse(ran.stdout));
  expect(all.filter((one) => one.source === 'project')).toMatchObject([
    {
      name: 'deploy',
      kind: 'skill',
      slash: 'deploy',
      path: `${repo.path}/web/.claude/skills/deploy/SKILL.md`,
    },
    { name: 'pr', kind: 'command', slash: 'git:pr', fields: { 'argument-hint': '[title]' } },
    {
      name: 'Release It',
      slash: 'release',
      description: 'Use when: it is time',
      problems: [],
      fields: { 'allowed-tools': ['Read', 'Bash(git *)'] },
      repairs: [expect.stringContaining('description is not plain YAML')],
    },
  ]);
  expect(all.filter((one) => one.source === 'builtin').map((one) => one.slash)).toContain('commit');
  expect((await run(repo, ['skills', 'list', '--json'])).stdout).toBe(ran.stdout);
});

test('agents list --json names what shadows what; --agents counts, and is refused when it is no JSON', async () => {
  await using repo = await tempRepo({ files });
  const flag = JSON.stringify({ helper: { description: 'Helps', prompt: 'You help.' } });
  const ran = await run(repo, ['--agents', flag, 'agents', 'list', '--json']);
  expect(ran.code).toBe(0);
  const all = definitionsSchema.parse(JSON.parse(ran.stdout));
  expect(all.filter((one) => one.source !== 'builtin')).toMatchObject([
    { name: 'helper', source: 'flag', kind: 'agent' },
    {
      name: 'scout',
      description: 'Looks',
      fields: { tools: ['Read', 'codebase'] },
      problems: ['The tool codebase is not known here and left out.'],
    },
    { name: 'scout', description: 'Looks too', shadowedBy: `${repo.path}/.coppice/agents/scout.md` },
  ]);
  const lines = await run(repo, ['agents', 'list']);
  expect(lines.stdout).toMatch(/scout +project {2}Looks\n +problem: The tool codebase/);
  const bad = await run(repo, ['--agents', '{', 'agents', 'list']);
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('--agents is not JSON')]);
  expect(z.toJSONSchema(definitionsSchema).type).toBe('array');
});

test('the setting compatibility leaves the foreign homes out', async () => {
  await using repo = await tempRepo({ files });
  await repo.write(`${repo.state}/settings.json`, JSON.stringify({ compatibility: false }));
  const ran = await run(repo, ['skills', 'list', '--json']);
  const all = definitionsSchema.parse(JSON.parse(ran.stdout));
  expect(all.filter((one) => one.source !== 'builtin')).toEqual([]);
});
