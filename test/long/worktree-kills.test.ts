import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { shimGit } from '../support/git-shim.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { killTagged, tagged } from '../support/processes.ts';
import { say } from '../support/replies.ts';
import { type Environment, type TempRepo, tempRepo } from '../support/repo.ts';
import { COPPICE, type Ran, runCoppice } from '../support/run-binary.ts';
import { dice, gitAt, lostWork, type Rescuer, workplace } from '../support/worktree-work.ts';
import { mainTree, SCENES, type Scene } from './worktree-scenes.ts';

const SEED = Number(process.env.SEED ?? randomInt(1_000_000));

/** Where it dies: at the N-th start of git, at a call inside of it, or at the N-th call of the program itself. */
type Kill =
  | { readonly at: 'never' }
  | { readonly at: 'spawn'; readonly count: number; readonly when: 'before' | 'after' }
  | { readonly at: 'in git'; readonly count: number; readonly call: number }
  | { readonly at: 'call'; readonly count: number };

const CALLS =
  'rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,mkdir,mkdirat,fsync,fdatasync,pwrite64,write';
const CHANGES = 'rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat';

const traced = (calls: string, more: readonly string[], out = '/dev/null'): readonly string[] => [
  'strace',
  '-f',
  '-qq',
  '-o',
  out,
  '-e',
  `trace=${calls}`,
  ...more,
];
const killing = (calls: string, count: number): readonly string[] =>
  traced(calls, ['-e', `inject=${calls}:signal=KILL:when=${count}`]);

/** Counts the starts of git and kills its parent at the one that is wanted. */
const shim = (repo: TempRepo, kill: Kill): Environment => {
  const counter = join(repo.tmp, 'starts');
  const at = 'count' in kill && kill.at !== 'call' ? kill.count : 0;
  const before = kill.at === 'spawn' && kill.when === 'before' ? 'kill -9 $PPID; exit 1' : ':';
  const git = kill.at === 'in git' ? `${killing(CHANGES, kill.call).join(' ')} "$GIT" "$@"` : '"$GIT" "$@"';
  return shimGit(
    repo,
    `exec 9>>${counter}.lock; flock 9; echo x >> ${counter}; n=$(wc -l < ${counter}); exec 9>&-
if [ $n != ${at} ]; then exec "$GIT" "$@"; fi
${before}
${git}
kill -9 $PPID`,
  );
};

const ARGS = ['-p', 'go', '--dangerously-skip-permissions', '--allowedTools', 'ExitWorktreeTool'];

/** As a person would do it, with the built program. */
const rescuer = (repo: TempRepo): Rescuer => {
  const rescue = async (...args: string[]): Promise<unknown> => {
    const { stdout, stderr, code } = await runCoppice(repo, ['worktree', 'rescue', ...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  let restored = 0;
  return {
    list: async () => ((await rescue('list')) as { readonly id: string }[]).map(({ id }) => id),
    async restore(id) {
      const to = join(repo.tmp, `restored-${restored++}`);
      rmSync(to, { recursive: true, force: true });
      await rescue('restore', id, '--to', to);
      return to;
    },
  };
};

/** The program with a model that plays `script`; answers what it said. */
const played = async (
  repo: TempRepo,
  script: (server: ModelServer) => void,
  how: { readonly kill?: Kill; readonly watched?: readonly string[] } = {},
): Promise<Ran> => {
  await using server = await modelServer();
  script(server);
  const { kill = { at: 'never' }, watched } = how;
  const env = { ...shim(repo, kill), UV_THREADPOOL_SIZE: '1', ANTHROPIC_BASE_URL: server.url };
  const before = kill.at === 'call' ? [...killing(CALLS, kill.count), '-b', 'execve'] : (watched ?? []);
  const [file = '', ...args] = [...before, process.execPath, COPPICE];
  const ran = await runCoppice({ path: repo.path, env }, ARGS, {
    timeout: 240_000,
    command: [file, ...args],
  });
  // What it had started dies with it, as when the machine does.
  while (tagged(repo.tag).length > 0) {
    killTagged(repo.tag);
    await sleep(10);
  }
  return ran;
};

const stage = async (scene: Scene, seed: number) => {
  const repo = await tempRepo({
    server: { url: 'http://127.0.0.1:9' },
    env: { COPPICE_TRUST: '1', COPPICE_SANDBOXED: '1' },
  });
  workplace(repo.env, repo.path, seed % 2 === 0 ? join(repo.tmp, 'upstream') : undefined);
  return { repo, prepared: await scene.prepare(repo, seed) };
};

/** Worktrees that git knows and that are not there, and folders there that git does not know. */
const strays = (repo: TempRepo): readonly string[] => {
  const listed = gitAt(repo.env, repo.path, 'worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []));
  const folder = join(repo.path, '.coppice/worktrees');
  const there = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [
    ...listed.filter((path) => !existsSync(join(path, '.git'))),
    ...there.filter((path) => !listed.includes(path) && !path.includes('-unfinished-')),
  ];
};

/** One death; what is found after it, after the next start has tidied up, and after the same once more. */
const survives = async (scene: Scene, kill: Kill, seed: number): Promise<boolean> => {
  const { repo, prepared } = await stage(scene, seed);
  await using _ = repo;
  const before = mainTree(repo);
  const { signal, code } = await played(repo, (server) => scene.script(server, repo, seed), { kill });
  const work = { ...prepared, ...scene.written(repo) };
  const sound = async (when: string) => {
    const at = `${scene.name}, ${JSON.stringify(kill)}, seed ${seed}, ${when}`;
    expect(await lostWork(repo.env, repo.path, rescuer(repo), work), at).toEqual([]);
    expect(mainTree(repo), at).toEqual(before);
    return at;
  };
  await sound('after its death');
  const tidied = await played(repo, (server) => server.script(say('tidied')));
  expect([tidied, strays(repo)], await sound('tidied up')).toMatchObject([
    { code: 0, stdout: 'tidied\n' },
    [],
  ]);
  const again = await played(repo, (server) => scene.script(server, repo, seed));
  expect(again, await sound('once more')).toMatchObject({ code: 0, stdout: 'done\n' });
  await scene.finished(repo);
  return signal === 'SIGKILL' || code === 137;
};

/** How often git is started, and how many calls the program makes, when nobody kills it. */
const counted = async (scene: Scene, seed: number): Promise<{ spawns: number; calls: number }> => {
  const { repo } = await stage(scene, seed);
  await using _ = repo;
  const out = join(repo.tmp, 'calls');
  const watched = traced(CALLS, ['-b', 'execve'], out);
  await played(repo, (server) => scene.script(server, repo, seed), { watched });
  await scene.finished(repo);
  const pids = readFileSync(out, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[0]);
  const calls = Math.max(...[...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length));
  return { spawns: readFileSync(join(repo.tmp, 'starts'), 'utf8').split('\n').length - 1, calls };
};

describe(`killed at any step, no byte of work is lost (seed ${SEED})`, () => {
  test.each(SCENES)(
    'while it $name',
    async (scene) => {
      execFileSync('strace', ['-V']);
      const roll = dice(SEED);
      const { spawns, calls } = await counted(scene, SEED);
      const spread = (count: number, most: number) => [
        ...new Set(
          Array.from({ length: count }, (_, at) => 1 + Math.floor(((at + roll(100) / 100) * most) / count)),
        ),
      ];
      const kills: readonly Kill[] = [
        ...spread(scene.kills.spawns, spawns).map(
          (count): Kill => ({ at: 'spawn', count, when: roll(2) === 0 ? 'before' : 'after' }),
        ),
        ...spread(scene.kills.inGit, spawns).map(
          (count): Kill => ({ at: 'in git', count, call: 1 + roll(8) }),
        ),
        ...spread(scene.kills.calls, calls).map((count): Kill => ({ at: 'call', count })),
      ];
      let died = 0;
      for (const [at, kill] of kills.entries()) if (await survives(scene, kill, SEED + at)) died += 1;
      expect(died).toBeGreaterThan(kills.length / 2);
    },
    3_600_000,
  );

  test('there are at least 60 of them', () => {
    const points = SCENES.map(({ kills: { spawns, inGit, calls } }) => spawns + inGit + calls);
    expect(points.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(60);
  });
});
