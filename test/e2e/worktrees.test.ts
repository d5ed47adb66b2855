import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { worktreePath } from '../support/worktree-bench.ts';

const MAY = ['--allowedTools', 'Bash,Write,Edit,Read'];
const FREE = ['--allowedTools', 'Bash,Write,Edit,Read,ExitWorktreeTool'];
const run = (repo: Parameters<typeof runCoppice>[0], prompt: string, ...flags: string[]) =>
  runCoppice(repo, ['-p', prompt, ...flags]);
const bash = (command: string) => use('Bash', { command });
const exit = (input: object = {}) => use('ExitWorktreeTool', input);
const json = (request: Received, at = 0) => JSON.parse(request.results[at]?.text ?? 'null');

/** F15: each kind of work in turn, then an exit. */
const work: readonly (readonly [what: string, command: string, listed: string])[] = [
  ['a changed tracked file', 'echo changed > README.md', 'README.md'],
  ['an untracked file', 'echo new > new.txt', 'new.txt'],
  ['a commit that was not pushed', 'git commit -q --allow-empty -m "Only here"', 'Only here'],
  ['a stash', 'echo s > README.md; git stash -q', 'WIP on worktree-f15'],
  ['a file that only .gitignore matches', 'echo i > secret.log', 'secret.log'],
];

test.each(work)(
  'F15: leaving a worktree with %s is refused with the list, and nothing is gone',
  async (_, command, listed) => {
    await using server = await modelServer([
      use('EnterWorktreeTool', { name: 'f15' }),
      bash(command),
      exit(),
      bash('pwd'),
      say('done'),
    ]);
    await using repo = await tempRepo({ server, files: { '.gitignore': '*.log\n' } });
    const ran = await run(repo, 'go', ...MAY);
    expect({ ...ran, violations: server.violations }).toMatchObject({
      code: 0,
      stdout: 'done\n',
      violations: [],
    });
    const path = worktreePath(repo, 'f15');
    expect(json(server.requests[1] as Received)).toEqual({
      worktreePath: path,
      worktreeBranch: 'worktree-f15',
      message: expect.stringContaining(path),
    });
    const [refused] = server.requests[3]?.results ?? [];
    expect(refused).toMatchObject({ error: true });
    for (const words of [listed, path, 'action: "keep"', 'discard_changes: true'])
      expect(refused?.text).toContain(words);
    expect(server.requests[4]?.results[0]?.text.trim()).toBe(path);
    expect(existsSync(path)).toBe(true);
    expect(await repo.git('worktree', 'list')).toContain(`${path} `);
  },
);

test('a clean worktree is left and removed, the directory is back, the main checkout as it was', async () => {
  await using server = await modelServer([
    use('EnterWorktreeTool', {}),
    bash('pwd; git branch --show-current'),
    exit(),
    bash('pwd'),
    say('done'),
  ]);
  await using repo = await tempRepo({ server });
  const before = await repo.git('status', '--porcelain=v2', '--branch');
  const ran = await run(repo, 'go', ...MAY);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  const { worktreePath: path, worktreeBranch: branch } = json(server.requests[1] as Received);
  expect(server.requests[2]?.results[0]?.text.trim()).toBe(`${path}\n${branch}`);
  expect(json(server.requests[3] as Received)).toEqual({
    action: 'remove',
    originalCwd: repo.path,
    worktreePath: path,
    worktreeBranch: branch,
    message: expect.stringContaining('removed'),
  });
  expect(server.requests[4]?.results[0]?.text.trim()).toBe(repo.path);
  expect([
    existsSync(path),
    await repo.git('branch', '--list', branch),
    await repo.git('status', '--porcelain=v2', '--branch'),
  ]).toEqual([false, '', before]);
});

test('discarded work asks, is saved first, and comes back on the command line', async () => {
  await using server = await modelServer([
    [use('EnterWorktreeTool', { name: 'gone' })],
    [
      bash(
        'echo precious > new.txt; echo more >> README.md; git add README.md; git commit -qm Mine; echo later >> README.md',
      ),
    ],
    exit({ discard_changes: true }),
    say('done'),
  ]);
  await using repo = await tempRepo({ server });
  await run(repo, 'go', ...FREE);
  const answer = json(server.requests[3] as Received);
  expect(answer).toMatchObject({
    action: 'remove',
    discardedFiles: 2,
    discardedCommits: 1,
    message: expect.stringContaining('rescue restore'),
  });
  const listed = await runCoppice(repo, ['worktree', 'rescue', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toEqual([
    expect.objectContaining({
      id: answer.rescue,
      ref: `refs/coppice/rescue/${answer.rescue}`,
      name: 'gone',
      branch: 'worktree-gone',
      createdAt: expect.any(String),
      files: ['README.md', 'new.txt'],
    }),
  ]);
  expect((await runCoppice(repo, ['worktree', 'rescue', 'show', answer.rescue])).stdout).toContain(
    'file    new.txt',
  );
  const back = await runCoppice(repo, [
    'worktree',
    'rescue',
    'restore',
    answer.rescue,
    '--to',
    '../back',
    '--json',
  ]);
  expect(back).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(back.stdout)).toMatchObject({ path: join(repo.root, 'back'), files: 2 });
  expect([
    readFileSync(join(repo.root, 'back/new.txt'), 'utf8'),
    readFileSync(join(repo.root, 'back/README.md'), 'utf8'),
  ]).toEqual(['precious\n', '# Sample\nmore\nlater\n']);
  expect(
    await runCoppice(repo, ['worktree', 'rescue', 'restore', answer.rescue, '--to', '../back']),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
  expect(await runCoppice(repo, ['worktree', 'rescue', 'show', 'nope'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no rescue "nope"'),
  });
});

test('without a person and without a rule nothing is discarded', async () => {
  await using server = await modelServer([
    use('EnterWorktreeTool', { name: 'kept' }),
    bash('echo x > new.txt'),
    exit({ discard_changes: true }),
    say('done'),
  ]);
  await using repo = await tempRepo({ server });
  await run(repo, 'go', ...MAY);
  expect(server.requests[3]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('work that is only in the worktree'),
  });
  expect(existsSync(join(worktreePath(repo, 'kept'), 'new.txt'))).toBe(true);
});

test('kept work is named with files and diff stat, and the list on the command line shows it', async () => {
  await using server = await modelServer([
    use('EnterWorktreeTool', { name: 'stay' }),
    bash('echo x > new.txt'),
    exit({ action: 'keep' }),
    exit(),
    say('done'),
  ]);
  await using repo = await tempRepo({ server });
  await run(repo, 'go', ...MAY);
  expect(json(server.requests[3] as Received)).toMatchObject({
    action: 'keep',
    originalCwd: repo.path,
    files: ['new.txt'],
    diffStat: '1 file changed, 0 lines added, 0 removed',
  });
  expect(server.requests[4]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('in no worktree'),
  });
  const rows = JSON.parse((await runCoppice(repo, ['worktree', 'list', '--json'])).stdout);
  expect(rows).toMatchObject([
    { name: 'stay', state: 'work', owner: null, holds: '1 untracked file', branch: 'worktree-stay' },
  ]);
});

test('--worktree begins in one, under its name', async () => {
  await using server = await modelServer([bash('pwd'), say('done'), say('again')]);
  await using repo = await tempRepo({ server });
  const ran = await run(repo, 'go', ...MAY, '-w', 'flag');
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(server.requests[1]?.results[0]?.text.trim()).toBe(worktreePath(repo, 'flag'));
  expect(existsSync(worktreePath(repo, 'flag'))).toBe(true);
  expect(await repo.git('worktree', 'list', '--porcelain')).not.toContain('locked');
  expect(await run(repo, 'go', '-w', '../out')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be the name of a worktree'),
  });
  expect(await run(repo, 'more', '--continue')).toMatchObject({ code: 0 });
  expect(server.requests.at(-1)?.raw).toContain(worktreePath(repo, 'flag'));
});

test('--worktree "#12" begins at that pull request of origin, in the folders that the settings name', async () => {
  await using server = await modelServer([bash('pwd; git log -1 --format=%s; ls'), say('done')]);
  await using repo = await tempRepo({ server, files: { 'api/a.ts': 'a', 'web/b.ts': 'b' } });
  const origin = join(repo.tmp, 'origin.git');
  await repo.git('clone', '-q', '--bare', '.', origin);
  await repo.git('remote', 'add', 'origin', origin);
  const id = await repo.git('commit-tree', '-p', 'HEAD', '-m', 'Proposed', 'HEAD^{tree}');
  await repo.git('push', '-q', 'origin', `${id}:refs/pull/12/head`);
  await repo.write(join(repo.state, 'settings.json'), JSON.stringify({ worktree: { sparsePaths: ['api'] } }));
  expect(await run(repo, 'go', ...MAY, '-w', '#12')).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(server.requests[1]?.results[0]?.text.trim()).toBe(
    `${worktreePath(repo, 'pr-12')}\nProposed\nREADME.md\napi`,
  );
  expect(await run(repo, 'go', '-w', '#13')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('#13 could not be fetched'),
  });
  expect(await run(repo, 'go', '-w', '#x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be the name of a worktree'),
  });
});

const agent = (prompt: string, more: object = {}) =>
  use('AgentTool', { prompt, description: 'do the work', isolation: 'worktree', ...more });
const child = ({ prompt, raw }: Received) =>
  prompt.includes('child-task') || raw.includes('"text":"child-task');

test('an agent in a worktree works there, cannot touch the main checkout, and is kept with its work', async () => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
  let home = '';
  server.lane(
    child,
    bash('pwd; cat README.md'),
    ({ results }) => {
      home = results[0]?.text.split('\n')[0] ?? '';
      return [
        use('Write', { file_path: join(repo.path, 'stray.txt'), content: 'x' }),
        bash(`echo x > ${repo.path}/stray.txt`),
        bash(`cd ${repo.path} && git commit --allow-empty -m stray`),
        bash(`git -C ${repo.path} reset --hard`),
        bash(`node -e "require('fs').writeFileSync('${repo.path}/stray.txt', '')"`),
        bash(`F=${repo.path}; sh ./any.sh --out "$F/stray.txt"`),
        bash(`cat ${repo.path}/README.md`),
        use('Write', { file_path: join(home, 'mine.txt'), content: 'mine' }),
      ];
    },
    say('finished'),
  );
  server.script(agent('child-task one'), say('done'));
  const before = [await repo.git('status', '--porcelain'), await repo.git('rev-parse', 'HEAD')];
  const ran = await run(repo, 'go', '--dangerously-skip-permissions', ...MAY);
  void ran;
  const tries = server.requests.find(({ results }) => results.length === 8)?.results ?? [];
  expect(
    tries.map(({ error, text }) =>
      error && text.includes('main checkout') ? 'refused' : error ? text : 'ran',
    ),
  ).toEqual([...Array(6).fill('refused'), 'ran', 'ran']);
  const told = server.requests.at(-1)?.results[0]?.text ?? '';
  expect(told).toContain('finished');
  expect(told).toMatch(
    new RegExp(
      `worktree ${home.replaceAll('.', '\\.')} on branch worktree-general-purpose-[0-9a-f]{8} \\(1 file changed.*Files: mine.txt`,
    ),
  );
  expect(readFileSync(join(home, 'mine.txt'), 'utf8')).toBe('mine');
  expect([
    await repo.git('status', '--porcelain'),
    await repo.git('rev-parse', 'HEAD'),
    existsSync(join(repo.path, 'stray.txt')),
  ]).toEqual([...before, false]);
});

test('a session in a worktree asks before anything that may change the main checkout, in every mode', async () => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
  const strays = [
    `touch ${repo.path}/stray.txt`,
    `cd ${repo.path} && npm run x`,
    `make -C ${repo.path} x`,
    `git -C ${repo.path} commit --allow-empty -m stray`,
    'sh ../../../stray.sh',
  ].map(bash);
  server.script(
    [...strays, use('Write', { file_path: join(repo.path, 'stray.txt'), content: 'x' })],
    [
      bash(`cat ${repo.path}/README.md`),
      bash('echo mine > mine.txt'),
      bash(`cp ${repo.path}/README.md copy`),
    ],
    say('done'),
  );
  const ran = await run(repo, 'go', '-w', 'apart', '--dangerously-skip-permissions');
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(
    server.requests[1]?.results.map(({ error, text }) => [error, text.includes('main checkout')]),
  ).toEqual(Array(6).fill([true, true]));
  expect(server.requests[2]?.results.map(({ error }) => error)).toEqual([false, false, false]);
  expect(existsSync(join(repo.path, 'stray.txt'))).toBe(false);
  expect(await repo.git('log', '--format=%s')).not.toContain('stray');
  const added = await (async () => {
    server.script(bash(`touch ${repo.path}/wanted.txt`), say('done'));
    return run(repo, 'go', '-w', 'apart', '--dangerously-skip-permissions', '--add-dir', repo.path);
  })();
  expect([added.code, existsSync(join(repo.path, 'wanted.txt'))]).toEqual([0, true]);
});

test('an agent that changed nothing leaves no worktree behind', async () => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server });
  server.lane(child, bash('pwd'), say('looked'));
  server.script(agent('child-task two'), say('done'));
  await run(repo, 'go', ...MAY);
  const told = server.requests.at(-1)?.results[0]?.text ?? '';
  expect([told.includes('looked'), told.includes('worktree')]).toEqual([true, false]);
  expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);
  expect(await repo.git('branch', '--list', 'worktree-*')).toBe('');
});

test.each(work)('F15: an agent that ends with %s keeps its worktree', async (_, command) => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server, files: { '.gitignore': '*.log\n' } });
  server.lane(child, bash(command), say('ended'));
  server.script(agent('child-task three'), say('done'));
  await run(repo, 'go', ...MAY);
  const path =
    /worktree (\S+)/.exec(server.requests.at(-1)?.results[0]?.text ?? '')?.[1] ?? '(no worktree was named)';
  expect(existsSync(join(path, '.git'))).toBe(true);
  expect(await repo.git('worktree', 'list')).toContain(`${path} `);
});

test('hooks hear of a worktree, stand in for git, and can refuse it', async () => {
  await using server = await modelServer([
    use('EnterWorktreeTool', { name: 'hooked' }),
    bash('pwd'),
    exit(),
    use('EnterWorktreeTool', { name: 'refused' }),
    say('done'),
  ]);
  await using repo = await tempRepo({ server });
  const made = join(repo.tmp, 'by-hook');
  const script = join(repo.tmp, 'hook.sh');
  writeFileSync(
    script,
    `#!/bin/sh\ninput=$(cat); echo "$input" >> ${repo.tmp}/heard\ncase "$input" in *refused*) echo "not this one" >&2; exit 2;; *WorktreeCreate*) mkdir -p ${made}; echo making; echo ${made};; *WorktreeRemove*) rm -rf ${made};; esac\n`,
  );
  const hooks = Object.fromEntries(
    ['WorktreeCreate', 'WorktreeRemove', 'CwdChanged'].map((event) => [
      event,
      [{ hooks: [{ type: 'command', command: `sh ${script}` }] }],
    ]),
  );
  await repo.write(join(repo.state, 'settings.json'), JSON.stringify({ hooks }));
  const ran = await run(repo, 'go', ...MAY);
  expect(ran).toMatchObject({ code: 0 });
  expect(server.requests[2]?.results[0]?.text.trim()).toBe(made);
  expect(json(server.requests[3] as Received)).toMatchObject({ action: 'remove', worktreePath: made });
  expect(server.requests[4]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('not this one'),
  });
  const heard = readFileSync(join(repo.tmp, 'heard'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(
    heard.map(({ hook_event_name: event, name, worktree_path: path, new_cwd: to }) => [
      event,
      name ?? path ?? to,
    ]),
  ).toEqual([
    ['WorktreeCreate', 'hooked'],
    ['CwdChanged', made],
    ['WorktreeRemove', made],
    ['CwdChanged', repo.path],
    ['WorktreeCreate', 'refused'],
  ]);
  expect(existsSync(join(repo.path, '.coppice'))).toBe(false);
});

test('the list of rescues is empty in a repository without commits, and says why it cannot be outside one', async () => {
  await using repo = await tempRepo();
  const empty = join(repo.tmp, 'empty');
  execFileSync('git', ['init', '-q', empty], { env: repo.env });
  const list = (cwd: string, ...more: string[]) =>
    runCoppice(repo, ['worktree', 'rescue', 'list', ...more], { cwd });
  expect(await list(empty, '--json')).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  expect(await list(empty)).toMatchObject({ code: 0, stdout: 'Nothing was saved.\n' });
  expect(await runCoppice(repo, ['worktree', 'rescue', 'restore', 'x'], { cwd: empty })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no rescue "x"'),
  });
  expect(await list(repo.tmp, '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('not in a git repository'),
  });
});

test('outside a repository it is an error that says so', async () => {
  await using server = await modelServer([use('EnterWorktreeTool', {}), exit(), say('done')]);
  await using repo = await tempRepo({ server });
  const ran = await runCoppice(repo, ['-p', 'go'], { cwd: repo.tmp });
  expect(ran).toMatchObject({ code: 0 });
  expect(
    server.requests.slice(1).flatMap(({ results }) => results.map(({ error, text }) => [error, text])),
  ).toEqual([
    [true, expect.stringContaining('not in a git repository')],
    [true, expect.stringContaining('in no worktree')],
  ]);
  expect(() =>
    execFileSync('git', ['-C', repo.tmp, 'rev-parse'], { env: repo.env, stdio: 'pipe' }),
  ).toThrow();
});
