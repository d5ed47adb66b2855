import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Refused } from '../../src/contract/worktree.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { deskBench, worktreeBench } from '../support/worktree-bench.ts';

const git = (repo: TempRepo, at: string, ...args: string[]) =>
  execFileSync('git', ['-C', at, ...args], { env: repo.env, stdio: 'pipe' })
    .toString()
    .trim();
const lines = (count: number, change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');
const got = <T extends object>(answer: T | Refused): T => {
  if ('refused' in answer) throw new Error(String(answer.refused));
  return answer as T;
};

/** A worktree whose file was changed, and committed unless told otherwise. */
const changed = async (
  repo: TempRepo,
  name: string,
  files: Readonly<Record<string, string>>,
  how: 'commit' | 'leave' = 'commit',
) => {
  const { path } = got(await worktreeBench(repo.env).open(repo.path, { name, owner: 'test' }));
  for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content);
  if (how === 'commit') {
    git(repo, path, 'add', '.');
    git(repo, path, 'commit', '-qm', `Work of ${name}`);
  }
  return path;
};
const whole = async () => tempRepo({ files: { 'list.txt': lines(20), 'other.txt': 'other\n' } });

test('what merges cleanly is merged, uncommitted work with it, and the worktree stays as it was', async () => {
  await using repo = await whole();
  await changed(repo, 'a', { 'list.txt': lines(20, { 2: 'A' }) });
  const left = await changed(repo, 'b', { 'list.txt': lines(20, { 18: 'B' }), 'new.txt': 'new' }, 'leave');
  const status = git(repo, left, 'status', '--porcelain');
  const desk = deskBench(repo.env);
  expect(got(await desk.preview(repo.path, 'b'))).toMatchObject({
    files: ['list.txt', 'new.txt'],
    conflicts: [],
  });
  expect(await desk.overlaps(repo.path, ['a', 'b'])).toEqual([]);
  expect(await desk.queue(repo.path, ['a', 'b'])).toEqual({ merged: ['a', 'b'] });
  expect(await repo.read('list.txt')).toBe(lines(20, { 2: 'A', 18: 'B' }));
  expect([git(repo, left, 'status', '--porcelain'), await repo.git('status', '--porcelain')]).toEqual([
    status,
    '',
  ]);
  expect(got(await desk.diff(repo.path, 'a')).text).toBe('');
});

test('a conflict is shown before anything changes, and what came before it stays merged', async () => {
  await using repo = await whole();
  await changed(repo, 'a', { 'list.txt': lines(20, { 5: 'A' }) });
  await changed(repo, 'b', { 'list.txt': lines(20, { 5: 'B' }) });
  await changed(repo, 'c', { 'other.txt': 'c\n' });
  const desk = deskBench(repo.env);
  expect(await desk.overlaps(repo.path, ['a', 'b', 'c'])).toEqual([
    { names: ['a', 'b'], path: 'list.txt', lines: [5, 5] },
  ]);
  const report = got(await desk.queue(repo.path, ['a', 'b', 'c']));
  expect(report).toEqual({
    merged: ['a'],
    stopped: {
      name: 'b',
      why: expect.stringContaining('conflicts'),
      conflicts: [{ path: 'list.txt', says: expect.stringContaining('Merge conflict in list.txt') }],
    },
  });
  expect([
    await repo.read('list.txt'),
    await repo.git('status', '--porcelain'),
    existsSync(join(repo.path, '.git/MERGE_HEAD')),
  ]).toEqual([lines(20, { 5: 'A' }), '', false]);
});

test('a check runs after each merge, and the merge that fails it is taken back', async () => {
  await using repo = await whole();
  for (const [name, line] of [
    ['a', 2],
    ['b', 10],
    ['c', 18],
  ] as const)
    await changed(repo, name, { 'list.txt': lines(20, { [line]: name.toUpperCase() }) });
  const desk = deskBench(repo.env);
  const report = got(
    await desk.queue(
      repo.path,
      ['a', 'b', 'c'],
      'if grep -q B list.txt; then echo "no B please"; exit 3; fi',
    ),
  );
  expect(report).toMatchObject({
    merged: ['a'],
    stopped: { name: 'b', why: expect.stringMatching(/exit code 3.*taken back/), output: 'no B please\n' },
  });
  expect([await repo.read('list.txt'), await repo.git('status', '--porcelain')]).toEqual([
    lines(20, { 2: 'A' }),
    '',
  ]);
});

test('changes of a person in the way of a merge are left alone', async () => {
  await using repo = await whole();
  await changed(repo, 'a', { 'list.txt': lines(20, { 5: 'A' }) });
  await repo.write('list.txt', 'mine\n');
  const report = got(await deskBench(repo.env).queue(repo.path, ['a']));
  expect(report.stopped?.why).toContain('git refused the merge');
  expect([await repo.read('list.txt'), await repo.git('diff', '--cached', '--name-only')]).toEqual([
    'mine\n',
    '',
  ]);
});

test('commits can be picked without a merge, or not at all', async () => {
  await using repo = await whole();
  await changed(repo, 'a', { 'list.txt': lines(20, { 5: 'A' }) });
  await changed(repo, 'b', { 'list.txt': lines(20, { 5: 'B' }) });
  const desk = deskBench(repo.env);
  expect(await desk.pick(repo.path, 'a')).toEqual({ picked: 1 });
  expect(await desk.pick(repo.path, 'b')).toEqual({
    refused: expect.stringContaining('nothing was changed'),
  });
  expect([await repo.git('log', '-1', '--format=%s'), await repo.git('status', '--porcelain')]).toEqual([
    'Work of a',
    '',
  ]);
});

test('a merge driver or hook of the repository never runs', async () => {
  await using repo = await tempRepo({
    files: { 'list.txt': lines(20), '.gitattributes': '*.txt merge=evil\n' },
  });
  const sang = join(repo.tmp, 'sang');
  await repo.git('config', 'merge.evil.driver', `touch ${sang}; cp %B %A`);
  writeFileSync(join(repo.path, '.git/hooks/post-merge'), `#!/bin/sh\ntouch ${sang}\n`);
  chmodSync(join(repo.path, '.git/hooks/post-merge'), 0o755);
  await changed(repo, 'a', { 'list.txt': lines(20, { 2: 'A' }) });
  await changed(repo, 'b', { 'list.txt': lines(20, { 18: 'B' }) });
  expect(await deskBench(repo.env).queue(repo.path, ['a', 'b'])).toEqual({ merged: ['a', 'b'] });
  expect([readFileSync(join(repo.path, 'list.txt'), 'utf8'), existsSync(sang)]).toEqual([
    lines(20, { 2: 'A', 18: 'B' }),
    false,
  ]);
});
