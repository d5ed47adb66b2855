/** What a trusted project may not take back from the person. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LoadedSettings } from '../../../src/contract/settings.ts';
import { homesOf } from '../../../src/settings/home.ts';
import { loadSettings } from '../../../src/settings/load.ts';

let root: string;
let repo: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-narrowing-')));
  repo = join(root, 'repo');
  await mkdir(repo);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const load = async (mine: object, theirs: object, local: object = {}): Promise<LoadedSettings> => {
  const files = {
    'home/.coppice/settings.json': mine,
    'repo/.coppice/settings.json': theirs,
    'repo/.claude/settings.local.json': local,
  };
  for (const [path, value] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), JSON.stringify(value));
  }
  const nowhere = { own: join(root, 'etc'), foreign: join(root, 'etc') };
  const homes = homesOf({ HOME: join(root, 'home') });
  return loadSettings({ homes, project: repo, trusted: true, cwd: root, managed: nowhere });
};

it.each([
  ['gitReadOnly', false, true],
  ['disableSkillShellExecution', true, false],
  ['fileCheckpointingEnabled', true, false],
  ['agentSwarms', false, true],
  ['autoMemoryEnabled', false, true],
  ['availableModels', ['small'], ['large']],
])("the person's %s %j stands before a project's %j", async (key, mine, theirs) => {
  const { settings, sources } = await load({ [key]: mine }, { [key]: theirs }, { [key]: theirs });
  expect(settings).toEqual({ [key]: mine });
  expect(sources[key]?.scope).toBe('user');
  expect((await load({}, { [key]: theirs })).settings).toEqual({ [key]: theirs });
  expect((await load({ [key]: theirs }, { [key]: mine })).settings).toEqual({
    [key]: key === 'availableModels' ? theirs : mine,
  });
});

it('of limits none counts that is larger than the one of the person, at any place', async () => {
  const { settings } = await load(
    { limits: { agentDepth: 2, session: { usd: 5, turns: 10 } } },
    { limits: { agentDepth: 9, agentsAtOnce: 3, session: { usd: 1, turns: 99, tokens: 7 } } },
    { limits: { session: { usd: 100 } } },
  );
  expect(settings.limits).toEqual({
    agentDepth: 2,
    agentsAtOnce: 3,
    session: { usd: 5, turns: 10, tokens: 7 },
  });
});

it('of maps the entries that the person wrote stand', async () => {
  const { settings } = await load(
    { skillOverrides: { a: 'off' }, prices: { m: { input: 9, output: 9 } } },
    { skillOverrides: { a: 'on', b: 'off' }, prices: { m: { input: 0, output: 0 } } },
  );
  expect(settings.skillOverrides).toEqual({ a: 'off', b: 'off' });
  expect(settings.prices).toEqual({ m: { input: 9, output: 9 } });
});

it('a project that switches hooks off switches off its own alone', async () => {
  const hooks = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] });
  const loaded = await load({ hooks: hooks('mine') }, { hooks: hooks('theirs') }, { disableAllHooks: true });
  expect(loaded.settings.disableAllHooks).toBeUndefined();
  expect(loaded.layers.flatMap(({ settings }) => (settings.hooks ? [settings.hooks] : []))).toEqual([
    hooks('mine'),
  ]);
  const mine = await load({ disableAllHooks: true }, { disableAllHooks: false });
  expect(mine.settings.disableAllHooks).toBe(true);
});

it('when old conversations are deleted is not the business of a project', async () => {
  const { settings, problems } = await load({}, { cleanupPeriodDays: 0.000001 });
  expect(settings).toEqual({});
  expect(problems.map(({ text }) => text)).toEqual([expect.stringContaining('cleanupPeriodDays')]);
});

it.each(['plans', './docs/plans', '.claude/plans', '.coppice/my-plans'])(
  'plans of a project may lie in %s',
  async (plansDirectory) => {
    expect((await load({}, { plansDirectory })).settings).toEqual({ plansDirectory });
  },
);
it.each(['../home/.coppice/agents', '/tmp', '.coppice/agents', '.claude/plans/../agents', '.git', 'link'])(
  'plans of a project may not lie in %s',
  async (plansDirectory) => {
    await symlink(root, join(repo, 'link'));
    const { settings, problems } = await load({}, { plansDirectory });
    expect(settings).toEqual({});
    expect(problems.map(({ text }) => text)).toEqual([expect.stringContaining('plansDirectory')]);
    expect((await load({ plansDirectory }, {})).settings).toEqual({ plansDirectory });
  },
);
