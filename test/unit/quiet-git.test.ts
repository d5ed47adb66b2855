/** Programs that a repository's configuration names: each is started by plain git, none by git that only reads. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quietGit } from '../../src/git/quiet.ts';
import { gitPlaces } from '../../src/permission/read-only.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';

let repo: TempRepo;
let fired: string;
beforeAll(async () => {
  repo = await tempRepo({ files: { 'a.txt': 'one\n', '.gitattributes': 'a.txt diff=bait filter=bait\n' } });
  fired = join(repo.root, 'fired');
});
afterAll(() => repo.dispose());

const run = async (command: string, env: Readonly<Record<string, string>>): Promise<string> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: repo.path, env }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
};
const quiet = (command: string) => quietGit(gitPlaces(command, repo.path, repo.home), repo.env);
const bait = () => `sh -c 'touch ${fired}; cat "$@"' bait`;

describe.each([
  ['core.fsmonitor', 'git status', () => `touch ${fired}; false`],
  ['diff.external', 'git diff', bait],
  ['diff.bait.command', 'git diff', bait],
  ['diff.bait.textconv', 'git diff', bait],
  ['diff.bait.textconv', 'git blame a.txt', bait],
  ['filter.bait.clean', 'git diff', bait],
  ['filter.bait.clean', 'git status', bait],
])('%s of the repository at %s', (key, command, program) => {
  it('is started by plain git, not by git that only reads', async () => {
    await repo.git('config', key, program());
    await writeFile(join(repo.path, 'a.txt'), 'two\n');
    await run(command, repo.env);
    expect(existsSync(fired)).toBe(true);
    await rm(fired);
    await writeFile(join(repo.path, 'a.txt'), 'six\n');
    const output = await run(command, await quiet(command));
    expect(existsSync(fired)).toBe(false);
    expect(output).toContain(command === 'git diff' ? '+six' : command === 'git status' ? 'a.txt' : 'six');
    await repo.git('config', '--unset', key);
  });
});

it('looks at the repository that a command goes to', async () => {
  const inner = join(repo.path, 'inner');
  await mkdir(inner);
  await repo.git('init', '-q', 'inner');
  await writeFile(join(inner, 'b.txt'), 'one\n');
  await writeFile(join(inner, '.gitattributes'), 'b.txt diff=bait\n');
  await repo.git('-C', 'inner', 'add', '.');
  await repo.git('-C', 'inner', 'config', 'diff.bait.textconv', bait());
  await writeFile(join(inner, 'b.txt'), 'two\n');
  for (const command of ['cd inner && git diff', 'git -C inner diff', 'git -C ./inner -C ../inner diff']) {
    expect(await run(command, await quiet(command))).toContain('+two');
    expect(existsSync(fired)).toBe(false);
  }
  await run('git -C inner diff', repo.env);
  expect(existsSync(fired)).toBe(true);
});

it('adds to what the person sets by variables, and drops an external diff', async () => {
  const env = await quietGit([repo.path], {
    ...repo.env,
    GIT_EXTERNAL_DIFF: 'evil',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'a.b',
    GIT_CONFIG_VALUE_0: 'c',
  });
  expect(env).toMatchObject({
    GIT_CONFIG_KEY_0: 'a.b',
    GIT_CONFIG_KEY_1: 'core.fsmonitor',
    GIT_OPTIONAL_LOCKS: '0',
  });
  expect(env.GIT_EXTERNAL_DIFF).toBeUndefined();
});

it('has an environment for places without a repository', async () => {
  expect(await quietGit([repo.home], repo.env)).toMatchObject({ GIT_CONFIG_KEY_0: 'core.fsmonitor' });
});
