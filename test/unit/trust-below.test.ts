/** Checkouts below a trusted folder: they inherit its trust for what was accepted there, and for nothing else. */
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHost, type Host } from '../../src/app/host.ts';
import { openWorld, type World } from '../../src/app/world.ts';

let root: string;
let project: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-below-')));
  project = join(root, 'project');
  await mkdir(join(root, 'home'));
  await mkdir(join(project, '.git'), { recursive: true });
  await write('.coppice/settings.json', hook('mine'));
  await write('.claude/skills/s/SKILL.md', '---\nname: s\n---\n!`make`\n');
  await open(project, true);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hook = (command: string) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
};
const open = (cwd: string, answer?: boolean): Promise<World> => {
  const host: Host = { ...createHost(), cwd, env: { HOME: join(root, 'home'), TMPDIR: root } };
  return openWorld({
    host,
    flags: {} as World['flags'],
    trouble: () => undefined,
    ...(answer === undefined ? {} : { ask: async () => answer }),
  });
};
const inForce = (world: World): string => JSON.stringify(world.loaded().settings.hooks ?? null);

it.each(['vendor/other', '.coppice/worktrees/pr-12'])(
  'a checkout in %s does not run what is only there',
  async (below) => {
    await write(`${below}/.git`, 'gitdir: ../elsewhere\n');
    await write(`${below}/.coppice/settings.json`, hook('EVIL'));
    const world = await open(join(project, below));
    expect(world.trust).toMatchObject({
      trusted: false,
      notice: expect.stringContaining(`${below} can run what was not in ${project} when you trusted that`),
    });
    expect(inForce(world)).toBe('null');
    expect((await open(join(project, below), true)).trust.trusted).toBe(true);
    expect(inForce(await open(join(project, below)))).toContain('EVIL');
    expect((await open(project)).trust.trusted).toBe(true);
  },
);

it('a worktree that can run no more than the project does is trusted with it, until it changes', async () => {
  const below = '.coppice/worktrees/mine';
  await cp(join(project, '.claude'), join(project, below, '.claude'), { recursive: true });
  await write(`${below}/.git`, 'gitdir: ../elsewhere\n');
  await write(`${below}/.coppice/settings.json`, hook('mine'));
  const world = await open(join(project, below));
  expect(world.trust.trusted).toBe(true);
  expect(inForce(world)).toContain('mine');
  expect(world.accepted.trustsFile(join(project, below, '.claude/skills/s/SKILL.md'))).toBe(true);
  await write(`${below}/.claude/skills/s/SKILL.md`, '---\nname: s\n---\n!`EVIL`\n');
  expect(world.accepted.trustsFile(join(project, below, '.claude/skills/s/SKILL.md'))).toBe(false);
  expect((await open(join(project, below))).trust.trusted).toBe(false);
});

it("another repository does not run its own scripts by the project's words", async () => {
  await write('vendor/copy/.git', '');
  await write('vendor/copy/.coppice/settings.json', hook('mine'));
  expect((await open(join(project, 'vendor/copy'))).trust.trusted).toBe(false);
});

it('a checkout that runs nothing of its own is trusted with the folder around it', async () => {
  await write('vendor/plain/.git', '');
  expect((await open(join(project, 'vendor/plain'))).trust.trusted).toBe(true);
});

it('a folder of the same checkout is the same project', async () => {
  await mkdir(join(project, 'src/deep'), { recursive: true });
  expect(inForce(await open(join(project, 'src/deep')))).toContain('mine');
});
