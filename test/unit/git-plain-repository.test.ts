import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainFacts } from '../../src/git/plain-repository.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';

type Make = (repo: TempRepo) => unknown;

const folder: Make = (repo) => mkdirSync(join(repo.path, 'deep/er'), { recursive: true });

test.each<[string, Make, string?]>([
  ['as it begins', () => undefined],
  ['from a folder inside', folder, 'deep/er'],
  ['with packed refs', (repo) => repo.git('pack-refs', '--all')],
  [
    'with a newer loose ref than the packed one',
    async (repo) => {
      await repo.git('pack-refs', '--all');
      await repo.git('commit', '-q', '--allow-empty', '-m', 'Next');
    },
  ],
  ['detached', (repo) => repo.git('checkout', '-q', '--detach')],
  ['without a commit', (repo) => repo.git('checkout', '-q', '--orphan', 'empty')],
  ['in a linked worktree', (repo) => repo.git('worktree', 'add', '-q', '-b', 'other', 'tree'), 'tree'],
  [
    'with an origin',
    async (repo) => {
      await repo.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
      await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    },
  ],
])('the files of a repository %s say what git says', async (_, make, at = '.') => {
  await using repo = await tempRepo();
  await repo.git('branch', 'wished');
  await make(repo);
  const place = join(repo.path, at);
  const said = (name: string) =>
    repo.git('-C', place, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => undefined);
  const where = (option: string) => repo.git('-C', place, 'rev-parse', '--path-format=absolute', option);
  expect(plainFacts(place, 'wished')).toEqual({
    checkout: await where('--show-toplevel'),
    gitDir: await where('--git-dir'),
    commonDir: await where('--git-common-dir'),
    head: await said('HEAD'),
    originHead: await said('refs/remotes/origin/HEAD'),
    tip: await said('refs/heads/wished'),
  });
});

const config =
  (text: string): Make =>
  (repo) =>
    appendFileSync(join(repo.path, '.git/config'), text);
const bare: Make = (repo) => repo.git('init', '-q', '--bare', 'deep');

test.each<[string, Make, string?]>([
  ['a filter', config('[FILTER "x"]\n\tclean = run\n')],
  ['a merge driver', config('[merge "x"]\n\tdriver = run\n')],
  ['conversion for display', config('[diff "x"]\n\ttextconv = run\n')],
  ['an external diff', config('[diff "x"] command = run\n')],
  ['another file', config('[include]\n\tpath = other\n')],
  ['options for each merge', config('[branch "main"]\n\tmergeOptions = -s run\n')],
  ['a program for signatures', config('[gpg]\n\tprogram = run\n')],
  ['a hook by configuration', config('[hook "x"]\n\tcommand = run\n')],
  ['another folder for its files', config('[core]\n\tworktree = /\n')],
  ['no folder for files', config('[core]\n\tbare\n')],
  ['a bare repository inside', bare, 'deep/refs'],
  ['another form of refs', config('[extensions]\n\trefStorage = reftable\n')],
  [
    'a pipe for HEAD',
    (repo) => {
      rmSync(join(repo.path, '.git/HEAD'));
      execFileSync('mkfifo', [join(repo.path, '.git/HEAD')]);
    },
  ],
  [
    'a link for .git',
    async (repo) => {
      await repo.git('init', '-q', 'inner');
      rmSync(join(repo.path, 'inner/.git'), { recursive: true });
      symlinkSync(join(repo.path, '.git'), join(repo.path, 'inner/.git'));
    },
    'inner',
  ],
  ['a branch that is no ref', (repo) => writeFileSync(join(repo.path, '.git/refs/heads/wished'), 'what\n')],
])('%s is for git to tell', async (_, make, at = '.') => {
  await using repo = await tempRepo();
  await make(repo);
  expect(plainFacts(join(repo.path, at), 'wished')).toBeUndefined();
});
