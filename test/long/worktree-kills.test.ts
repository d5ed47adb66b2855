import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';
import { lostWork, workplace, writeWork } from '../support/worktree-work.ts';

const LIFE = join(import.meta.dirname, 'worktree-life.ts');

interface Lived {
  readonly steps: readonly string[];
  readonly finished: boolean;
}

/** Runs the program until its N-th step, or until its N-th system call of a kind. */
const live = (repo: TempRepo, what: string, end: number, calls?: string): Promise<Lived> =>
  new Promise((resolve) => {
    const program = [process.execPath, LIFE, repo.path, what, calls ? '0' : String(end)] as const;
    const injected = [
      'strace',
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:signal=KILL:when=${end}`,
      ...program,
    ];
    const [file = '', ...args] = calls ? injected : program;
    execFile(
      file,
      args,
      { cwd: repo.path, env: { ...repo.env, UV_THREADPOOL_SIZE: '1' } },
      (error, stdout) => {
        const steps = stdout.split('\n').filter((line) => line !== '');
        resolve({
          steps,
          finished:
            error === null && steps.some((line) => line.startsWith('done ') && !line.includes('"refused"')),
        });
      },
    );
  });

const SEED = Number(process.env.SEED ?? 20_260);

/** What must hold after a death, and after the next run has tidied up. */
const checked: Readonly<Record<string, (repo: TempRepo, at: string) => Promise<void>>> = {
  async create(repo, at) {
    const service = worktreeBench(repo.env);
    const made = await service.open(repo.path, { name: 'w', owner: 'test' });
    expect(made, at).toMatchObject({ path: worktreePath(repo, 'w'), branch: 'worktree-w' });
    expect(await service.survey(worktreePath(repo, 'w')), at).toMatchObject({ clean: true });
    expect(readFileSync(join(worktreePath(repo, 'w'), 'README.md'), 'utf8'), at).toBe('# Sample\n');
    expect(await service.remove(worktreePath(repo, 'w'), { rescue: false }), at).toMatchObject({
      removed: true,
    });
  },
  async exit() {
    // Looking for every content, before and after tidying up, is all there is to check.
  },
  async sweep() {
    // The same.
  },
};

const scenes = ['create', 'exit', 'sweep'] as const;

const scene = async (
  what: (typeof scenes)[number],
  submodule: boolean,
  run: (repo: TempRepo) => Promise<Lived>,
  at: string,
): Promise<boolean> => {
  await using repo = await tempRepo();
  await workplace(repo, submodule);
  const before = [await repo.git('rev-parse', 'HEAD'), await repo.git('status', '--porcelain=v2')];
  const path = worktreePath(repo, 'w');
  // A dead process made it: its lock is taken over.
  const past = worktreeBench(repo.env, { pid: 4_194_999 });
  if (what !== 'create')
    expect(await past.open(repo.path, { name: 'w', owner: 'dead' }), at).toMatchObject({ path });
  if (what === 'sweep')
    expect(await past.open(repo.path, { name: 'old', owner: 'dead' }), at).toMatchObject({
      branch: 'worktree-old',
    });
  const work = what === 'create' ? {} : writeWork(repo, path, SEED, submodule);
  const { finished } = await run(repo);
  const service = worktreeBench(repo.env);
  expect(await lostWork(repo, service, path, work), at).toEqual([]);
  expect([await repo.git('rev-parse', 'HEAD'), await repo.git('status', '--porcelain=v2')], at).toEqual(
    before,
  );
  const later = worktreeBench(repo.env, { now: () => new Date(Date.now() + 20 * 86_400_000) });
  await later.sweep(repo.path, 30);
  expect(await lostWork(repo, service, path, work), `${at}, tidied up`).toEqual([]);
  await checked[what]?.(repo, at);
  if (what === 'sweep' && finished)
    expect([existsSync(path), existsSync(worktreePath(repo, 'old'))], at).toEqual([true, false]);
  return finished;
};

describe.each(scenes)('killed while it does: %s', (what) => {
  test(`at every step, no byte of work is lost (seed ${SEED})`, async () => {
    let finished = false;
    let points = 0;
    for (let end = 1; !finished && end < 60; end++) {
      finished = await scene(
        what,
        what === 'exit' && end % 2 === 0,
        (repo) => live(repo, what, end),
        `${what}, step ${end}`,
      );
      points = end;
    }
    expect(finished).toBe(true);
    expect(points).toBeGreaterThan(what === 'sweep' ? 4 : 8);
  });

  test.each([
    ['unlink,unlinkat,rmdir', 30],
    ['rename,renameat,renameat2,link,linkat', 30],
    ['mkdir,mkdirat', 20],
  ])('in git and around it, at any %s', async (calls, points) => {
    let killed = 0;
    for (let end = 1; end <= points * 2; end += 2) {
      const finished = await scene(
        what,
        false,
        (repo) => live(repo, what, end, calls),
        `${what}, ${calls} ${end}`,
      );
      if (finished) break;
      killed += 1;
    }
    // A sweep makes no folders.
    expect(killed > 0 || (what === 'sweep' && calls.startsWith('mkdir'))).toBe(true);
  });
});
