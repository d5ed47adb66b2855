import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canary } from '../support/git-traps.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { deskBench, worktreeBench, worktreePath } from '../support/worktree-bench.ts';

/** An origin with a pull request; answers the commit of its head. */
const withOrigin = async (repo: TempRepo, ref = 'refs/pull/12/head'): Promise<string> => {
  const origin = join(repo.tmp, 'origin.git');
  await repo.git('clone', '-q', '--bare', '.', origin);
  await repo.git('remote', 'add', 'origin', origin);
  const id = await repo.git('commit-tree', '-p', 'HEAD', '-m', 'Proposed', 'HEAD^{tree}');
  await repo.git('push', '-q', 'origin', `${id}:${ref}`);
  return id;
};

const open = (repo: TempRepo, pull: number) =>
  worktreeBench(repo.env).open(repo.path, { name: `pr-${pull}`, pull, owner: 'test' });

test.each(['refs/pull/12/head', 'refs/merge-requests/12/head'])(
  'a worktree begins at what origin has as %s, and is opened again by its name',
  async (ref) => {
    await using repo = await tempRepo();
    const id = await withOrigin(repo, ref);
    const refs = await repo.git('for-each-ref', '--format=%(refname)');
    expect(await open(repo, 12)).toMatchObject({ branch: 'worktree-pr-12', base: id, reopened: false });
    expect(await repo.git('rev-parse', 'worktree-pr-12')).toBe(id);
    expect(await repo.git('for-each-ref', '--format=%(refname)')).toBe(
      refs.replace('refs/heads/main', 'refs/heads/main\nrefs/heads/worktree-pr-12'),
    );
    expect(existsSync(join(repo.path, '.git/FETCH_HEAD'))).toBe(false);
    expect(await open(repo, 12)).toMatchObject({ reopened: true });
  },
);

test('a pull request that is not there, or an origin that is not, is said, and nothing is left', async () => {
  await using repo = await tempRepo();
  expect(await open(repo, 12)).toEqual({ refused: expect.stringContaining('no remote called origin') });
  await withOrigin(repo);
  expect(await open(repo, 13)).toEqual({
    refused: expect.stringMatching(/#13 could not be fetched from origin .*couldn't find remote ref/),
  });
  await repo.git('remote', 'set-url', 'origin', 'https://me:secret@127.0.0.1:9/x.git');
  const refused = await open(repo, 14);
  expect(refused).toEqual({ refused: expect.stringContaining('https://127.0.0.1:9/x.git') });
  expect(JSON.stringify(refused)).not.toContain('secret');
  expect([existsSync(worktreePath(repo, 'pr-13')), readdirSync(join(repo.path, '.git/coppice'))]).toEqual([
    false,
    [],
  ]);
});

test.each([
  ['a file', (repo: TempRepo) => join(repo.tmp, 'origin.git')],
  ['ssh', () => 'ssh://127.0.0.1:9/x'],
  ['a program', (_: TempRepo, command: string) => `ext::${command} stop`],
  ['http', () => 'http://127.0.0.1:9/x.git'],
])('fetching from %s starts nothing that the repository names', async (_, url) => {
  await using repo = await tempRepo();
  await withOrigin(repo);
  const { command, sang } = canary(repo);
  const settings = {
    'remote.origin.url': url(repo, command),
    'remote.origin.uploadpack': command,
    'remote.origin.vcs': 'evil',
    'core.sshCommand': command,
    'core.askPass': command,
    'core.gitProxy': command,
    'credential.helper': `!${command}`,
    'credential.http://127.0.0.1:9.helper': `!${command}`,
    'protocol.ext.allow': 'always',
    'core.hooksPath': repo.tmp,
    [`url.ext::${command} stop.insteadOf`]: 'none',
  };
  for (const [key, value] of Object.entries(settings)) await repo.git('config', key, value);
  writeFileSync(join(repo.tmp, 'reference-transaction'), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
  const opened = await open(repo, 12);
  expect(['refused' in opened, sang()]).toEqual([_ !== 'a file', false]);
});

test('fetching goes by no proxy and with no headers of the repository', async () => {
  await using repo = await tempRepo();
  await withOrigin(repo);
  const asked: string[] = [];
  const answer = (name: string) =>
    createServer((request, response) => {
      asked.push(`${name} ${request.headers['x-of-the-repository'] ?? 'plain'}`);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
  const [origin, proxy] = [answer('origin'), answer('proxy')];
  await Promise.all([once(origin, 'listening'), once(proxy, 'listening')]);
  const at = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    'remote.origin.url': `${at(origin)}/x.git`,
    'http.proxy': at(proxy),
    [`http.${at(origin)}.proxy`]: at(proxy),
    'http.extraHeader': 'X-Of-The-Repository: here',
    'http.sslVerify': 'false',
  };
  for (const [key, value] of Object.entries(settings)) await repo.git('config', key, value);
  expect(await open(repo, 12)).toEqual({ refused: expect.stringContaining('could not be fetched') });
  expect(new Set(asked)).toEqual(new Set(['origin plain']));
  for (const server of [origin, proxy]) server.close();
});

const SPARSE = { 'api/a.ts': 'a', 'api/deep/b.ts': 'b', 'web/c.ts': 'c', 'docs/d.md': 'd' };
const sparse = (repo: TempRepo, ...sparsePaths: string[]) =>
  worktreeBench(repo.env, { settings: { sparsePaths } });

test('some folders are checked out by setting, with what lies at the top; the main checkout keeps all', async () => {
  await using repo = await tempRepo({ files: SPARSE });
  const before = await repo.git('status', '--porcelain=v2', '--branch');
  const service = sparse(repo, './api/', 'docs', 'gone', '../out', 'README.md');
  const made = await service.open(repo.path, { name: 's', owner: 'test' });
  if ('refused' in made) throw new Error(made.refused);
  expect(readdirSync(made.path).sort()).toEqual(['.git', 'README.md', 'api', 'docs']);
  expect(readdirSync(join(made.path, 'api')).sort()).toEqual(['a.ts', 'deep']);
  expect(made.notes).toEqual(
    ['gone', '../out', 'README.md'].map((path) => expect.stringContaining(`there is no folder ${path} `)),
  );
  expect(await service.survey(made.path)).toMatchObject({ clean: true });
  expect(await repo.git('status', '--porcelain=v2', '--branch')).toBe(before);
  expect(existsSync(join(repo.path, 'web/c.ts'))).toBe(true);
});

test('work beside the folders of a sparse worktree is seen, merged and rescued', async () => {
  await using repo = await tempRepo({ files: SPARSE });
  const service = sparse(repo, 'api');
  await service.open(repo.path, { name: 's', owner: 'test' });
  const path = worktreePath(repo, 's');
  await repo.write(join(path, 'api/a.ts'), 'changed');
  await repo.write(join(path, 'web/c.ts'), 'written beside');
  expect(await service.survey(path)).toMatchObject({ changed: ['api/a.ts', 'web/c.ts'], clean: false });
  expect(await deskBench(repo.env).preview(repo.path, 's')).toMatchObject({
    files: ['api/a.ts', 'web/c.ts'],
    conflicts: [],
  });
  const removed = await service.remove(path, { rescue: true });
  expect(removed).toMatchObject({ rescue: { files: ['api/a.ts', 'web/c.ts'] } });
  const id = 'rescue' in removed ? (removed.rescue?.id ?? '') : '';
  await service.restoreRescue(repo.path, id);
  expect(await repo.read(join(path, 'web/c.ts'))).toBe('written beside');
});

test('a sparse worktree where no folder fits holds everything', async () => {
  await using repo = await tempRepo({ files: SPARSE });
  const made = await sparse(repo, 'nowhere').open(repo.path, { name: 's', owner: 'test' });
  expect('path' in made && existsSync(join(made.path, 'web/c.ts'))).toBe(true);
});
