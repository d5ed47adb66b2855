/** What git cannot tell is never taken for no changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { back, bench, put } from '../support/checkpoint-bench.ts';
import { tempRepo } from '../support/repo.ts';

test('a comparison that fails is said, and what the command changed is found when it is asked for', async () => {
  await using repo = await tempRepo({ files: { 'a.txt': 'a' } });
  let broken = true;
  const { history, bash, said } = bench(repo, repo.path, true, (args) =>
    broken && args[0] === 'diff-tree' ? 'fatal: unable to read tree' : undefined,
  );
  await bash(() => put(join(repo.path, 'a.txt'), 'changed'));
  expect((await history.planSince(0)).lost).toEqual([
    { path: repo.path, why: 'what a command changed in it is not known: fatal: unable to read tree' },
  ]);
  expect(said).toEqual(['Changes of files are not recorded for /rewind: fatal: unable to read tree.']);
  broken = false;
  await back(history, 0, 'overwrite');
  expect(readFileSync(join(repo.path, 'a.txt'), 'utf8')).toBe('a');
});

test('a checkout that cannot be read after a command is not taken for unchanged', async () => {
  await using repo = await tempRepo({ files: { 'a.txt': 'a' } });
  let broken = false;
  const { history, bash, said } = bench(repo, repo.path, true, (args) =>
    broken && args[0] === 'write-tree' ? '' : undefined,
  );
  await bash(() => {
    put(join(repo.path, 'a.txt'), 'changed');
    broken = true;
  });
  expect((await history.planSince(0)).lost).toMatchObject([{ path: repo.path }]);
  expect(said).toEqual([
    `What commands change in ${repo.path} is not recorded for /rewind: git ended with code 128.`,
  ]);
});

test.each(['read-tree', 'update-index', 'write-tree', 'diff-tree'])(
  'differences that git cannot show are no empty differences: %s',
  async (command) => {
    await using repo = await tempRepo({ files: { 'a.txt': 'a' } });
    let broken = false;
    const { history, edit } = bench(repo, repo.path, true, (args) =>
      broken && args.includes(command) ? 'fatal: no space left' : undefined,
    );
    await edit('a.txt', 'changed');
    const steps = await history.steps();
    broken = true;
    await expect(history.diff(steps)).rejects.toThrow('cannot be shown: fatal: no space left');
  },
);
