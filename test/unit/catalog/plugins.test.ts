import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Plugin, readPlugins } from '../../../src/catalog/plugins.ts';
import { layOut } from './lay-out.ts';

type Files = Readonly<Record<string, string | object>>;

const text = (content: string | object): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** The plugins of a folder with these files, paths relative to it. */
const read = async (files: Files) => {
  const root = layOut(
    Object.fromEntries(Object.entries(files).map(([path, content]) => [`plug/${path}`, text(content)])),
  );
  const dir = join(root, 'plug');
  const plugins = await readPlugins(dir);
  if ('refused' in plugins) throw new Error(plugins.refused);
  const short = (path: string) => path.replace(`${dir}/`, '');
  return plugins.map((plugin: Plugin) => ({
    name: plugin.name,
    root: short(`${plugin.root}/`),
    skills: plugin.skills.map(short),
    agents: plugin.agents.map(short),
    commands: plugin.commands.map(short),
    hooks: plugin.hooks.map(({ path, value }) => [short(path), value]),
    servers: plugin.servers.map(({ source, value }) => [short(source), value]),
    problems: plugin.problems.map((problem) => problem.replaceAll(dir, '')),
  }));
};

const skill = '---\nname: a\ndescription: b\n---\nP';
const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
const manifest = (value: object) => ({ '.claude-plugin/plugin.json': value });

test('the plain layout needs no manifest, and one beside it may stand in the root', async () => {
  const files = {
    'skills/a/SKILL.md': skill,
    'hooks/hooks.json': hook('x'),
    '.mcp.json': { one: { command: 'y' } },
  };
  expect(await read(files)).toMatchObject([
    {
      name: 'plug',
      skills: ['skills'],
      agents: [],
      hooks: [['hooks/hooks.json', hook('x')]],
      servers: [['.mcp.json', { one: { command: 'y' } }]],
      problems: [],
    },
  ]);
  expect(await read({ ...files, 'plugin.json': { name: 'named' } })).toMatchObject([{ name: 'named' }]);
});

test('a manifest names paths beside the usual places, alone, in lists, as maps and with globs', async () => {
  expect(
    await read({
      ...manifest({
        name: 'garden',
        author: { name: 'somebody' },
        skills: ['./extra/one', './more/*'],
        agents: './team/**/*.md',
        commands: { weed: { source: './weed.md' } },
        hooks: ['./plugins/*/hooks', './hooks/hooks.json', hook('inline')],
        mcpServers: ['./servers.json', { two: { command: 'z' } }],
      }),
      'skills/a/SKILL.md': skill,
      'extra/one/SKILL.md': skill,
      'more/two/SKILL.md': skill,
      'more/three/SKILL.md': skill,
      'team/a/one.md': skill,
      'team/two.md': skill,
      'weed.md': 'Weed.',
      'plugins/x/hooks/hooks.json': hook('x'),
      'plugins/y/hooks/hooks.json': hook('y'),
      'hooks/hooks.json': hook('usual'),
      'servers.json': { one: { command: 'y' } },
    }),
  ).toEqual([
    {
      name: 'garden',
      root: '',
      skills: ['skills', 'extra/one', 'more/three', 'more/two'],
      agents: ['team/a/one.md', 'team/two.md'],
      commands: ['weed.md'],
      hooks: [
        ['hooks/hooks.json', hook('usual')],
        ['plugins/x/hooks/hooks.json', hook('x')],
        ['plugins/y/hooks/hooks.json', hook('y')],
        ['.claude-plugin/plugin.json', hook('inline')],
      ],
      servers: [
        ['servers.json', { one: { command: 'y' } }],
        ['.claude-plugin/plugin.json', { two: { command: 'z' } }],
      ],
      problems: [],
    },
  ]);
});

test('what is wrong costs only itself, and is named with its file and key', async () => {
  const [plugin] = await read({
    ...manifest({
      name: 7,
      version: 2,
      skills: '../outside',
      agents: './missing',
      commands: 5,
      hooks: './bad.json',
    }),
    'bad.json': '{',
    'skills/a/SKILL.md': skill,
  });
  expect(plugin).toMatchObject({ name: 'plug', skills: ['skills'], agents: [], hooks: [] });
  expect(plugin?.problems.toSorted()).toEqual([
    '/.claude-plugin/plugin.json: commands is 5, which is not of the kind it should be; it does not count.',
    '/.claude-plugin/plugin.json: name is 7, which is not of the kind it should be; it does not count.',
    expect.stringContaining('/bad.json is not JSON that can be read'),
    expect.stringContaining('agents names ./missing, which is not there'),
    expect.stringContaining('skills names ../outside, which lies outside the plugin'),
  ]);
});

test.each<[string, string]>([
  ['a list', '[]'],
  ['no JSON', '{"name": '],
])('a manifest that is %s leaves the plain layout', async (_what, content) => {
  const [plugin] = await read({ '.claude-plugin/plugin.json': content, 'skills/a/SKILL.md': skill });
  expect(plugin).toMatchObject({ name: 'plug', skills: ['skills'] });
  expect(plugin?.problems).toHaveLength(1);
});

test('a marketplace in the folder brings each plugin that lies in it', async () => {
  expect(
    await read({
      '.claude-plugin/marketplace.json': {
        plugins: [
          { name: 'docs', source: './', strict: false, skills: ['./skills/a'] },
          { name: 'other', source: './plugins/other' },
          { name: 'far', source: { source: 'github', repo: 'x/y' } },
        ],
      },
      'skills/a/SKILL.md': skill,
      'plugins/other/.claude-plugin/plugin.json': { name: 'own-name' },
      'plugins/other/commands/go.md': 'Go.',
    }),
  ).toMatchObject([
    { name: 'docs', root: '', skills: ['skills', 'skills/a'] },
    { name: 'own-name', root: 'plugins/other/', commands: ['plugins/other/commands'] },
  ]);
});

test('a folder that is one skill is a plugin; one that brings nothing says so; a missing one is refused', async () => {
  expect(await read({ 'SKILL.md': skill })).toMatchObject([
    { name: 'plug', skills: [expect.stringMatching(/plug$/)] },
  ]);
  expect((await read({ 'README.md': 'hello' }))[0]?.problems).toEqual([
    expect.stringContaining('brings nothing'),
  ]);
  expect(await readPlugins('/nonexistent/plugin')).toEqual({
    refused: 'The plugin folder /nonexistent/plugin does not exist.',
  });
});
