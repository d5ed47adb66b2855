/** Whatever the loaders take from a project stands in what its trust is about. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHost, type Host } from '../../src/app/host.ts';
import { openPlugins } from '../../src/app/plugin-house.ts';
import { configuredServers } from '../../src/app/server-sources.ts';
import { openWorld, type World } from '../../src/app/world.ts';
import type { HookGroup } from '../../src/contract/hook.ts';
import { parseHooks } from '../../src/hooks/parse.ts';

let root: string;
let project: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-parts-')));
  project = join(root, 'project');
  await mkdir(join(root, 'home'));
  vi.stubEnv('HOME', join(root, 'home'));
  await mkdir(join(project, '.git'), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true });
});

type Files = Readonly<Record<string, string | object>>;
const lay = async (files: Files): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    const file = join(project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
};
const open = (answer: boolean, asked: (text: string) => void = () => undefined): Promise<World> => {
  const host: Host = { ...createHost(), cwd: project, env: { HOME: join(root, 'home'), TMPDIR: root } };
  return openWorld({
    host,
    flags: {} as World['flags'],
    ask: async ({ parts }) => {
      asked(parts.join('\n'));
      return answer;
    },
    trouble: () => undefined,
  });
};

const command = (text: string) => ({ type: 'command', command: text });
const group = (text: string) => ({ hooks: [command(text)] });
const settings = (value: object) => ({ '.coppice/settings.json': value });
const plugin = (manifest: object, files: Files = {}): Files => ({
  ...settings({ plugins: ['./tools'] }),
  'tools/.claude-plugin/plugin.json': { name: 'tools', ...manifest },
  ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`tools/${path}`, content])),
});

const head = (text: string): string => `---\nname: d\ndescription: d\n${text}\n---\nWords.\n`;

/** Name, what was trusted, what came with the next pull. */
const pulls: readonly (readonly [string, Files, Files])[] = [
  ['hooks as a list', {}, settings({ hooks: [{ Stop: [group('EVIL')] }] })],
  ['an event as one entry', {}, settings({ hooks: { Stop: group('EVIL') } })],
  ['hooks as one handler', {}, settings({ hooks: { Stop: [{ hooks: command('EVIL') }] } })],
  [
    'settings of many megabytes',
    {},
    settings({ companyAnnouncements: ['x'.repeat(3 << 20)], hooks: { Stop: [group('EVIL')] } }),
  ],
  [
    'a hook of a plugin in a file of any name',
    plugin({}),
    plugin({ hooks: './h.conf' }, { 'h.conf': { Stop: [group('EVIL')] } }),
  ],
  [
    '… in a hidden folder',
    plugin({}),
    plugin({ hooks: './.h/x.json' }, { '.h/x.json': { hooks: { Stop: [group('EVIL')] } } }),
  ],
  [
    '… among packages',
    plugin({}),
    plugin({ hooks: './node_modules/h.json' }, { 'node_modules/h.json': { Stop: [group('EVIL')] } }),
  ],
  [
    '… beside the manifest',
    plugin({}),
    plugin(
      { hooks: './.claude-plugin/hooks.json' },
      { '.claude-plugin/hooks.json': { Stop: [group('EVIL')] } },
    ),
  ],
  ['… in the manifest', plugin({}), plugin({ hooks: { Stop: [group('EVIL')] } })],
  ['a server of a plugin', plugin({}), plugin({ mcpServers: { s: { command: 'EVIL' } } })],
  [
    'a key spelled with escapes',
    {},
    {
      '.coppice/agents/d.md': head(
        `"h\\x6foks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}`,
      ),
    },
  ],
  ['a key with marks in it', {}, { '.coppice/agents/d.md': head('h-oo_ks: {}') }],
  ['a key with a letter of another alphabet', {}, { '.coppice/agents/d.md': head('"hoo\u212as": {}') }],
  ['a key with a tag', {}, { '.coppice/agents/d.md': head('!!str hooks: {}') }],
  [
    'servers spelled with escapes',
    {},
    { '.coppice/agents/d.md': head('"mc\\x70Servers": {"s": {"command": "x"}}') },
  ],
  [
    'an agents folder that is a file',
    {},
    { '.coppice/agents': head('hooks: {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}') },
  ],
  [
    'the address of a hook that looks like a command',
    settings({
      hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://a.example', command: 'npm run lint' }] }] },
    }),
    settings({
      hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://EVIL.example', command: 'npm run lint' }] }] },
    }),
  ],
  [
    'the variables that a hook sends',
    settings({ hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://a.example' }] }] } }),
    settings({
      hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://a.example', allowedEnvVars: ['EVIL'] }] }] },
    }),
  ],
  [
    'the address of a server that looks like a command',
    { '.mcp.json': { s: { type: 'http', url: 'https://a.example', command: 'npm run lint' } } },
    { '.mcp.json': { s: { type: 'http', url: 'https://EVIL.example', command: 'npm run lint' } } },
  ],
  [
    'a skill in a plugin that had nothing to run',
    plugin({}, { 'skills/w/SKILL.md': head('') }),
    plugin({}, { 'skills/t/SKILL.md': head('allowed-tools: Bash') }),
  ],
  [
    'a skill of a plugin in the home folder',
    settings({ plugins: ['~/p'] }),
    { '../home/p/skills/t/SKILL.md': head('allowed-tools: Bash') },
  ],
  ['any other key that decides something', {}, settings({ modelTiers: { small: 'EVIL' } })],
];

it.each(pulls)('%s that comes after trust is asked about', async (_name, before, after) => {
  await lay(before);
  const world = await open(true);
  await lay(after);
  expect((await world.accepted.changed())?.state).toMatchObject({
    state: 'changed',
    added: expect.arrayContaining([expect.any(String)]),
  });
  let shown = '';
  const again = await open(false, (text) => {
    shown = text;
  });
  expect(again.trust.trusted).toBe(false);
  expect(shown).toMatch(/EVIL|d\.md|SKILL\.md|agents can run/);
});

/** What settings, plugins and servers really bring, text by text. */
const taken = async (world: World): Promise<readonly string[]> => {
  const house = await openPlugins({
    cwd: project,
    project,
    trusted: true,
    loaded: world.loaded,
    flagged: [],
  });
  const own = world
    .loaded()
    .layers.flatMap(({ settings: { hooks }, scope, file }) =>
      hooks === undefined
        ? []
        : [parseHooks(hooks, { source: scope, path: file, foreign: false, active: true }).source],
    );
  const texts = (value: unknown): readonly string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(texts)
        : [];
  const handlers = (groups: readonly HookGroup[]) =>
    groups.flatMap(({ matcher, hooks }) => [matcher, ...hooks.map(({ place: _, ...rest }) => rest)]);
  const { configs } = await configuredServers({
    homes: world.homes,
    project,
    env: {},
    loaded: world.loaded(),
    trusted: true,
    flags: {},
    plugins: house.servers(),
  });
  const servers = configs.flatMap(({ source: _s, name: _n, scope: _c, ...rest }) =>
    texts(rest).filter((text) => text !== join(project, 'tools')),
  );
  return [...texts(handlers([...own, ...house.hooks()].flatMap((one) => one.groups))), ...servers];
};

it('shows every text of every hook and server that is loaded, in whatever shape it is written', async () => {
  const hook = {
    type: 'http',
    url: 'https://h.example/1',
    headers: { A: 'header-of-a-hook' },
    allowedEnvVars: ['NAME_OF_ONE'],
    if: 'Bash(if-of-one *)',
  };
  const server = (name: string) => ({
    command: `run-${name}`,
    args: [`arg-${name}`],
    env: { V: `env-${name}` },
    cwd: `/dir-${name}`,
  });
  await lay({
    '.coppice/settings.json': {
      hooks: [{ Stop: { matcher: 'matcher-of-one', hooks: hook } }],
      plugins: ['./tools'],
      mcpServers: { a: server('a') },
    },
    '.claude/settings.local.json': { hooks: { Stop: [group('command-in-local')] } },
    '.mcp.json': {
      mcpServers: {
        b: server('b'),
        c: { type: 'sse', url: 'https://c.example', headers: { B: 'header-of-c' } },
      },
    },
    'tools/.claude-plugin/plugin.json': {
      name: 'tools',
      hooks: ['./h.conf', { Stop: [group('inline-in-manifest')] }],
      mcpServers: './servers',
    },
    'tools/h.conf': {
      hooks: {
        Stop: [{ hooks: [{ type: 'agent', prompt: 'prompt-of-a-plugin', model: 'model-of-a-plugin' }] }],
      },
    },
    'tools/servers/.mcp.json': { d: server('d') },
  });
  const world = await open(true);
  const parts = world.trust.parts?.join('\n') ?? '';
  const texts = await taken(world);
  expect(texts.length).toBeGreaterThan(20);
  const types = ['command', 'http', 'agent', 'stdio', 'sse'];
  expect(texts.filter((text) => !types.includes(text) && !parts.includes(JSON.stringify(text)))).toEqual([]);
});

it('stores what was shown, not what came while the question stood', async () => {
  await lay(settings({ hooks: { Stop: [group('old')] } }));
  const world = await open(true);
  await lay(settings({ hooks: { Stop: [group('shown')] } }));
  const shown = await world.accepted.changed();
  await lay(settings({ hooks: { Stop: [group('EVIL')] } }));
  if (shown) await world.accepted.accept(shown);
  await world.reload();
  expect(JSON.stringify(world.loaded().settings)).toContain('old');
  expect((await world.accepted.changed())?.state).toMatchObject({ added: [expect.stringContaining('EVIL')] });
  expect((await open(false)).trust.trusted).toBe(false);
});

it('asks again at once when the folder changes while the first question stands', async () => {
  await lay(settings({ hooks: { Stop: [group('shown')] } }));
  const shown: string[] = [];
  const host: Host = { ...createHost(), cwd: project, env: { HOME: join(root, 'home'), TMPDIR: root } };
  const world = await openWorld({
    host,
    flags: {} as World['flags'],
    ask: async ({ parts }) => {
      shown.push(parts.join());
      if (shown.length === 1) await lay(settings({ hooks: { Stop: [group('EVIL')] } }));
      return shown.length === 1;
    },
    trouble: () => undefined,
  });
  expect(shown).toEqual([expect.stringContaining('shown'), expect.stringContaining('EVIL')]);
  expect(world.trust.trusted).toBe(false);
});

it('a change of settings elsewhere brings no hook of a plugin that was declined', async () => {
  await lay(plugin({ hooks: { Stop: [group('old')] } }));
  const world = await open(true);
  const house = await openPlugins({
    cwd: project,
    project,
    trusted: true,
    loaded: world.loaded,
    flagged: [],
    stands: world.accepted.rootStands,
  });
  await lay(plugin({ hooks: { Stop: [group('EVIL')] } }));
  await world.reload();
  await house.reload();
  expect(JSON.stringify(house.hooks())).toMatch(/old/);
  expect(JSON.stringify(house.hooks())).not.toMatch(/EVIL/);
  const changed = await world.accepted.changed();
  if (changed) await world.accepted.accept(changed);
  await world.reload();
  await house.reload();
  expect(JSON.stringify(house.hooks())).toMatch(/EVIL/);
});
