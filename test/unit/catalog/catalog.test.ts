import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { flagAgents } from '../../../src/catalog/flag-agents.ts';
import { createReadAlready } from '../../../src/catalog/read-already.ts';
import { partReader } from '../../../src/trust/definition-part.ts';
import { executableParts } from '../../../src/trust/parts.ts';
import { layOut, readCatalog } from './lay-out.ts';

const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nBody of ${name}`;
const agent = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Is ${name}.\n${more}---\nYou are ${name}.`;

const rows = (root: string, all: readonly { slash: string; path: string; shadowedBy?: string }[]) =>
  all.map((one) => [one.slash, relative(root, one.path), one.shadowedBy && relative(root, one.shadowedBy)]);

test('scope goes first, ours over foreign within a scope, skills over commands within a home', async () => {
  const root = layOut({
    'project/.coppice/skills/x/SKILL.md': skill('x'),
    'project/.claude/skills/x/SKILL.md': skill('x'),
    'project/.coppice/commands/x.md': skill('x'),
    'home/.coppice/skills/x/SKILL.md': skill('x'),
    'home/.claude/skills/x/SKILL.md': skill('x'),
    'home/.agents/skills/y/SKILL.md': skill('y'),
    'builtin/skills/x/SKILL.md': skill('x'),
    'builtin/skills/y/SKILL.md': skill('y'),
  });
  const catalog = await readCatalog(root, { builtin: join(root, 'builtin') });
  const winner = 'project/.coppice/skills/x/SKILL.md';
  expect(rows(root, catalog.definitions())).toEqual([
    ['x', winner, undefined],
    ['x', 'project/.coppice/commands/x.md', winner],
    ['x', 'project/.claude/skills/x/SKILL.md', winner],
    ['x', 'home/.coppice/skills/x/SKILL.md', winner],
    ['x', 'home/.claude/skills/x/SKILL.md', winner],
    ['y', 'home/.agents/skills/y/SKILL.md', undefined],
    ['x', 'builtin/skills/x/SKILL.md', winner],
    ['y', 'builtin/skills/y/SKILL.md', 'home/.agents/skills/y/SKILL.md'],
  ]);
  expect(catalog.skills().map((one) => [one.slash, one.source])).toEqual([
    ['x', 'project'],
    ['y', 'user'],
  ]);
});

test('directories from the start up to the root count, the nearest first; without compatibility the foreign ones do not', async () => {
  const files = {
    'project/.claude/agents/a.md': agent('a'),
    'project/web/.claude/agents/deep/a.md': agent('a'),
    'project/web/.coppice/agents/b.md': agent('b'),
    'home/.claude/agents/c.md': agent('c'),
  };
  const root = layOut(files);
  const at = { cwd: join(root, 'project/web') };
  const catalog = await readCatalog(root, at);
  expect(catalog.agents().map((one) => [one.name, relative(root, one.path ?? ''), one.prompt])).toEqual([
    ['a', 'project/web/.claude/agents/deep/a.md', 'You are a.'],
    ['b', 'project/web/.coppice/agents/b.md', 'You are b.'],
    ['c', 'home/.claude/agents/c.md', 'You are c.'],
  ]);
  const own = await readCatalog(root, { ...at, compatibility: false });
  expect(own.agents().map((one) => one.name)).toEqual(['b']);
});

test('equal names in one home are told apart by their folder, agents by nothing', async () => {
  const root = layOut({
    'project/.claude/skills/a/deploy/SKILL.md': skill('deploy'),
    'project/.claude/skills/b/deploy/SKILL.md': skill('deploy'),
    'project/.claude/agents/one.md': agent('same'),
    'project/.claude/agents/two.md': agent('Same'),
  });
  const catalog = await readCatalog(root);
  expect(rows(root, catalog.definitions())).toEqual([
    ['deploy', 'project/.claude/skills/a/deploy/SKILL.md', undefined],
    ['b:deploy', 'project/.claude/skills/b/deploy/SKILL.md', 'project/.claude/skills/a/deploy/SKILL.md'],
    ['same', 'project/.claude/agents/one.md', undefined],
    ['same', 'project/.claude/agents/two.md', 'project/.claude/agents/one.md'],
  ]);
  expect(catalog.skills().map((one) => one.slash)).toEqual(['b:deploy', 'deploy']);
  expect(catalog.agents().map((one) => one.name)).toEqual(['same']);
});

test('links are followed, a file reached twice counts once, circles end', async () => {
  const root = layOut({
    'elsewhere/deep/SKILL.md': skill('deep'),
    'project/.coppice/skills/here/SKILL.md': skill('here'),
  });
  const skills = join(root, 'project/.coppice/skills');
  symlinkSync(join(root, 'elsewhere/deep'), join(skills, 'linked'));
  symlinkSync(skills, join(skills, 'circle'));
  symlinkSync(join(root, 'nowhere'), join(skills, 'broken'));
  mkdirSync(join(root, 'project/.claude'));
  symlinkSync(skills, join(root, 'project/.claude/skills'));
  const catalog = await readCatalog(root);
  expect(catalog.definitions().map((one) => [one.slash, relative(root, one.path)])).toEqual([
    ['here', 'project/.coppice/skills/here/SKILL.md'],
    ['linked', 'project/.coppice/skills/linked/SKILL.md'],
  ]);
});

test('notes beside definitions are none, material of a skill is none', async () => {
  const root = layOut({
    'project/.claude/agents/README.md': '# Our agents',
    'project/.claude/commands/README.md': 'Text',
    'project/.claude/skills/README.md': '# Skills',
    'project/.claude/skills/a/SKILL.md': skill('a'),
    'project/.claude/skills/a/references/SKILL.md': skill('no'),
    'project/.claude/skills/a/sub/SKILL.md': skill('sub'),
    'project/.claude/skills/node_modules/x/SKILL.md': skill('no'),
  });
  expect((await readCatalog(root)).definitions().map((one) => one.slash)).toEqual(['a', 'sub']);
});

test('parts of a plugin carry its name and bring no hooks, servers or modes for agents', async () => {
  const root = layOut({
    'plugin/skills/deploy/SKILL.md': skill('Deploy It'),
    'plugin/agents/team/lead.md': agent('lead', 'permissionMode: plan\nhooks:\n  Stop: []\nmcpServers: x\n'),
    'plugin/commands/git/pr.md': skill('pr'),
    'project/.claude/skills/deploy/SKILL.md': skill('deploy'),
  });
  const plugin = join(root, 'plugin');
  const parts = {
    skills: [join(plugin, 'skills')],
    agents: [join(plugin, 'agents')],
    commands: [join(plugin, 'commands')],
  };
  const catalog = await readCatalog(root, { plugins: [{ name: 'tools', root: plugin, ...parts }] });
  expect(catalog.skills().map((one) => [one.slash, one.aliases])).toEqual([
    ['deploy', []],
    ['tools:deploy', ['tools:deploy-it']],
    ['tools:git:pr', ['tools:pr']],
  ]);
  expect(catalog.agents()).toMatchObject([
    { name: 'tools:team:lead', description: 'Is lead.', source: 'plugin' },
  ]);
  expect(Object.keys(catalog.agents()[0] ?? {})).not.toContain('permissionMode');
});

test('agents become what a session needs', async () => {
  const more = `tools: read, TodoWrite, Task, Bash(git *), mcp__github__*, codebase
disallowedTools: MultiEdit
model: Claude Sonnet 4.5
permissionMode: acceptEdits
maxTurns: 12
skills: [commit]
mcpServers: [github]
memory: project
background: yes
isolation: worktree
color: "#10B981"
effort: max
hooks:
  Stop: []
`;
  const root = layOut({ 'project/.claude/agents/a.md': agent('a', more) });
  const [one] = (await readCatalog(root)).agents();
  expect(one).toEqual({
    name: 'a',
    description: 'Is a.',
    prompt: 'You are a.',
    tools: [
      'Read',
      'TaskCreateTool',
      'TaskUpdateTool',
      'TaskGetTool',
      'TaskListTool',
      'AgentTool',
      'Bash(git *)',
      'mcp__github__*',
    ],
    disallowedTools: ['Edit'],
    model: 'claude-sonnet-4-5',
    maxTurns: 12,
    skills: ['commit'],
    memory: 'project',
    background: true,
    isolation: 'worktree',
    color: '#10B981',
    effort: 'max',
    permissionMode: 'acceptEdits',
    mcpServers: ['github'],
    foreign: true,
    source: 'project',
    path: join(root, 'project/.claude/agents/a.md'),
  });
});

test.each<[string, readonly string[] | undefined]>([
  ['tools: codebase', []],
  ['tools: []', []],
  ['tools: ""', []],
  ['tools:', undefined],
  ['tools: "*"', undefined],
  ['', undefined],
])('%s gives an agent %j', async (line, tools) => {
  const root = layOut({ 'project/.claude/agents/a.md': agent('a', `${line}\n`) });
  const [one] = (await readCatalog(root)).agents();
  expect(one?.tools).toEqual(tools);
});

test('in a folder that is not trusted nothing is granted and no hooks are live', async () => {
  const more = 'allowed-tools: Bash(git *)\nhooks:\n  Stop: []\n';
  const root = layOut({
    'project/.claude/skills/a/SKILL.md': skill('a', more),
    'home/.claude/skills/b/SKILL.md': skill('b', more),
  });
  const catalog = await readCatalog(root, {}, { trusted: () => false });
  expect(catalog.skills().map((one) => [one.slash, one.allowedTools, one.hooks?.active])).toEqual([
    ['a', [], false],
    ['b', ['Bash(git *)'], true],
  ]);
});

test('keys of skills, and what settings say about them', async () => {
  const root = layOut({
    'project/.claude/skills/a/SKILL.md': skill(
      'a',
      'when_to_use: Use it late.\ncontext: fork\nagent: explore\nbackground: on\nmodel: opus\neffort: low\n',
    ),
    'project/.claude/skills/b/SKILL.md': skill(
      'b',
      'disable-model-invocation: true\nargument-hint: [file]\nuser_invocable: no\n',
    ),
    'project/.claude/skills/c/SKILL.md': skill('c'),
    'project/.claude/skills/d/SKILL.md': skill('d'),
    'project/.claude/commands/e.md':
      '---\nhide-from-slash-command-tool: "true"\nsubtask: true\ndisallowed-tools: Bash\npaths: src/**\n---\nText',
  });
  const overrides = () => ({ c: 'name-only', d: 'off' }) as const;
  const skills = (await readCatalog(root, {}, { overrides })).skills();
  expect(skills).toMatchObject([
    {
      slash: 'a',
      description: 'Does a. Use it late.',
      fork: { agent: 'explore', background: true },
      model: 'opus',
      effort: 'low',
      forModel: 'listed',
      forPerson: true,
    },
    { slash: 'b', forModel: 'hidden', argumentHint: '[file]', forPerson: false },
    { slash: 'c', forModel: 'name only' },
    {
      slash: 'e',
      forModel: 'hidden',
      fork: { agent: 'general-purpose', background: false },
      disallowedTools: ['Bash'],
      paths: ['src/**'],
    },
  ]);
});

test('a second reading sees what changed, and a touched file brings the homes on its way', async () => {
  const root = layOut({
    'project/.claude/skills/a/SKILL.md': skill('a'),
    'project/apps/web/.claude/skills/a/SKILL.md': skill('a'),
    'project/apps/web/.claude/skills/b/SKILL.md': skill('b'),
  });
  const catalog = await readCatalog(root);
  writeFileSync(join(root, 'project/.claude/skills/a/SKILL.md'), skill('a', 'model: opus\n'));
  mkdirSync(join(root, 'project/.claude/commands'));
  writeFileSync(join(root, 'project/.claude/commands/c.md'), 'Say it.');
  expect(await catalog.refresh()).toEqual({ added: ['command c'], removed: [], changed: ['skill a'] });
  rmSync(join(root, 'project/.claude/commands/c.md'));
  expect(await catalog.refresh()).toEqual({ added: [], removed: ['command c'], changed: [] });
  expect(await catalog.touch(join(root, 'project/README.md'))).toBe(false);
  expect(await catalog.touch(join(root, 'project/apps/web/src/x.ts'))).toBe(true);
  expect(await catalog.touch(join(root, 'project/apps/web/src/y.ts'))).toBe(false);
  expect(catalog.skills().map((one) => one.slash)).toEqual(['a', 'apps/web:a', 'b']);
});

test('agents of the command line stand over those of the project', async () => {
  const root = layOut({ 'project/.claude/agents/a.md': agent('a') });
  const json = JSON.stringify({
    a: { description: 'Mine.', prompt: 'You are mine.', tools: 'Read, Grep', model: 'small' },
  });
  const catalog = await readCatalog(root, {}, { flagAgents: json });
  expect(catalog.agents()).toEqual([
    {
      name: 'a',
      description: 'Mine.',
      prompt: 'You are mine.',
      tools: ['Read', 'Grep'],
      model: 'small',
      source: 'flag',
      path: '--agents',
    },
  ]);
  expect(catalog.definitions().map((one) => [one.source, one.shadowedBy])).toEqual([
    ['flag', undefined],
    ['project', '--agents'],
  ]);
});

test.each([['{'], ['[]'], ['{"a": "text"}']])('--agents %s is refused with an example', (json) => {
  expect(flagAgents(json)).toEqual({ refused: expect.stringMatching(/^--agents .*reviewer/) });
});

test('what was read to judge a project is not read again as definitions; what comes later is seen', async () => {
  const root = layOut({
    'project/.claude/skills/a/SKILL.md': skill('a', 'allowed-tools: Read\n'),
    'project/.claude/agents/b.md': agent('b'),
  });
  const project = join(root, 'project');
  const already = createReadAlready();
  const parts = await executableParts(project, partReader(project, already));
  expect(parts).toMatchObject([expect.stringContaining('a/SKILL.md')]);
  const known: boolean[] = [];
  const find: typeof already.find = (real, facts) => {
    const file = already.find(real, facts);
    known.push(file !== undefined);
    return file;
  };
  const catalog = await readCatalog(root, {}, { already: { ...already, find } });
  expect([known, catalog.definitions().map(({ name }) => name)]).toEqual([
    [true, true],
    ['a', 'b'],
  ]);
  writeFileSync(join(project, '.claude/agents/c.md'), agent('c'));
  expect((await catalog.refresh()).added).toEqual(['agent c']);
});
