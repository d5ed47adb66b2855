import { execFileSync } from 'node:child_process';
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
import { topOf } from '../../src/checkpoints/plan.ts';
import type { CheckpointStep } from '../../src/contract/checkpoint.ts';
import { back, bench, put, type Refusal } from '../support/checkpoint-bench.ts';
import { tempRepo } from '../support/repo.ts';

test('edits and commands of any agent are put back, byte for byte', async () => {
  await using repo = await tempRepo({
    files: {
      'a.txt': 'a\r\n',
      'b.bin': Buffer.from([0, 255, 13, 10]),
      'gone.txt': 'gone',
      '.gitignore': '*.log\n',
    },
  });
  await repo.write('loose.txt', 'untracked');
  chmodSync(join(repo.path, 'gone.txt'), 0o755);
  symlinkSync('a.txt', join(repo.path, 'link'));
  const { history, edit, bash, said } = bench(repo);
  await edit('a.txt', 'edited');
  await bash(() => {
    put(join(repo.path, 'b.bin'), 'bash');
    rmSync(join(repo.path, 'gone.txt'));
    rmSync(join(repo.path, 'link'));
    put(join(repo.path, 'new/deep/file.txt'), 'n');
    put(join(repo.path, 'x.log'), 'ignored');
    put(join(repo.path, 'loose.txt'), 'changed');
  }, 'helper');
  await edit('made.txt', 'made', 'helper');
  const done = await back(history, 0);
  expect([done.skipped, said]).toEqual([[], []]);
  expect([
    readFileSync(join(repo.path, 'a.txt'), 'utf8'),
    readFileSync(join(repo.path, 'b.bin')).toJSON().data,
    readFileSync(join(repo.path, 'gone.txt'), 'utf8'),
    readFileSync(join(repo.path, 'loose.txt'), 'utf8'),
    readlinkSync(join(repo.path, 'link')),
  ]).toEqual(['a\r\n', [0, 255, 13, 10], 'gone', 'untracked', 'a.txt']);
  expect([
    statSync(join(repo.path, 'gone.txt')).mode & 0o777,
    existsSync(join(repo.path, 'new')),
    existsSync(join(repo.path, 'made.txt')),
    existsSync(join(repo.path, 'x.log')),
  ]).toEqual([0o755, false, false, true]);
  expect(await repo.git('status', '--porcelain')).toContain('?? loose.txt');
});

test('going back to the middle keeps what came before it', async () => {
  await using repo = await tempRepo();
  const { history, edit, bash } = bench(repo);
  await edit('one.txt', '1');
  await bash(() => put(join(repo.path, 'two.txt'), '2'));
  const [, second] = await history.steps();
  await edit('one.txt', '1 again');
  await back(history, second?.at ?? 0);
  expect([readFileSync(join(repo.path, 'one.txt'), 'utf8'), existsSync(join(repo.path, 'two.txt'))]).toEqual([
    '1',
    false,
  ]);
});

test('what a person changed meanwhile is seen, and only overwritten on demand', async () => {
  await using repo = await tempRepo();
  const { history, edit } = bench(repo);
  await edit('README.md', 'by the agent');
  await edit('other.txt', 'by the agent');
  await history.steps();
  await repo.write('README.md', 'by a person');
  const plan = await history.planSince(0);
  expect(plan.files.map(({ path, foreign }) => [path, foreign])).toEqual([
    [join(repo.path, 'README.md'), true],
    [join(repo.path, 'other.txt'), false],
  ]);
  const done = await history.restore(plan, { foreign: 'keep', why: 'test' });
  expect([done.restored, done.skipped]).toEqual([
    [join(repo.path, 'other.txt')],
    [{ path: join(repo.path, 'README.md'), why: 'somebody else changed it too' }],
  ]);
  expect(await repo.read('README.md')).toBe('by a person');
  await back(history, 0, 'overwrite');
  expect(await repo.read('README.md')).toBe('# Sample\n');
});

test('what a person wrote between two calls counts as theirs', async () => {
  await using repo = await tempRepo();
  const { history, edit } = bench(repo);
  await edit('README.md', 'first');
  await history.steps();
  await repo.write('README.md', 'a person in between');
  await edit('README.md', 'second');
  expect((await history.planSince(0)).files).toMatchObject([{ foreign: true }]);
});

test('a rewind can be taken back, and that too', async () => {
  await using repo = await tempRepo();
  const { history, edit, bash } = bench(repo);
  await edit('README.md', 'edited');
  await bash(() => put(join(repo.path, 'new.txt'), 'new'));
  await back(history, 0);
  const undo = async () => {
    const step = (await history.steps()).findLast(({ tool }) => tool === 'rewind');
    if (!step) throw new Error('no rewind is recorded');
    await history.restore(await history.planOf(step), { foreign: 'keep', why: 'undo' });
  };
  await undo();
  expect([await repo.read('README.md'), await repo.read('new.txt')]).toEqual(['edited', 'new']);
  await undo();
  expect([await repo.read('README.md'), existsSync(join(repo.path, 'new.txt'))]).toEqual([
    '# Sample\n',
    false,
  ]);
});

test('it works outside a repository, and says so where a folder is too wide', async () => {
  await using repo = await tempRepo();
  const loose = join(repo.tmp, 'loose');
  put(join(loose, 'a.txt'), 'a');
  const one = bench(repo, loose);
  await one.bash(() => {
    put(join(loose, 'a.txt'), 'b');
    put(join(loose, 'c/d.txt'), 'd');
  });
  await back(one.history, 0);
  expect([readFileSync(join(loose, 'a.txt'), 'utf8'), existsSync(join(loose, 'c'))]).toEqual(['a', false]);
  const wide = bench({ ...repo, state: join(repo.tmp, 's2') }, repo.home);
  await wide.bash(() => put(join(repo.home, 'x'), 'x'));
  await wide.edit('y', 'y');
  expect(wide.said).toEqual([expect.stringContaining('too wide a folder')]);
  expect((await wide.history.planSince(0)).files.map(({ path }) => path)).toEqual([join(repo.home, 'y')]);
});

test('without git edits are recorded still', async () => {
  await using repo = await tempRepo();
  const { history, edit, bash, said } = bench(repo, repo.path, false);
  await edit('README.md', 'edited');
  for (const name of ['x', 'y']) await bash(() => put(join(repo.path, name), name));
  expect((await back(history, 0)).restored).toEqual([join(repo.path, 'README.md')]);
  expect(said).toEqual([expect.stringContaining('git was not found on PATH')]);
});

test('files with line ends that git changes come back as they were', async () => {
  await using repo = await tempRepo({
    files: { '.gitattributes': '* text=auto eol=lf\n', 'win.txt': 'a\nb\n' },
  });
  await repo.write('win.txt', 'a\r\nb\r\n');
  await repo.git('add', '--renormalize', '.');
  const { history, bash } = bench(repo);
  await bash(() => put(join(repo.path, 'win.txt'), 'x'));
  await back(history, 0);
  expect(await repo.read('win.txt')).toBe('a\r\nb\r\n');
});

test.each([
  ['store', 'an edit'],
  ['store', 'a command'],
  ['journal.jsonl', 'an edit'],
])(
  'where %s cannot be written, %s says once that nothing is recorded, and again is when it can',
  async (part, what) => {
    await using repo = await tempRepo();
    const { history, said, edit, bash } = bench(repo);
    const blocked = join(repo.state, 'checkpoints', part);
    mkdirSync(dirname(blocked), { recursive: true });
    if (part === 'store') writeFileSync(blocked, '');
    else mkdirSync(blocked);
    const change = (text: string) =>
      what === 'an edit' ? edit('README.md', text) : bash(() => put(join(repo.path, 'README.md'), text));
    await change('one');
    await change('two');
    expect(await history.steps()).toEqual([]);
    expect(said).toEqual([expect.stringMatching(/^Changes of files are not recorded for \/rewind: /)]);
    rmSync(blocked, { recursive: true });
    await change('three');
    expect((await history.steps()).length).toBe(1);
  },
);

test('a huge file is not kept, and going back says so', async () => {
  await using repo = await tempRepo();
  await repo.write('huge.bin', Buffer.alloc(10_000_001));
  const { history, edit, bash } = bench(repo);
  await edit('huge.bin', 'small now');
  await bash(() => put(join(repo.path, 'b.txt'), 'b'));
  const plan = await history.planSince(0);
  expect(plan.lost).toEqual([{ path: join(repo.path, 'huge.bin'), why: 'it is larger than 10 MB' }]);
  expect(plan.files.map(({ path }) => path)).toEqual([join(repo.path, 'b.txt')]);
});

test('a file that grew too large, and one that git cannot read, keep nothing else from being recorded', async () => {
  await using repo = await tempRepo({ files: { 'log.txt': 'small', 'locked.txt': 'l' } });
  const one = bench(repo);
  await one.bash(() => {
    put(join(repo.path, 'log.txt'), Buffer.alloc(10_000_001));
    put(join(repo.path, 'b.txt'), 'b');
  });
  await one.bash(() => put(join(repo.path, 'b.txt'), 'c'));
  const plan = await one.history.planSince(0);
  expect([plan.lost, plan.files.map(({ path, foreign }) => [path, foreign]), one.said]).toEqual([
    [{ path: join(repo.path, 'log.txt'), why: 'it is larger than 10 MB' }],
    [[join(repo.path, 'b.txt'), false]],
    [],
  ]);
  const locked: Refusal = (args, input) =>
    args.includes('--stdin') && input.includes('locked.txt')
      ? 'error: open("locked.txt"): Permission denied\nfatal: Unable to process path locked.txt\n'
      : undefined;
  const two = bench({ ...repo, state: join(repo.tmp, 'other') }, repo.path, true, locked);
  await two.bash(() => {
    put(join(repo.path, 'locked.txt'), 'x');
    put(join(repo.path, 'b.txt'), 'd');
  });
  expect([(await two.history.planSince(0)).files.map(({ path }) => path), two.said]).toEqual([
    [join(repo.path, 'b.txt')],
    [],
  ]);
});

test('nothing of the repository is touched or run: its index, its objects, its configuration', async () => {
  await using repo = await tempRepo();
  const sang = join(repo.tmp, 'sang');
  await repo.git('config', 'core.fsmonitor', `touch ${sang}`);
  await repo.git('config', 'filter.x.clean', `touch ${sang}; cat`);
  await repo.write('.gitattributes', '* filter=x\n');
  const before = {
    index: readFileSync(join(repo.path, '.git/index')),
    objects: execFileSync('find', [join(repo.path, '.git/objects')]).toString(),
  };
  const { history, bash } = bench(repo);
  await bash(() => put(join(repo.path, 'README.md'), 'x'));
  await back(history, 0);
  expect([await repo.read('README.md'), existsSync(sang)]).toEqual(['# Sample\n', false]);
  expect({
    index: readFileSync(join(repo.path, '.git/index')),
    objects: execFileSync('find', [join(repo.path, '.git/objects')]).toString(),
  }).toEqual(before);
});

test('an edit starts no process, an unchanged checkout two, and only changed files are stored', async () => {
  await using repo = await tempRepo();
  const { history, edit, bash, ran } = bench(repo);
  await edit('README.md', 'x');
  await history.steps();
  expect(ran).toEqual([]);
  await bash(() => undefined);
  await history.steps();
  const from = ran.length;
  await bash(() => undefined);
  await history.steps();
  expect(ran.slice(from)).toEqual(['diff-files', 'ls-files', 'diff-files', 'ls-files']);
  const objects = execFileSync('find', [join(repo.state, 'checkpoints/store/objects'), '-type', 'f'])
    .toString()
    .trim()
    .split('\n');
  // Two versions of one file, three trees, the list of alternates.
  expect(objects.length).toBeLessThanOrEqual(6);
  expect(lstatSync(join(repo.state, 'checkpoints/journal.jsonl')).mode & 0o777).toBe(0o600);
});

test('what the first command costs is paid while it is being written, and nothing is said of it', async () => {
  await using repo = await tempRepo();
  const { history, bash, ran, said } = bench(repo);
  history.ahead(repo.path);
  history.ahead(repo.path);
  await history.steps();
  const before = ran.length;
  expect(ran.filter((name) => name === 'write-tree')).toHaveLength(1);
  await bash(() => put(join(repo.path, 'new.txt'), 'new'));
  await history.steps();
  const later = ran.slice(before);
  expect(later.slice(0, 2).toSorted()).toEqual(['diff-files', 'ls-files']);
  expect(later.slice(2, 4).toSorted()).toEqual(['diff-files', 'ls-files']);
  expect(later.filter((name) => name === 'write-tree')).toHaveLength(1);
  history.ahead(repo.home);
  await history.steps();
  expect(said).toEqual([]);
});

test('work in submodules and in repositories inside is put back too, in theirs as well as in ours nothing is touched', async () => {
  await using repo = await tempRepo();
  const git = (at: string, ...args: string[]) =>
    execFileSync('git', ['-C', at, '-c', 'protocol.file.allow=always', ...args], {
      env: repo.env,
      stdio: 'pipe',
    }).toString();
  const upstream = join(repo.tmp, 'upstream');
  git(repo.tmp, 'clone', '-q', repo.path, upstream);
  git(repo.path, 'submodule', '--quiet', 'add', upstream, 'sub');
  git(repo.path, 'commit', '-qm', 'Add a submodule');
  const nested = join(repo.path, 'deep/nested');
  git(repo.tmp, 'clone', '-q', upstream, nested);
  git(repo.tmp, 'clone', '-q', upstream, join(nested, 'within'));
  writeFileSync(join(nested, '.git/info/exclude'), 'own.txt\n');
  const places = [join(repo.path, 'sub'), nested, join(nested, 'within')];
  for (const at of places) put(join(at, 'mine.txt'), 'mine');
  const statuses = () => places.map((at) => git(at, 'status', '--porcelain'));
  const before = statuses();
  const { history, bash, ran, said } = bench(repo);
  await bash(() => {
    for (const at of places) {
      put(join(at, 'README.md'), 'changed');
      put(join(at, 'new.txt'), 'new');
      rmSync(join(at, 'mine.txt'));
    }
    put(join(nested, 'own.txt'), 'excluded there');
    put(join(repo.path, 'own.txt'), 'not excluded here');
  });
  await history.steps();
  const started = ran.length;
  await bash(() => undefined);
  await history.steps();
  expect(ran.length - started).toBe(4 * 2 * 2);
  const done = await back(history, 0);
  expect(done.skipped).toEqual([]);
  expect(statuses()).toEqual(before);
  expect([existsSync(join(nested, 'own.txt')), existsSync(join(repo.path, 'own.txt'))]).toEqual([
    true,
    false,
  ]);
  for (const at of places) expect(readFileSync(join(at, 'mine.txt'), 'utf8')).toBe('mine');
  const [last] = (await history.steps()).slice(-1);
  expect(last?.tool).toBe('rewind');
  await bash(() => rmSync(nested, { recursive: true }));
  await bash(() => git(repo.tmp, 'clone', '-q', upstream, join(repo.path, 'fresh')));
  const steps = await history.steps();
  await history.restore(await history.planOf(steps.at(-1) as CheckpointStep), { foreign: 'keep', why: 'x' });
  expect(readFileSync(join(nested, 'within/mine.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(join(repo.path, 'fresh/README.md'), 'utf8')).toBe('# Sample\n');
  expect(said).toEqual([]);
});

test('a crash in the middle of a call loses neither the state before it nor the list', async () => {
  await using repo = await tempRepo();
  const first = bench(repo);
  await first.history.before({ id: 'cut', state: first.state(), tool: 'Bash', subject: 'cut off' });
  put(join(repo.path, 'README.md'), 'half done');
  put(
    join(repo.state, 'checkpoints/journal.jsonl'),
    `${readFileSync(join(repo.state, 'checkpoints/journal.jsonl'), 'utf8')}{"type":"beg`,
  );
  const second = bench(repo);
  await second.edit('later.txt', 'later');
  const plan = await second.history.planSince(0);
  expect(plan.files.map(({ path, foreign }) => [path, foreign])).toEqual(
    expect.arrayContaining([
      [join(repo.path, 'README.md'), true],
      [join(repo.path, 'later.txt'), expect.any(Boolean)],
    ]),
  );
  await second.history.restore(plan, { foreign: 'overwrite', why: 'test' });
  expect(await repo.read('README.md')).toBe('# Sample\n');
});

test('calls of agents that run side by side are not taken for a person', async () => {
  await using repo = await tempRepo();
  const { history, state } = bench(repo);
  const call = (id: string) => history.before({ id, state: state(id), tool: 'Bash', subject: id });
  await call('a');
  await call('b');
  put(join(repo.path, 'README.md'), 'by b');
  put(join(repo.path, 'b.txt'), 'b');
  history.after('b');
  await history.steps();
  put(join(repo.path, 'README.md'), 'by a');
  history.after('a');
  const { files } = await history.planSince(0);
  expect(files.map(({ path, foreign }) => [path, foreign])).toEqual([
    [join(repo.path, 'README.md'), false],
    [join(repo.path, 'b.txt'), false],
  ]);
});

test('a folder that took the place of a file, and a file that took that of a folder, come back, and that can be undone', async () => {
  await using repo = await tempRepo({ files: { config: 'one', 'deep/er/a.txt': 'a', 'deep/b.txt': 'b' } });
  const { history, bash } = bench(repo);
  const at = (path: string) => join(repo.path, path);
  const there = () => [
    lstatSync(at('config')).isDirectory(),
    lstatSync(at('deep')).isDirectory(),
    existsSync(at('deep/er/a.txt')),
    existsSync(at('config/x')),
  ];
  await bash(() => {
    rmSync(at('config'));
    put(at('config/x'), 'x');
    rmSync(at('deep'), { recursive: true });
    put(at('deep'), 'a file now');
  });
  expect((await back(history, 0)).skipped).toEqual([]);
  expect([there(), await repo.read('config'), await repo.git('status', '--porcelain')]).toEqual([
    [false, true, true, false],
    'one',
    '',
  ]);
  const undone = (await history.steps()).findLast(({ tool }) => tool === 'rewind') as CheckpointStep;
  const done = await history.restore(await history.planOf(undone), { foreign: 'keep', why: 'undo' });
  expect([done.skipped, there(), await repo.read('deep')]).toEqual([
    [],
    [true, false, false, true],
    'a file now',
  ]);
});

test('a folder that was replaced by a link comes back, and nothing is written through the link', async () => {
  await using repo = await tempRepo({ files: { 'sub/a.txt': 'a', 'sub/deep/b.txt': 'b', 'else.txt': 'e' } });
  const { history, bash, said } = bench(repo);
  await bash(() => {
    rmSync(join(repo.path, 'sub'), { recursive: true });
    symlinkSync(repo.home, join(repo.path, 'sub'));
    put(join(repo.path, 'else.txt'), 'changed');
  });
  const done = await back(history, 0);
  expect([done.skipped, said, await repo.git('status', '--porcelain')]).toEqual([[], [], '']);
  expect(existsSync(join(repo.home, 'a.txt'))).toBe(false);
});

test('permission bits come back as far as they are known', async () => {
  await using repo = await tempRepo({ files: { 'secret.env': 's', 'run.sh': 'r', 'shared.txt': 's' } });
  const modes = () =>
    ['secret.env', 'run.sh', 'shared.txt'].map((name) => statSync(join(repo.path, name)).mode & 0o777);
  chmodSync(join(repo.path, 'secret.env'), 0o600);
  chmodSync(join(repo.path, 'run.sh'), 0o750);
  chmodSync(join(repo.path, 'shared.txt'), 0o664);
  const { history, edit, bash } = bench(repo);
  await edit('secret.env', 'edited');
  rmSync(join(repo.path, 'secret.env'));
  await bash(() => {
    chmodSync(join(repo.path, 'run.sh'), 0o640);
    put(join(repo.path, 'shared.txt'), 'changed');
  });
  await back(history, 0, 'overwrite');
  expect(modes()).toEqual([0o600, 0o750, 0o664]);
});

test('what was changed in several checkouts is named from the folder around them', async () => {
  const at = (checkout: string) => ({ checkout });
  expect([
    topOf([]),
    topOf([at('/p'), at('/p')]),
    topOf([at('/p/.coppice/worktrees/a'), at('/p/.coppice/worktrees/ab')]),
    topOf([at('/p/.coppice/worktrees/a'), at('/p')]),
    topOf([at('/p'), at('/q')]),
  ]).toEqual(['/', '/p', '/p/.coppice/worktrees', '/p', '/']);
});

test('files of a worktree that is gone are not made again', async () => {
  await using repo = await tempRepo();
  const path = join(repo.path, '.coppice/worktrees/w');
  await repo.git('worktree', 'add', '-q', '-b', 'w', path);
  const { history, bash } = bench(repo, path);
  await bash(() => put(join(path, 'README.md'), 'changed'));
  const steps = await history.steps();
  await repo.git('worktree', 'remove', '--force', path);
  expect(await history.planSince(0)).toMatchObject({ files: [], lost: [] });
  expect(await history.diff(steps)).toMatchObject({ files: [{ path: 'README.md' }] });
});

test('an index that git keeps in two parts, and line ends that a person wants changed, are understood', async () => {
  await using repo = await tempRepo({ files: { 'win.txt': 'a\nb\n' } });
  await repo.git('update-index', '--split-index');
  const one = bench(repo);
  await one.bash(() => put(join(repo.path, 'README.md'), 'x'));
  expect([(await back(one.history, 0)).restored, one.said]).toEqual([[join(repo.path, 'README.md')], []]);
  await repo.git('config', '--global', 'core.autocrlf', 'true');
  await repo.write('win.txt', 'a\r\nb\r\n');
  await repo.git('add', '--renormalize', '.');
  const two = bench({ ...repo, state: join(repo.tmp, 'other') });
  await two.bash(() => put(join(repo.path, 'win.txt'), 'x'));
  await back(two.history, 0);
  expect(await repo.read('win.txt')).toBe('a\r\nb\r\n');
});

test('a path whose folder became a link further up is left alone too', async () => {
  await using repo = await tempRepo({ files: { 'sub/deep/file.txt': 'x' } });
  const { history, edit } = bench(repo);
  await edit('sub/deep/file.txt', 'edited');
  await history.steps();
  rmSync(join(repo.path, 'sub'), { recursive: true });
  symlinkSync(repo.home, join(repo.path, 'sub'));
  expect((await back(history, 0, 'overwrite')).skipped).toMatchObject([
    { why: expect.stringContaining('become a link') },
  ]);
  expect(existsSync(join(repo.home, 'deep'))).toBe(false);
});

test('a path that became a link is left alone', async () => {
  await using repo = await tempRepo({ files: { 'sub/file.txt': 'x' } });
  const { history, edit } = bench(repo);
  await edit('sub/file.txt', 'edited');
  await history.steps();
  rmSync(join(repo.path, 'sub'), { recursive: true });
  symlinkSync(repo.home, join(repo.path, 'sub'));
  const done = await back(history, 0, 'overwrite');
  expect(done.skipped).toEqual([
    { path: join(repo.path, 'sub/file.txt'), why: expect.stringContaining('become a link') },
  ]);
  expect(existsSync(join(repo.home, 'file.txt'))).toBe(false);
});

test('the differences of some steps are told as one diff', async () => {
  await using repo = await tempRepo();
  const { history, edit, bash } = bench(repo);
  await edit('README.md', '# Sample\nmore\n');
  await bash(() => put(join(repo.path, 'n.txt'), '1\n2\n'), 'helper');
  await edit('README.md', '# Sample\nmore\nand more\n');
  const steps = await history.steps();
  expect(steps.map(({ tool, agent }: CheckpointStep) => [tool, agent])).toEqual([
    ['Write', 'main'],
    ['Bash', 'helper'],
    ['Write', 'main'],
  ]);
  const all = await history.diff(steps);
  expect(all.files).toEqual([
    { path: 'README.md', added: 2, removed: 0 },
    { path: 'n.txt', added: 2, removed: 0 },
  ]);
  expect(all.text).toContain('+and more');
  expect((await history.diff(steps.filter(({ agent }) => agent === 'helper'))).files).toEqual([
    { path: 'n.txt', added: 2, removed: 0 },
  ]);
  expect((await history.preview(await history.planSince(0))).text).toContain('-and more');
});
