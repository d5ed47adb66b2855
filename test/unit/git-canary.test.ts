import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGit } from '../../src/git/run.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';

/** A program that leaves a trace when it is run. */
const canary = (repo: TempRepo): { readonly command: string; readonly sang: () => boolean } => {
  const script = join(repo.tmp, 'canary.sh');
  const trace = join(repo.tmp, 'sang');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\nexit 0\n`);
  chmodSync(script, 0o755);
  return { command: script, sang: () => existsSync(trace) };
};

type Trap = readonly [name: string, lay: (repo: TempRepo, command: string) => Promise<unknown>];

const HOOKS = [
  'post-checkout',
  'reference-transaction',
  'post-index-change',
  'pre-commit',
  'pre-auto-gc',
  'post-merge',
  'fsmonitor-watchman',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-merge-commit',
];

const hooksIn = (folder: string, command: string) => {
  mkdirSync(folder, { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(join(folder, hook), `#!/bin/sh\nexec ${command} ${hook}\n`);
    chmodSync(join(folder, hook), 0o755);
  }
};

const attributes = (repo: TempRepo, text: string) =>
  repo
    .write('.gitattributes', text)
    .then(() => repo.git('add', '.gitattributes'))
    .then(() => repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'attributes'));

const traps: readonly Trap[] = [
  ['hooks', async (repo, command) => hooksIn(join(repo.path, '.git/hooks'), command)],
  [
    'a hooks path in the work tree',
    async (repo, command) => {
      hooksIn(join(repo.path, 'hooks'), command);
      await repo.git('config', 'core.hooksPath', 'hooks');
    },
  ],
  ['fsmonitor', (repo, command) => repo.git('config', 'core.fsmonitor', command)],
  ['a pager', (repo, command) => repo.git('config', 'core.pager', command)],
  [
    'clean and smudge filters',
    async (repo, command) => {
      await attributes(repo, '* filter=Evil.One\n');
      await repo.git('config', 'filter.Evil.One.smudge', command);
      await repo.git('config', 'filter.Evil.One.clean', command);
    },
  ],
  [
    'a required process filter',
    async (repo, command) => {
      await attributes(repo, '* filter=long\n');
      await repo.git('config', 'filter.long.process', command);
      await repo.git('config', 'filter.long.required', 'true');
    },
  ],
  [
    'filters in an included file',
    async (repo, command) => {
      await attributes(repo, '* filter=inc\n');
      writeFileSync(
        join(repo.path, '.git/more'),
        `[filter "inc"]\n\tsmudge = ${command}\n\tclean = ${command}\n`,
      );
      await repo.git('config', 'include.path', 'more');
    },
  ],
  [
    'filters of the worktree config',
    async (repo, command) => {
      await attributes(repo, '* filter=own\n');
      await repo.git('config', 'extensions.worktreeConfig', 'true');
      await repo.git('config', '--worktree', 'filter.own.smudge', command);
      await repo.git('config', '--worktree', 'filter.own.clean', command);
    },
  ],
  [
    'aliases',
    async (repo, command) => {
      for (const verb of ['status', 'worktree', 'log', 'diff', 'rev-parse', 'hash-object', 'stash'])
        await repo.git('config', `alias.${verb}`, `!${command}`);
    },
  ],
  [
    'an external diff and textconv',
    async (repo, command) => {
      await attributes(repo, '* diff=ext\n');
      await repo.git('config', 'diff.external', command);
      await repo.git('config', 'diff.ext.command', command);
      await repo.git('config', 'diff.ext.textconv', command);
    },
  ],
  [
    'ssh, askpass and credentials of a promisor remote',
    async (repo, command) => {
      await repo.git('config', 'core.sshCommand', command);
      await repo.git('config', 'core.askPass', command);
      await repo.git('config', 'credential.helper', `!${command}`);
      await repo.git('config', 'core.repositoryformatversion', '1');
      await repo.git('config', 'extensions.partialClone', 'origin');
      await repo.git('config', 'remote.origin.url', `ext::${command}`);
      await repo.git('config', 'remote.origin.promisor', 'true');
      await repo.git('config', 'protocol.ext.allow', 'always');
    },
  ],
  [
    'gpg and an editor',
    async (repo, command) => {
      await repo.git('config', 'gpg.program', command);
      await repo.git('config', 'commit.gpgSign', 'true');
      await repo.git('config', 'core.editor', command);
      await repo.git('config', 'log.showSignature', 'true');
    },
  ],
];

test.each(traps)('%s of the repository never run', async (_, lay) => {
  await using repo = await tempRepo();
  const { command, sang } = canary(repo);
  await lay(repo, command);
  const before = sang();
  const service = worktreeBench(repo.env);
  const made = await service.open(repo.path, { name: 'trap', owner: 'test' });
  if ('refused' in made) throw new Error(made.refused);
  writeFileSync(join(made.path, 'README.md'), 'changed\n');
  writeFileSync(join(made.path, 'new.txt'), 'new\n');
  await service.list(repo.path);
  expect(await service.survey(made.path)).toMatchObject({
    changed: expect.arrayContaining(['README.md']),
    untracked: ['new.txt'],
  });
  const removed = await service.remove(made.path, { rescue: true });
  expect(removed).toMatchObject({ removed: true });
  const id = 'rescue' in removed ? (removed.rescue?.id ?? '') : '';
  await service.showRescue(repo.path, id);
  expect(await service.restoreRescue(repo.path, id)).toMatchObject({ path: worktreePath(repo, 'trap') });
  await service.sweep(repo.path, 0);
  expect([before, sang()]).toEqual([false, false]);
});

test('the canary sings when git runs as a person would run it', async () => {
  await using repo = await tempRepo();
  const { command, sang } = canary(repo);
  hooksIn(join(repo.path, '.git/hooks'), command);
  execFileSync('git', ['worktree', 'add', '-q', join(repo.tmp, 'plain')], { cwd: repo.path, env: repo.env });
  expect(sang()).toBe(true);
});

test('filters of the person, not of the repository, do their work', async () => {
  await using repo = await tempRepo();
  writeFileSync(
    join(repo.home, '.gitconfig'),
    '[user]\n\tname = T\n\temail = t@example.com\n[filter "up"]\n\tclean = tr A-Z a-z\n\tsmudge = tr a-z A-Z\n',
  );
  await repo.write('.gitattributes', '*.up filter=up\n');
  await repo.write('word.up', 'word\n');
  await repo.git('add', '-A');
  await repo.git('commit', '-qm', 'up');
  await repo.git('config', 'filter.up.smudge', 'tr a-z x');
  const made = await worktreeBench(repo.env).open(repo.path, { name: 'own', owner: 'test' });
  expect('path' in made && (await repo.read(join(made.path, 'word.up')))).toBe('WORD\n');
});

test('git is found by an absolute path, never in a folder that is to be kept out, and sees no variables of ours', async () => {
  await using repo = await tempRepo();
  writeFileSync(join(repo.path, 'git'), '#!/bin/sh\n');
  chmodSync(join(repo.path, 'git'), 0o755);
  const found = findGit(
    {
      ...repo.env,
      PATH: `.:${repo.path}:${repo.env.PATH}`,
      GIT_DIR: '/evil',
      GIT_EXTERNAL_DIFF: 'evil',
      ANTHROPIC_API_KEY: 'k',
    },
    [repo.path],
  );
  expect([found?.binary.startsWith('/'), found?.binary.startsWith(repo.path)]).toEqual([true, false]);
  expect(
    Object.keys(found?.env ?? {}).filter((name) => /^(GIT_DIR|GIT_EXTERNAL_DIFF|ANTHROPIC)/.test(name)),
  ).toEqual([]);
});
