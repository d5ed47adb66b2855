import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHost, type Host } from '../../src/app/host.ts';
import { modeOfSettings, modeRefusal } from '../../src/app/mode-choice.ts';
import { createSaving } from '../../src/app/saving.ts';
import { openWorld, type World } from '../../src/app/world.ts';

let root: string;
let project: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-accepted-')));
  project = join(root, 'project');
  await mkdir(join(root, 'home'));
  await mkdir(join(project, '.git'), { recursive: true });
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const write = async (path: string, content: string | object): Promise<void> => {
  const file = join(project, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
};
const open = (yes = true): Promise<World> => {
  const host: Host = { ...createHost(), cwd: project, env: { HOME: join(root, 'home'), TMPDIR: root } };
  return openWorld({ host, flags: {} as World['flags'], ask: async () => yes, trouble: () => undefined });
};
const hookOf = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
const inForce = (world: World): string => JSON.stringify(world.loaded().settings);

it('keeps what a trusted project could run while its files change, until there is a yes', async () => {
  await write('.coppice/settings.json', hookOf('old'));
  const world = await open();
  expect(inForce(world)).toContain('old');
  await write('.coppice/settings.json', {
    ...hookOf('new'),
    permissions: { allow: ['Bash(evil)'], deny: ['Bash(rm *)'] },
  });
  await world.reload();
  expect(inForce(world)).toContain('old');
  expect(inForce(world)).not.toContain('new');
  expect(inForce(world)).not.toContain('evil');
  expect(world.loaded().settings.permissions?.deny).toEqual(['Bash(rm *)']);
  const changed = await world.accepted.changed();
  expect(changed?.state).toMatchObject({
    state: 'changed',
    added: [expect.stringContaining('new'), expect.stringContaining('evil')],
    removed: [expect.stringContaining('old')],
  });
  if (changed) await world.accepted.accept(changed);
  await world.reload();
  expect(inForce(world)).toContain('new');
  expect(await world.accepted.changed()).toBeUndefined();
});

it('asks at the next start about what was not accepted, and not about what was', async () => {
  await write('.coppice/settings.json', hookOf('old'));
  await open();
  let asked = 0;
  const again = () => {
    const host: Host = { ...createHost(), cwd: project, env: { HOME: join(root, 'home') } };
    const ask = async () => {
      asked++;
      return false;
    };
    return openWorld({ host, flags: {} as World['flags'], ask, trouble: () => undefined });
  };
  expect((await again()).trust.trusted).toBe(true);
  expect(asked).toBe(0);
  await write('.coppice/settings.json', hookOf('new'));
  expect((await again()).trust.trusted).toBe(false);
  expect(asked).toBe(1);
});

it('saves rules without making the folder a changed one', async () => {
  await write('.coppice/settings.json', hookOf('old'));
  const world = await open();
  await createSaving(world).remember(['Bash(npm test)'], 'localSettings');
  expect(world.loaded().settings.permissions?.allow).toEqual(['Bash(npm test)']);
  expect(await readFile(join(project, '.git/info/exclude'), 'utf8')).toContain(
    '/.coppice/settings.local.json',
  );
  expect((await open(false)).trust.trusted).toBe(true);
});

it('does not accept by the way what somebody else changed', async () => {
  await write('.coppice/settings.json', hookOf('old'));
  const world = await open();
  await write('.coppice/settings.json', hookOf('new'));
  await createSaving(world).remember(['Bash(npm test)'], 'localSettings');
  expect(inForce(world)).not.toContain('new');
  expect((await open(false)).trust.trusted).toBe(false);
});

it('refuses to save rules where they would not count', async () => {
  const world = await open(false);
  await expect(createSaving(world).remember(['Bash(x)'], 'projectSettings')).rejects.toThrow(
    'is not trusted',
  );
  await createSaving(world).remember(['Bash(x)'], 'userSettings');
  expect(world.loaded().settings.permissions?.allow).toEqual(['Bash(x)']);
});

it('trusts a definition file as it was accepted, and no longer once it changed', async () => {
  const skill = '.coppice/skills/deploy/SKILL.md';
  await write(skill, '---\nname: deploy\n---\n!`make`\n');
  const world = await open();
  const path = join(project, skill);
  expect(world.accepted.trustsFile(path)).toBe(true);
  await write(skill, '---\nname: deploy\n---\n!`evil`\n');
  expect(world.accepted.trustsFile(path)).toBe(false);
  await write(skill, '---\nname: deploy\n---\nonly words\n');
  expect(world.accepted.trustsFile(path)).toBe(true);
});

it('asks about definitions in other folders when they come in, once, and remembers the answer', async () => {
  await write('.coppice/settings.json', hookOf('old'));
  await write('apps/web/.claude/skills/deploy/SKILL.md', '---\nname: deploy\n---\n!`make`\n');
  await write('apps/web/.claude/skills/plain/SKILL.md', '---\nname: plain\n---\nonly words\n');
  const folder = join(project, 'apps/web/.claude/skills');
  const deploy = join(folder, 'deploy/SKILL.md');
  const { accepted, reload } = await open();
  expect(await accepted.changed()).toBeUndefined();
  await accepted.attend([join(project, '.coppice/skills'), folder]);
  expect(accepted.trustsFile(deploy)).toBe(false);
  expect(accepted.trustsFile(join(folder, 'plain/SKILL.md'))).toBe(true);
  const changed = await accepted.changed();
  expect(changed?.state).toMatchObject({
    added: [expect.stringContaining('apps/web/.claude/skills/deploy/SKILL.md can run commands')],
    removed: [],
  });
  // What waits there does not hold up the settings of the root.
  if (changed) await accepted.accept(changed);
  await reload();
  expect(accepted.trustsFile(deploy)).toBe(true);
  const later = await open(false);
  expect(later.trust.trusted).toBe(true);
  expect(later.accepted.trustsFile(deploy)).toBe(true);
  await write('apps/web/.claude/skills/deploy/SKILL.md', '---\nname: deploy\n---\n!`evil`\n');
  expect(later.accepted.trustsFile(deploy)).toBe(false);
});

it.each([
  ['in capitals', '---\nName: x\nHooks: {}\n---\n'],
  ['in quotes', '---\n"hooks": {}\n---\n'],
  ['as JSON', '---\n{"mcpServers": {}}\n---\n'],
  ['with tabs', '---\n\tallowed_tools: Bash\n---\n'],
  ['tight', '---\nname: x\nallowed-tools:Bash\n---\n'],
  ['in a fence', '```markdown\n---\npermission-mode: plan\n---\n```\n'],
  ['below a licence', '<!-- (c) -->\n\n---\nallowedTools: Bash\n---\n'],
  ['without an end', '---\nname: x\nhooks: {}\n\n# Title\n'],
  ['in an indented fence', '---\nname: x\n---\n  ```!\n  make\n  ```\n'],
])('sees what a definition could run %s', async (_how, text) => {
  await write('.claude/agents/odd.md', 'Only words.');
  const world = await open();
  await write('.claude/agents/odd.md', text);
  expect(world.accepted.trustsFile(join(project, '.claude/agents/odd.md'))).toBe(false);
  expect((await world.accepted.changed())?.state).toMatchObject({
    added: [expect.stringContaining('odd.md can run commands or widen permissions')],
  });
});

it('lists what a plugin of the project would run, wherever its manifest says it stands', async () => {
  await write('.coppice/settings.json', { plugins: ['./plug'] });
  await write('plug/.claude-plugin/plugin.json', { hooks: './config/mine.json', skills: './extra' });
  await write('plug/config/mine.json', hookOf('from the plugin'));
  await write('plug/extra/deploy/SKILL.md', '---\nname: deploy\n---\n!`make`\n');
  const world = await open();
  const skill = join(project, 'plug/extra/deploy/SKILL.md');
  const plugin = { root: join(project, 'plug'), ofProject: true };
  expect(world.trust.parts?.join('\n')).toMatch(/plugin plug: hook on Stop: command "from the plugin"/);
  expect(world.accepted.trustsFile(skill, plugin)).toBe(true);
  await write('plug/extra/deploy/SKILL.md', '---\nname: deploy\n---\n!`evil`\n');
  await write('plug/config/mine.json', hookOf('something else'));
  expect(world.accepted.trustsFile(skill, plugin)).toBe(false);
  expect((await world.accepted.changed())?.state).toMatchObject({
    added: [expect.stringContaining('something else'), expect.stringContaining('deploy/SKILL.md')],
  });
});

it("lets a project make the person's mode stricter, never looser", async () => {
  await write('.coppice/settings.json', { permissions: { defaultMode: 'bypassPermissions' } });
  const loose = (await open()).loaded();
  expect(modeOfSettings(loose)).toBe('default');
  expect(modeRefusal(loose)).toContain('bypassPermissions');
  await write('.coppice/settings.json', { permissions: { defaultMode: 'plan' } });
  const strict = (await open()).loaded();
  expect(modeOfSettings(strict)).toBe('plan');
  expect(modeRefusal(strict)).toBeUndefined();
});
