/** What counts as a worktree of the project, and so as the workspace, without a person's yes. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const enter = (path: string) => use('EnterWorktreeTool', { path });

test.each([
  ['dots', (repo: string) => `${repo}/.coppice/worktrees/../../../victim`],
  ['a relative path with dots', () => '.coppice/worktrees/../../../victim'],
  ['a link', (repo: string) => `${repo}/.coppice/worktrees/link`],
  ['a folder below a link', (repo: string) => `${repo}/.coppice/worktrees/up/victim`],
  ['the folder of the worktrees', (repo: string) => `${repo}/.coppice/worktrees`],
])('a folder that git is told is a worktree is not entered unasked by %s', async (_, way) => {
  await using on = await scene();
  const { path, root } = on.repo;
  const victim = join(root, 'victim');
  await on.repo.write(join(victim, 'secret.txt'), 'the-word-nobody-may-send');
  mkdirSync(join(path, '.coppice/worktrees'), { recursive: true });
  symlinkSync(victim, join(path, '.coppice/worktrees/link'));
  symlinkSync(root, join(path, '.coppice/worktrees/up'));
  for (const [name, target] of [
    ['x', victim],
    ['y', join(path, '.coppice/worktrees')],
  ] as const) {
    await on.repo.write(`.git/worktrees/${name}/gitdir`, `${target}/.git\n`);
    await on.repo.write(`.git/worktrees/${name}/HEAD`, 'ref: refs/heads/main\n');
    await on.repo.write(`.git/worktrees/${name}/commondir`, '../..\n');
    await on.repo.write(`.git/worktrees/${name}/locked`, 'mine\n');
    await on.repo.write(join(target, '.git'), `gitdir: ${path}/.git/worktrees/${name}\n`);
  }
  on.server.script(enter(way(path)), use('Read', { file_path: join(victim, 'secret.txt') }), say('done'));
  await on.ask('go', '--trust');
  expect(on.server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('nobody said yes'),
  });
  expect(on.server.requests.map(({ raw }) => raw).join('\n')).not.toContain('the-word-nobody-may-send');
});

test('a folder of ours that does not say itself that it is a worktree is not entered', async () => {
  await using on = await scene();
  const { path } = on.repo;
  const folder = join(path, '.coppice/worktrees/x');
  await on.repo.write(join(folder, '.git'), 'gitdir: /elsewhere\n');
  await on.repo.write('.git/worktrees/x/gitdir', `${folder}/.git\n`);
  await on.repo.write('.git/worktrees/x/HEAD', 'ref: refs/heads/main\n');
  await on.repo.write('.git/worktrees/x/commondir', '../..\n');
  await on.repo.write('.git/worktrees/x/locked', 'mine\n');
  on.server.script(enter(folder), say('done'));
  await on.ask('go', '--trust');
  expect(on.server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('its .git leads elsewhere'),
  });
});
