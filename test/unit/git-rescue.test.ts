import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { holdsText, type Survey, surveyText, type Worktrees } from '../../src/contract/worktree.ts';
import { shimGit } from '../support/git-shim.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';

const git = (repo: TempRepo, at: string, ...args: string[]) =>
  execFileSync('git', ['-C', at, ...args], { env: repo.env, stdio: 'pipe' })
    .toString()
    .trim();
const put = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const start = async (repo: TempRepo, service: Worktrees, name = 'w'): Promise<string> => {
  const made = await service.open(repo.path, { name, owner: 'test' });
  if ('refused' in made) throw new Error(made.refused);
  return made.path;
};
const surveyed = async (service: Worktrees, path: string): Promise<Survey> => {
  const survey = await service.survey(path);
  if ('refused' in survey) throw new Error(survey.refused);
  return survey;
};

type Kind = readonly [
  what: string,
  make: (repo: TempRepo, path: string) => unknown,
  finds: Partial<Survey>,
  says: string,
];

const kinds: readonly Kind[] = [
  [
    'a changed file',
    (_, path) => put(join(path, 'README.md'), 'x'),
    { changed: ['README.md'] },
    '1 changed file',
  ],
  [
    'a staged file',
    (repo, path) => {
      put(join(path, 's.txt'), 'x');
      git(repo, path, 'add', '.');
    },
    { changed: ['s.txt'] },
    '1 changed file',
  ],
  [
    'a deleted file',
    (_, path) => rmSync(join(path, 'README.md')),
    { changed: ['README.md'] },
    '1 changed file',
  ],
  [
    'a changed mode',
    (_, path) => chmodSync(join(path, 'README.md'), 0o755),
    { changed: ['README.md'] },
    '1 changed file',
  ],
  [
    'an untracked file',
    (_, path) => put(join(path, 'a b/"new\n".txt'), 'x'),
    { untracked: ['a b/"new\n".txt'] },
    '1 untracked file',
  ],
  [
    'an ignored file',
    (_, path) => put(join(path, 'notes.log'), 'x'),
    { ignored: ['notes.log'] },
    '1 ignored file',
  ],
  [
    'an ignored folder',
    (_, path) => put(join(path, 'data/deep/set.bin'), 'x'),
    { ignored: ['data/deep/set.bin'] },
    '1 ignored file',
  ],
  [
    'a commit',
    (repo, path) => {
      put(join(path, 'c.txt'), 'x');
      git(repo, path, 'add', '.');
      git(repo, path, 'commit', '-qm', 'Mine alone');
    },
    { commits: [expect.objectContaining({ subject: 'Mine alone' })] },
    '1 commit',
  ],
  [
    'a commit on a detached HEAD',
    (repo, path) => {
      git(repo, path, 'checkout', '-q', '--detach');
      git(repo, path, 'commit', '-q', '--allow-empty', '-m', 'Loose');
    },
    { commits: [expect.objectContaining({ subject: 'Loose' })] },
    '1 commit',
  ],
  [
    'a stash',
    (repo, path) => {
      put(join(path, 'README.md'), 'x');
      git(repo, path, 'stash');
    },
    { stashes: [expect.objectContaining({ subject: expect.stringContaining('WIP on worktree-w') })] },
    '1 stash',
  ],
  [
    'a file git was told not to look at',
    (repo, path) => {
      git(repo, path, 'update-index', '--assume-unchanged', 'README.md');
      put(join(path, 'README.md'), 'x');
    },
    { changed: ['README.md'] },
    '1 changed file',
  ],
  [
    'a repository of its own inside',
    (repo, path) => {
      git(repo, path, 'init', '-q', 'inner');
      put(join(path, 'inner/x.txt'), 'x');
    },
    { untracked: expect.arrayContaining(['inner/x.txt', 'inner/.git/HEAD']) },
    'untracked files',
  ],
  [
    'a link',
    (_, path) => symlinkSync('/nowhere', join(path, 'link')),
    { untracked: ['link'] },
    '1 untracked file',
  ],
];

test.each(kinds)('%s holds a worktree back, and is listed', async (_, make, finds, says) => {
  await using repo = await tempRepo({ files: { '.gitignore': '*.log\ndata/\nnode_modules/\n' } });
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  await make(repo, path);
  const survey = await surveyed(service, path);
  expect(survey).toMatchObject({ clean: false, ...finds });
  expect(holdsText(survey)).toContain(says);
  expect(surveyText(survey)).not.toBe('');
  expect(await service.remove(path, { rescue: false })).toMatchObject({ holds: { clean: false } });
  expect(existsSync(path)).toBe(true);
});

const harmless: readonly (readonly [what: string, make: (repo: TempRepo, path: string) => unknown])[] = [
  ['dependencies and builds', (_, path) => put(join(path, 'node_modules/a/index.js'), 'x')],
  [
    'ignored files that the main checkout has too',
    async (repo, path) => {
      await repo.write('same.log', 'same');
      put(join(path, 'same.log'), 'same');
    },
  ],
  [
    'commits that are merged',
    async (repo, path) => {
      git(repo, path, 'commit', '-q', '--allow-empty', '-m', 'Merged');
      await repo.git('merge', '-q', 'worktree-w');
    },
  ],
  [
    'commits that a remote has',
    async (repo, path) => {
      git(repo, path, 'commit', '-q', '--allow-empty', '-m', 'Pushed');
      await repo.git('update-ref', 'refs/remotes/origin/pushed', 'worktree-w');
    },
  ],
  [
    'commits on a branch that stays',
    (repo, path) => {
      git(repo, path, 'checkout', '-q', '-b', 'feature');
      git(repo, path, 'commit', '-q', '--allow-empty', '-m', 'On feature');
    },
  ],
  [
    "a person's own stash",
    async (repo) => {
      await repo.write('README.md', 'person');
      await repo.git('stash');
    },
  ],
];
test.each(harmless)('%s do not', async (_, make) => {
  await using repo = await tempRepo({ files: { '.gitignore': '*.log\ndata/\nnode_modules/\n' } });
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  await make(repo, path);
  expect(await service.remove(path, { rescue: false })).toMatchObject({ removed: true });
  expect(await repo.git('stash', 'list')).toEqual(
    _ === "a person's own stash" ? expect.stringContaining('WIP on main') : '',
  );
});

/** All files of a folder but git's own, as hashes. */
const hashes = (folder: string, skip = /^(\.git)$/): Record<string, string> => {
  const found: Record<string, string> = {};
  const walk = (at: string, below: string) => {
    for (const name of execFileSync('ls', ['-A', at]).toString().split('\n').filter(Boolean)) {
      if (skip.test(name) && below === '') continue;
      const [path, rel] = [join(at, name), below === '' ? name : `${below}/${name}`];
      const info = lstatSync(path);
      if (info.isSymbolicLink()) found[rel] = `-> ${readlinkSync(path)}`;
      else if (info.isDirectory()) walk(path, rel);
      else
        found[rel] =
          `${(info.mode & 0o777).toString(8)} ${createHash('sha1').update(readFileSync(path)).digest('hex')}`;
    }
  };
  walk(folder, '');
  return found;
};

test('a rescue brings back every byte, the index, a merge in progress and the stash', async () => {
  await using repo = await tempRepo({
    files: { '.gitignore': '*.log\n', '.gitattributes': '*.crlf text eol=crlf\n', 'text.crlf': 'a\r\nb\r\n' },
  });
  await repo.git('commit', '-q', '--allow-empty', '-m', 'again');
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  put(join(path, 'README.md'), 'theirs\n');
  git(repo, path, 'commit', '-qam', 'theirs');
  git(repo, path, 'branch', 'other');
  git(repo, path, 'reset', '-q', '--hard', 'HEAD~1');
  put(join(path, 'README.md'), 'stashed\n');
  git(repo, path, 'stash');
  put(join(path, 'README.md'), 'ours\n');
  put(join(path, 'committed.bin'), randomBytes(5000));
  git(repo, path, 'add', '.');
  git(repo, path, 'commit', '-qam', 'ours');
  try {
    git(repo, path, 'merge', 'other');
  } catch {
    /* the conflict is wanted */
  }
  put(join(path, 'staged.txt'), 'staged version');
  git(repo, path, 'add', 'staged.txt');
  put(join(path, 'staged.txt'), 'later version');
  put(join(path, 'text.crlf'), 'mixed\r\nand\nbare\n');
  put(join(path, 'untracked/deep/ü.bin'), randomBytes(3000));
  put(join(path, 'secret.log'), 'ignored');
  chmodSync(join(path, 'secret.log'), 0o600);
  put(join(path, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(path, 'run.sh'), 0o755);
  symlinkSync('../else where', join(path, 'link'));
  git(repo, path, 'init', '-q', 'inner');
  rmSync(join(path, 'src/main.ts'));
  const before = {
    files: hashes(path),
    status: git(repo, path, 'status', '--porcelain=v2', '-uall', '--ignored=matching'),
    staged: git(repo, path, 'show', ':staged.txt'),
    head: git(repo, path, 'rev-parse', 'HEAD'),
    stash: await repo.git('stash', 'list'),
  };

  const removed = await service.remove(path, { rescue: true });
  if (!('removed' in removed) || !removed.rescue) throw new Error(JSON.stringify(removed));
  expect([
    existsSync(path),
    await repo.git('branch', '--list', 'worktree-w'),
    await repo.git('stash', 'list'),
  ]).toEqual([false, '', '']);
  expect(removed.rescue).toMatchObject({
    name: 'w',
    branch: 'worktree-w',
    commits: 1,
    stashes: 1,
    operation: 'merge',
  });
  expect(removed.rescue.files).toEqual(
    expect.arrayContaining(['staged.txt', 'secret.log', 'inner/.git/HEAD', 'link']),
  );
  await repo.git(
    '-c',
    'gc.pruneExpire=now',
    '-c',
    'gc.reflogExpire=now',
    '-c',
    'gc.reflogExpireUnreachable=now',
    'gc',
    '-q',
    '--prune=now',
  );

  const back = await service.restoreRescue(repo.path, removed.rescue.id);
  if ('refused' in back) throw new Error(back.refused);
  expect(back).toMatchObject({ path, branch: 'worktree-w' });
  expect({
    files: hashes(back.path),
    status: git(repo, back.path, 'status', '--porcelain=v2', '-uall', '--ignored=matching'),
    staged: git(repo, back.path, 'show', ':staged.txt'),
    head: git(repo, back.path, 'rev-parse', 'HEAD'),
    stash: await repo.git('stash', 'list'),
  }).toEqual(before);
});

test('what is in a submodule is found, saved and brought back', async () => {
  await using repo = await tempRepo();
  const upstream = join(repo.tmp, 'upstream');
  await repo.git('clone', '-q', '.', upstream);
  await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', upstream, 'sub');
  await repo.git('commit', '-qm', 'sub');
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  git(repo, path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  expect(await surveyed(service, path)).toMatchObject({ clean: true });
  git(repo, join(path, 'sub'), 'checkout', '-q', '-b', 'topic');
  put(join(path, 'sub/committed.txt'), 'in a commit');
  git(repo, join(path, 'sub'), 'add', '.');
  git(repo, join(path, 'sub'), 'commit', '-qm', 'Sub work');
  const tip = git(repo, join(path, 'sub'), 'rev-parse', 'HEAD');
  put(join(path, 'sub/README.md'), 'changed in sub');
  put(join(path, 'sub/new.txt'), 'new in sub');
  expect(await surveyed(service, path)).toMatchObject({ clean: false, submodules: ['sub'] });
  const removed = await service.remove(path, { rescue: true });
  if (!('removed' in removed) || !removed.rescue) throw new Error(JSON.stringify(removed));
  const back = await service.restoreRescue(repo.path, removed.rescue.id);
  if ('refused' in back) throw new Error(back.refused);
  expect([
    readFileSync(join(back.path, 'sub/README.md'), 'utf8'),
    readFileSync(join(back.path, 'sub/new.txt'), 'utf8'),
  ]).toEqual(['changed in sub', 'new in sub']);
  expect(await repo.git('branch', '--format=%(refname:short)', '--contains', tip)).toMatch(/^rescued\/w-/);
  expect(await repo.git('show', `${tip}:committed.txt`)).toBe('in a commit');
});

test('commits that only the reflog knew are saved with a clean removal', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  git(repo, path, 'commit', '-q', '--allow-empty', '-m', 'Reset away');
  const lost = git(repo, path, 'rev-parse', 'HEAD');
  git(repo, path, 'reset', '-q', '--hard', 'HEAD~1');
  const removed = await service.remove(path, { rescue: false });
  expect(removed).toMatchObject({ removed: true, rescue: { name: 'w' } });
  await repo.git('-c', 'gc.pruneExpire=now', 'gc', '-q', '--prune=now');
  expect(await repo.git('cat-file', '-t', lost)).toBe('commit');
});

test('a rescue is restored to a named folder, and never over existing files', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const path = await start(repo, service);
  put(join(path, 'new.txt'), 'x');
  await service.remove(path, { rescue: true });
  const [rescue] = (await service.rescues(repo.path)) as readonly { readonly id: string }[];
  const id = rescue?.id ?? '';
  put(join(repo.tmp, 'full/there'), 'x');
  expect(await service.restoreRescue(repo.path, id, join(repo.tmp, 'full'))).toEqual({
    refused: expect.stringContaining('nothing is restored over existing files'),
  });
  expect(await service.restoreRescue(repo.path, id, join(repo.tmp, 'fresh'))).toMatchObject({
    path: join(repo.tmp, 'fresh'),
    files: 1,
  });
  expect(statSync(join(repo.tmp, 'fresh/new.txt')).size).toBe(1);
  expect(await service.restoreRescue(repo.path, '../../heads/main')).toEqual({
    refused: expect.stringContaining('There is no rescue'),
  });
  expect(await service.showRescue(repo.path, id)).toMatchObject({
    text: expect.stringContaining('file    new.txt'),
  });
  const later = worktreeBench(repo.env, { now: () => new Date(Date.now() + 31 * 86_400_000) });
  await later.sweep(repo.path, 365);
  expect(await service.rescues(repo.path)).toEqual([]);
});

test('files that change while they are saved are saved again', async () => {
  await using repo = await tempRepo();
  const path = worktreePath(repo, 'w');
  const late = join(repo.tmp, 'was-late');
  const env = shimGit(
    repo,
    `"$GIT" "$@"; code=$?; case "$*" in *refs/coppice/rescue/*) [ -e ${late} ] || { touch ${late}; echo late > ${path}/late.txt; };; esac; exit $code`,
  );
  const busy = worktreeBench(env);
  await start(repo, busy);
  put(join(path, 'first.txt'), 'x');
  const removed = await busy.remove(path, { rescue: true });
  expect(removed).toMatchObject({ rescue: { files: ['first.txt', 'late.txt'] } });
});
