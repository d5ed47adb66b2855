import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCheckpoints } from '../../src/checkpoints/checkpoints.ts';
import type { SessionState } from '../../src/contract/state.ts';
import { quietGit } from '../../src/git/quiet.ts';
import { findGit, runGit } from '../../src/git/run.ts';
import { type Canary, canary, TRAPS } from '../support/git-traps.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { deskBench, worktreeBench, worktreePath } from '../support/worktree-bench.ts';

/** Runs one thing and answers its name when the trap sang. */
const heard = async (
  { sang, hush }: Canary,
  name: string,
  work: () => unknown,
): Promise<readonly string[]> => {
  await work();
  const found = sang() ? [name] : [];
  hush();
  return found;
};

const READS = ['git status', 'git diff', 'git diff HEAD~1', 'git log -p', 'git show', 'git blame README.md'];

const bash = (repo: TempRepo, command: string, env = repo.env) =>
  spawnSync('bash', ['-c', command], {
    cwd: repo.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  });

/** What the model runs to look around. */
const reads = async (repo: TempRepo, bird: Canary): Promise<readonly string[]> => {
  const env = await quietGit([repo.path], repo.env);
  const birdsong: string[] = [];
  for (const command of READS) birdsong.push(...(await heard(bird, command, () => bash(repo, command, env))));
  return birdsong;
};

const worktrees = async (repo: TempRepo, bird: Canary): Promise<readonly string[]> => {
  const service = worktreeBench(repo.env);
  const desk = deskBench(repo.env);
  const path = (name: string) => worktreePath(repo, name);
  const birdsong: string[] = [];
  const hear = async (name: string, work: () => unknown) => birdsong.push(...(await heard(bird, name, work)));
  for (const name of ['one', 'two'])
    await hear(`open ${name}`, async () =>
      expect(await service.open(repo.path, { name, owner: 'test' })).toMatchObject({ path: path(name) }),
    );
  writeFileSync(join(path('one'), 'README.md'), 'changed\n');
  writeFileSync(join(path('one'), 'new.txt'), 'new\n');
  writeFileSync(join(path('two'), 'src/main.ts'), 'two\n');
  await hear('list', () => service.list(repo.path));
  await hear('survey', async () =>
    expect(await service.survey(path('one'))).toMatchObject({
      changed: expect.arrayContaining(['README.md']),
      untracked: ['new.txt'],
    }),
  );
  await hear('overlaps', () => desk.overlaps(repo.path, ['one', 'two']));
  await hear('preview', () => desk.preview(repo.path, 'one'));
  await hear('diff', () => desk.diff(repo.path, 'one'));
  await hear('pick', async () => expect(await desk.pick(repo.path, 'two')).toEqual({ picked: 1 }));
  await hear('merge', async () => expect(await desk.queue(repo.path, ['one'])).toEqual({ merged: ['one'] }));
  let id = '';
  await hear('remove', async () => {
    const removed = await service.remove(path('one'), { rescue: true });
    expect(removed).toMatchObject({ removed: true });
    id = 'rescue' in removed ? (removed.rescue?.id ?? '') : '';
  });
  await hear('show', () => service.showRescue(repo.path, id));
  await hear('restore', async () =>
    expect(await service.restoreRescue(repo.path, id)).toMatchObject({ path: path('one') }),
  );
  await hear('sweep', () => service.sweep(repo.path, 0));
  return birdsong;
};

const checkpoints = (repo: TempRepo, bird: Canary): Promise<readonly string[]> => {
  const program = findGit(repo.env, []);
  const history = createCheckpoints({
    folder: async () => join(repo.tmp, 'checkpoints'),
    git: program && ((cwd, args, options) => runGit(program, cwd, args, options)),
    never: [],
    now: () => 1,
    trouble: (text) => expect.unreachable(text),
  });
  const state = { id: 'a', agent: { type: 'main' }, checkout: repo.path } as unknown as SessionState;
  return heard(bird, 'checkpoints', async () => {
    await history.before({ id: 'call', state, tool: 'Bash', subject: 'x' });
    writeFileSync(join(repo.path, 'README.md'), 'by a command');
    history.after('call');
    expect((await history.diff(await history.steps())).text).toContain('by a command');
    await history.restore(await history.planSince(0), { foreign: 'keep', why: 'test' });
  });
};

test.each(TRAPS)('$name of the repository never run', async ({ lay, sings }) => {
  await using repo = await tempRepo();
  const bird = canary(repo);
  await lay(repo, bird.command);
  bird.hush();
  expect(await checkpoints(repo, bird)).toEqual([]);
  expect(await reads(repo, bird)).toEqual([]);
  expect(await worktrees(repo, bird)).toEqual([]);
  bash(repo, sings);
  expect(bird.sang(), 'the trap is set: it snaps for a person').toBe(true);
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

test('git of the model that only reads is not looked for in the project', async () => {
  await using repo = await tempRepo();
  const { command, sang } = canary(repo);
  writeFileSync(join(repo.path, 'git'), `#!/bin/sh\nexec ${command}\n`);
  chmodSync(join(repo.path, 'git'), 0o755);
  const PATH = `.:${repo.path}:${repo.env.PATH}`;
  const env = await quietGit([repo.path], { ...repo.env, PATH }, [repo.path]);
  const ran = bash(repo, 'git rev-parse HEAD', env);
  expect([ran.stdout.toString().trim(), sang(), existsSync(command)]).toEqual([
    await repo.git('rev-parse', 'HEAD'),
    false,
    true,
  ]);
});
