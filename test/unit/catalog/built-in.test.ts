import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
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

/** The keys of the standard; clients keep what is theirs under `metadata`, as texts. */
const standard = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);

test.each(all.filter((one) => one.kind === 'skill').map((one) => [one.slash, one.path] as const))(
  'the skill %s is in the form of agentskills.io',
  (_, path) => {
    const { fields, repairs, body } = readFrontmatter(readFileSync(path, 'utf8'));
    expect(Object.keys(fields).filter((key) => !standard.has(key))).toEqual([]);
    expect(repairs).toEqual([]);
    const { name, description, metadata } = z
      .object({
        name: z
          .string()
          .min(1)
          .max(64)
          .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
        description: z.string().min(20).max(1024),
        license: z.string().optional(),
        compatibility: z.string().min(1).max(500).optional(),
        metadata: z.record(z.string(), z.string()),
        'allowed-tools': z.string().optional(),
      })
      .parse(fields);
    expect(name).toBe(basename(dirname(path)));
    expect(description.trim()).toBe(description);
    expect(basename(path)).toBe('SKILL.md');
    expect(body.split('\n').length).toBeLessThan(500);
    const used = catalog.skills().find((one) => one.slash === name);
    expect(used?.argumentHint).toBe(metadata['coppice-argument-hint']);
    expect(used?.fork?.agent).toBe(metadata['coppice-agent']);
    expect(used?.forModel === 'hidden').toBe(metadata['coppice-disable-model-invocation'] === 'true');
    // What it says of files of its own is there.
    for (const [, file = ''] of body.matchAll(/`((?:scripts|references|assets)\/[\w./-]+)`/g))
      if (!file.includes('*')) expect(existsSync(join(dirname(path), file)), file).toBe(true);
  },
);

test('a skill keeps its own keys above those of its metadata, and metadata lets nothing run', async () => {
  const text = (more: string) =>
    `---\nname: x\ndescription: b\n${more}metadata:\n  coppice-context: fork\n  coppice-agent: explore\n  coppice-allowed-tools: Bash\n  coppice-hooks: all\n  coppice-model: large\n---\nP`;
  const skillOf = async (more: string) =>
    (await readCatalog(layOut({ 'project/.claude/skills/x/SKILL.md': text(more) }))).skills()[0];
  expect(await skillOf('')).toMatchObject({
    fork: { agent: 'explore', background: false },
    allowedTools: [],
  });
  expect(await skillOf('')).not.toHaveProperty('model');
  expect(await skillOf('')).not.toHaveProperty('hooks');
  expect((await skillOf('agent: plan\n'))?.fork?.agent).toBe('plan');
  expect((await skillOf('context: inline\n'))?.fork).toBeUndefined();
});

const agentKeys = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  description: z.string().min(40).max(600),
  tools: z.string().optional(),
  model: z.enum(['small', 'medium', 'large']).optional(),
  permissionMode: z.enum(['dontAsk', 'plan']).optional(),
  maxTurns: z.number().optional(),
});

test.each(all.filter((one) => one.kind === 'agent').map((one) => [one.name, one.path] as const))(
  'the agent %s has documented keys alone, and says when to use it and how it answers',
  (name, path) => {
    const { fields, repairs, body } = readFrontmatter(readFileSync(path, 'utf8'));
    expect(repairs).toEqual([]);
    expect(agentKeys.parse(fields).name).toBe(name);
    expect(basename(path)).toBe(`${name}.md`);
    expect(fields.description).toMatch(/\b[Uu]se it\b/);
    expect(body).toContain('# Your answer');
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
