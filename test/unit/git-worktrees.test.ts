import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Worktree, Worktrees } from '../../src/contract/worktree.ts';
import { badName, readableName } from '../../src/git/names.ts';
import { quietGit } from '../../src/git/quiet.ts';
import { shimGit } from '../support/git-shim.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { deskBench, worktreeBench, worktreePath } from '../support/worktree-bench.ts';

const opened = async (service: Worktrees, at: string, name?: string): Promise<Worktree> => {
  const made = await service.open(at, { ...(name ? { name } : {}), owner: 'test' });
  if ('refused' in made) throw new Error(made.refused);
  return made;
};
const refusalOf = (answer: object): string =>
  'refused' in answer ? String(answer.refused) : `not refused: ${JSON.stringify(answer)}`;

/** Everything of the main checkout that a worktree must leave alone (ruling 42). */
const mainState = async (repo: TempRepo) => ({
  status: await repo.git('status', '--porcelain=v2', '--branch', '--untracked-files=all'),
  head: await repo.git('rev-parse', 'HEAD'),
  refs: (await repo.git('for-each-ref')).split('\n').filter((line) => !line.includes('refs/heads/worktree-')),
  index: readFileSync(join(repo.path, '.git/index')).toString('base64'),
});

const badNames = [
  '',
  '../x',
  '.git',
  '.',
  '..',
  '-b',
  '--force',
  'a/b',
  'a\\b',
  'a\0b',
  'a b',
  'x.lock',
  'x..y',
  'x.',
  'ä',
  '#12',
  '~',
  'x'.repeat(300),
  '$(id)',
  'a\nb',
  '.hidden',
  'x.GIT',
];
test.each(badNames)('the name %j is refused before anything is touched', async (name) => {
  expect(badName(name)).toMatch(/^[^\n\0]+\.$/);
});

test('a refused name leaves no trace', async () => {
  await using repo = await tempRepo();
  for (const name of ['../x', '-b', 'a\0b'])
    refusalOf(await worktreeBench(repo.env).open(repo.path, { name, owner: 'test' }));
  expect([existsSync(join(repo.path, '.coppice')), existsSync(join(repo.path, '.git/coppice'))]).toEqual([
    false,
    false,
  ]);
});

test('generated names are readable and pass their own check', () => {
  for (let at = 0; at < 200; at++) {
    const name = readableName();
    expect([name, badName(name)]).toEqual([expect.stringMatching(/^[a-z]+-[a-z]+-\d{3}$/), undefined]);
  }
});

test('a worktree has its own branch, folder and lock, and the main checkout stays as it was', async () => {
  await using repo = await tempRepo();
  await repo.write('README.md', 'changed by a person\n');
  const before = await mainState(repo);
  const made = await opened(worktreeBench(repo.env), repo.path, 'first');
  expect(made).toEqual({
    name: 'first',
    path: worktreePath(repo, 'first'),
    branch: 'worktree-first',
    root: repo.path,
    base: await repo.git('rev-parse', 'HEAD'),
    reopened: false,
    notes: [],
  });
  expect(readFileSync(join(made.path, 'README.md'), 'utf8')).toBe('# Sample\n');
  expect(await repo.git('worktree', 'list', '--porcelain')).toContain(
    `branch refs/heads/worktree-first\nlocked coppice: pid ${process.pid} `,
  );
  expect(await mainState(repo)).toEqual(before);
});

test('the same name opens the same worktree again, also after its branch alone was left', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const made = await opened(service, repo.path, 'again');
  writeFileSync(join(made.path, 'new.txt'), 'kept');
  expect(await opened(service, repo.path, 'again')).toMatchObject({ path: made.path, reopened: true });
  expect(readFileSync(join(made.path, 'new.txt'), 'utf8')).toBe('kept');
  execFileSync('git', ['-C', made.path, 'add', '.'], { env: repo.env });
  execFileSync('git', ['-C', made.path, 'commit', '-qm', 'Kept'], { env: repo.env });
  await repo.git('worktree', 'remove', '-f', '-f', made.path);
  expect((await opened(service, repo.path, 'again')).reopened).toBe(false);
  expect(readFileSync(join(made.path, 'new.txt'), 'utf8')).toBe('kept');
});

test('the base is the default branch of origin, or HEAD where settings say so', async () => {
  await using repo = await tempRepo();
  await repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
  await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  const fresh = await opened(worktreeBench(repo.env), repo.path, 'fresh');
  const head = await opened(worktreeBench(repo.env, { settings: { baseRef: 'head' } }), repo.path, 'head');
  expect([fresh.base, head.base]).toEqual([
    await repo.git('rev-parse', 'HEAD~1'),
    await repo.git('rev-parse', 'HEAD'),
  ]);
});

test('ignored files that .worktreeinclude names are copied, others and tracked ones are not', async () => {
  await using repo = await tempRepo({
    files: { '.gitignore': '.env*\nsecret/\n', '.worktreeinclude': '.env\n*.key\nsecret/\n' },
  });
  await repo.write('.env', 'A=1');
  await repo.write('.env.local', 'B=2');
  await repo.write('loose.key', 'not ignored');
  await repo.write('secret/deep/token', 'T');
  const { path } = await opened(worktreeBench(repo.env), repo.path, 'inc');
  expect(
    ['.env', '.env.local', 'loose.key', 'secret/deep/token'].map((file) => existsSync(join(path, file))),
  ).toEqual([true, false, false, true]);
  expect(await worktreeBench(repo.env).survey(path)).toMatchObject({ clean: true });
});

test('folders are linked by setting, kept out of commits, and go without what they lead to', async () => {
  await using repo = await tempRepo({ files: { '.gitignore': 'node_modules/\n' } });
  await repo.write('node_modules/a/index.js', 'module');
  const service = worktreeBench(repo.env, {
    settings: { symlinkDirectories: ['node_modules', '../out', '/etc', '.git'] },
  });
  const made = await opened(service, repo.path, 'links');
  expect([lstatSync(join(made.path, 'node_modules')).isSymbolicLink(), made.notes.length]).toEqual([true, 3]);
  expect(execFileSync('git', ['-C', made.path, 'status', '--porcelain'], { env: repo.env }).toString()).toBe(
    '',
  );
  expect(await service.remove(made.path, { rescue: false })).toMatchObject({ removed: true });
  expect(await repo.read('node_modules/a/index.js')).toBe('module');
});

test('a clean worktree goes with its branch', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const before = await mainState(repo);
  const { path } = await opened(service, repo.path, 'clean');
  mkdirSync(join(path, 'node_modules'));
  writeFileSync(join(path, 'README.md'), '# Sample\n');
  expect(await service.remove(path, { rescue: false })).toMatchObject({ removed: true });
  expect([
    existsSync(path),
    await repo.git('branch', '--list', 'worktree-*'),
    await repo.git('worktree', 'list', '--porcelain'),
  ]).toEqual([false, '', expect.not.stringContaining('clean')]);
  expect(await mainState(repo)).toEqual(before);
});

test('a process that lives keeps others out, and a dead one does not', async () => {
  await using repo = await tempRepo();
  const parent = worktreeBench(repo.env, { pid: process.ppid });
  const { path } = await opened(parent, repo.path, 'held');
  const mine = worktreeBench(repo.env);
  expect(refusalOf(await mine.open(repo.path, { name: 'held', owner: 'me' }))).toContain(
    `held by process ${process.ppid}`,
  );
  expect(refusalOf(await mine.remove(path, { rescue: true }))).toContain('held by process');
  const lock = join(repo.path, '.git/worktrees/held/locked');
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(/pid \d+ start \S+/, 'pid 4194999 start 1'));
  expect(await mine.open(repo.path, { name: 'held', owner: 'me' })).toMatchObject({ reopened: true });
  expect(readFileSync(lock, 'utf8')).toContain(`pid ${process.pid} `);
  writeFileSync(lock, 'mine, hands off');
  expect(refusalOf(await mine.remove(path, { rescue: true }))).toContain(
    'the lock of a person (mine, hands off)',
  );
});

test('two at once with one name: one is made, both are in it', async () => {
  await using repo = await tempRepo();
  const made = await Promise.all(
    [1, 2, 3].map(() => worktreeBench(repo.env).open(repo.path, { name: 'both', owner: 'test' })),
  );
  expect(made.map((one) => ('refused' in one ? one.refused : one.reopened)).sort()).toEqual([
    false,
    true,
    true,
  ]);
});

test('what git found half written by another one is read again', async () => {
  await using repo = await tempRepo();
  const tries = join(repo.tmp, 'tries');
  const env = shimGit(
    repo,
    `case "$*" in *'worktree add'*) echo x >> ${tries}; [ $(wc -l < ${tries}) -gt 3 ] || { echo 'fatal: failed to read .git/worktrees/other/commondir: Success' >&2; exit 128; };; esac; exec "$GIT" "$@"`,
  );
  expect(await opened(worktreeBench(env), repo.path, 'late')).toMatchObject({ reopened: false });
  expect(readFileSync(tries, 'utf8').trim().split('\n')).toHaveLength(4);
});

const nowhere: readonly (readonly [
  what: string,
  make: (repo: TempRepo) => string | Promise<string>,
  says: RegExp,
])[] = [
  ['outside git', (repo) => repo.tmp, /not in a git repository.*git init/],
  [
    'in an empty repository',
    async (repo) => {
      const path = join(repo.tmp, 'empty');
      mkdirSync(path);
      await repo.git('init', '-q', path);
      return path;
    },
    /no commit yet/,
  ],
  [
    'in a bare repository',
    async (repo) => {
      await repo.git('clone', '-q', '--bare', '.', join(repo.tmp, 'bare'));
      return join(repo.tmp, 'bare');
    },
    /bare repository/,
  ],
  ['inside .git', (repo) => join(repo.path, '.git'), /inside the folder of git itself/],
  ['in a folder that is gone', (repo) => join(repo.tmp, 'gone'), /folder is gone/],
  [
    'where core.worktree points elsewhere',
    async (repo) => {
      await repo.git('config', 'core.worktree', repo.home);
      return repo.path;
    },
    /core\.worktree|not in a checkout/,
  ],
  [
    'where .coppice is a link',
    (repo) => {
      symlinkSync(repo.home, join(repo.path, '.coppice'));
      return repo.path;
    },
    /is a link/,
  ],
];
test.each(nowhere)('%s it says why there is no worktree', async (_, make, says) => {
  await using repo = await tempRepo();
  expect(
    refusalOf(await worktreeBench(repo.env).open(await make(repo), { name: 'x', owner: 'test' })),
  ).toMatch(says);
  expect(existsSync(join(repo.home, 'worktrees'))).toBe(false);
});

const somewhere: readonly (readonly [what: string, make: (repo: TempRepo) => Promise<string>])[] = [
  ['in a folder of the repository', async (repo) => join(repo.path, 'src')],
  [
    'in a shallow clone',
    async (repo) => {
      const path = join(repo.tmp, 'shallow');
      await repo.git('clone', '-q', '--depth=1', `file://${repo.path}`, path);
      return path;
    },
  ],
  [
    'in a worktree of a bare repository',
    async (repo) => {
      const bare = join(repo.tmp, 'b.git');
      await repo.git('clone', '-q', '--bare', '.', bare);
      await repo.git('-C', bare, 'worktree', 'add', '-q', join(repo.tmp, 'wt'));
      return join(repo.tmp, 'wt');
    },
  ],
  [
    'in a submodule',
    async (repo) => {
      await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repo.path, 'sub');
      await repo.git('commit', '-qm', 'sub');
      return join(repo.path, 'sub');
    },
  ],
  [
    'on a detached HEAD',
    async (repo) => {
      await repo.git('checkout', '-q', '--detach');
      return repo.path;
    },
  ],
  [
    'in the middle of a rebase',
    async (repo) => {
      await repo.write('README.md', 'x');
      await repo.git('commit', '-qam', 'x');
      await repo.git('-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'HEAD~1');
      return repo.path;
    },
  ],
];
test.each(somewhere)('%s it works', async (_, make) => {
  await using repo = await tempRepo();
  const at = await make(repo);
  const service = worktreeBench(repo.env);
  const made = await opened(service, at, 'works');
  expect(realpathSync(made.path)).toBe(made.path);
  expect(await service.survey(made.path)).toMatchObject({ clean: true });
  expect(await service.remove(made.path, { rescue: false })).toMatchObject({ removed: true });
});

test('inside a worktree a new one lies beside it, not within', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const outer = await opened(service, repo.path, 'outer');
  expect((await opened(service, outer.path, 'inner')).path).toBe(worktreePath(repo, 'inner'));
});

test('a worktree whose folder a person removed is made anew, and what was staged in it is saved', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const { path } = await opened(service, repo.path, 'lost');
  writeFileSync(join(path, 'staged.txt'), 'only in the index');
  execFileSync('git', ['-C', path, 'add', '.'], { env: repo.env });
  rmSync(path, { recursive: true });
  const again = await opened(service, repo.path, 'lost');
  expect(again.notes.join()).toMatch(/lost its folder.*rescue restore lost-/);
  const [saved] = (await service.rescues(repo.path)) as readonly { id: string }[];
  const back = await service.restoreRescue(repo.path, saved?.id ?? '');
  expect(
    'path' in back &&
      execFileSync('git', ['-C', back.path, 'show', ':staged.txt'], { env: repo.env }).toString(),
  ).toBe('only in the index');
});

test.each([
  ['HEAD', true],
  ['commondir', true],
  ['HEAD', false],
  ['.', true],
])(
  'what git left without its %s is put aside, and the worktree is made anew (a mark of ours: %s)',
  async (gone, marked) => {
    await using repo = await tempRepo();
    const dead = worktreeBench(repo.env, { pid: 4_194_999 });
    await dead.open(repo.path, { name: 'half', owner: 'dead' });
    const path = worktreePath(repo, 'half');
    writeFileSync(join(path, 'mine.txt'), 'mine');
    rmSync(join(repo.path, '.git/worktrees/half', gone), { recursive: true });
    if (marked) writeFileSync(join(repo.path, '.git/coppice/half.creating'), '{}');
    const service = worktreeBench(repo.env);
    const told = [...(await service.sweep(repo.path, 30))];
    const made = await service.open(repo.path, { name: 'half', owner: 'test' });
    if ('refused' in made) throw new Error(made.refused);
    told.push(...made.notes);
    const aside = /lies in (\S+);/.exec(told.join(' '))?.[1] ?? '(it was not told)';
    expect([readFileSync(join(aside, 'mine.txt'), 'utf8'), existsSync(join(path, 'mine.txt'))]).toEqual([
      'mine',
      false,
    ]);
    expect(await service.survey(path)).toMatchObject({ clean: true });
  },
);

test.each([
  ['and the worktree is made', true, false],
  ['after a sweep as well', true, true],
  ['also where nothing else tells of it', false, false],
])('what a killed git keeps locked of a branch of ours is free again, %s', async (_, marked, swept) => {
  await using repo = await tempRepo();
  const lock = join(repo.path, '.git/refs/heads/worktree-half.lock');
  const service = worktreeBench(repo.env);
  if (marked) {
    mkdirSync(join(repo.path, '.git/coppice'));
    writeFileSync(join(repo.path, '.git/coppice/half.creating'), '{}');
  }
  writeFileSync(lock, '');
  if (swept) await service.sweep(repo.path, 30);
  expect(existsSync(lock)).toBe(!swept);
  const made = await service.open(repo.path, { name: 'half', owner: 'test' });
  expect(made).toMatchObject({ branch: 'worktree-half', reopened: false });
  execFileSync('git', ['-C', worktreePath(repo, 'half'), 'commit', '-q', '--allow-empty', '-m', 'x'], {
    env: repo.env,
  });
});

test('a worktree whose .git went missing is not taken for the main checkout around it', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const path = worktreePath(repo, 'w');
  await service.open(repo.path, { name: 'w', owner: 'test' });
  writeFileSync(join(path, 'mine.txt'), 'mine');
  await repo.write('README.md', 'changed in the main checkout\n');
  rmSync(join(path, '.git'));
  expect(await service.survey(path)).toMatchObject({ changed: [], untracked: ['mine.txt'] });
  rmSync(join(path, '.git'));
  expect(await deskBench(repo.env).preview(repo.path, 'w')).toMatchObject({ files: ['mine.txt'] });
  rmSync(join(path, '.git'));
  await repo.git('init', '-q', path);
  expect(refusalOf(await service.survey(path))).toContain('its .git leads elsewhere');
  expect(refusalOf(await service.remove(path, { rescue: true }))).toContain('its .git leads elsewhere');
  expect([existsSync(join(path, 'mine.txt')), await repo.read('README.md')]).toEqual([
    true,
    'changed in the main checkout\n',
  ]);
});

test('a worktree that was replaced by a link is neither entered nor removed', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  const { path } = await opened(service, repo.path, 'linked');
  rmSync(path, { recursive: true });
  writeFileSync(join(repo.home, 'precious'), 'x');
  symlinkSync(repo.home, path);
  expect(refusalOf(await service.open(repo.path, { name: 'linked', owner: 'test' }))).toContain(
    'is a link now',
  );
  expect(refusalOf(await service.remove(path, { rescue: true }))).toContain('is a link now');
  expect(existsSync(join(repo.home, 'precious'))).toBe(true);
});

test('what git does not know as a worktree of ours is never removed', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  mkdirSync(worktreePath(repo, 'fake'), { recursive: true });
  await repo.git('worktree', 'add', '-q', join(repo.tmp, 'theirs'));
  for (const path of [worktreePath(repo, 'fake'), repo.path, repo.home, join(repo.tmp, 'theirs')])
    expect(refusalOf(await service.remove(path, { rescue: true }))).toMatch(
      /not a worktree|made by somebody else/,
    );
  expect(existsSync(join(repo.tmp, 'theirs/README.md'))).toBe(true);
});

test('a read-only folder of git is named in the refusal', async () => {
  await using repo = await tempRepo();
  await repo.write('.git/worktrees', 'a file in the way');
  expect(refusalOf(await worktreeBench(repo.env).open(repo.path, { name: 'ro', owner: 'test' }))).toMatch(
    /could not be made: .*worktrees/,
  );
});

test('a list names owner, age, size and state', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  await opened(service, repo.path, 'a');
  const { path } = await opened(service, repo.path, 'b');
  writeFileSync(join(path, 'new.txt'), '12345');
  expect(await service.list(repo.path)).toMatchObject([
    { name: 'a', owner: 'this program', state: 'clean', branch: 'worktree-a' },
    { name: 'b', state: 'work', holds: '1 untracked file', bytes: expect.any(Number) },
  ]);
});

test('a sweep takes old worktrees that hold nothing, and skips work, living owners and young ones', async () => {
  await using repo = await tempRepo();
  const service = worktreeBench(repo.env);
  for (const name of ['old', 'work', 'held']) await opened(service, repo.path, name);
  writeFileSync(join(worktreePath(repo, 'work'), 'new.txt'), 'x');
  await service.release(worktreePath(repo, 'old'));
  await service.release(worktreePath(repo, 'work'));
  expect(await service.sweep(repo.path, 30)).toEqual([]);
  const later = worktreeBench(repo.env, { now: () => new Date(Date.now() + 40 * 86_400_000) });
  expect(await later.sweep(repo.path, 30)).toEqual([expect.stringContaining('The worktree old was')]);
  expect(['old', 'work', 'held'].map((name) => existsSync(worktreePath(repo, name)))).toEqual([
    false,
    true,
    true,
  ]);
});

test.each([...['HEAD', 'config', 'index', 'sharedindex.1', 'objects/info/alternates', '../.gitignore']])(
  'a pipe in the place of .git/%s is named, and nothing waits for it',
  async (name) => {
    await using repo = await tempRepo();
    const service = worktreeBench(repo.env);
    const { path } = await opened(service, repo.path, 'there');
    const pipe = join(repo.path, '.git', name);
    rmSync(pipe, { force: true });
    execFileSync('mkfifo', [pipe]);
    const says = `${pipe} is a pipe or a device where git expects a file`;
    expect(refusalOf(await service.open(repo.path, { name: 'x', owner: 'test' }))).toContain(says);
    expect(refusalOf(await service.list(repo.path))).toContain(says);
    await expect(quietGit([repo.path], repo.env)).rejects.toThrow(says);
    expect(await service.sweep(repo.path, 0)).toEqual([]);
    rmSync(pipe);
    const own = join(repo.path, '.git/worktrees/there/index');
    rmSync(own);
    execFileSync('mkfifo', [own]);
    for (const answer of [service.survey(path), service.remove(path, { rescue: true })])
      expect(refusalOf(await answer)).toContain(`${own} is a pipe`);
  },
);
