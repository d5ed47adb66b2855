/** What the program does while it is killed, and what must hold afterwards. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import type { TempRepo } from '../support/repo.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';
import { gitAt, type Work, writeWork } from '../support/worktree-work.ts';

export interface Scene {
  readonly name: string;
  /** How many kills: at spawns of git, inside of git, at calls of the program itself. */
  readonly kills: { readonly spawns: number; readonly inGit: number; readonly calls: number };
  /** Before the program starts: what is there already. Answers the work that must not be lost. */
  prepare(repo: TempRepo, seed: number): Promise<Work>;
  script(server: ModelServer, repo: TempRepo, seed: number): void;
  /** Work that was written while the program ran. */
  written(repo: TempRepo): Work;
  /** What a program that runs undisturbed has done in the end; also where an earlier one was killed. */
  finished(repo: TempRepo): Promise<void>;
}

/** A process of that id has never been: what it locked is a dead one's. */
const DEAD = { pid: 4_194_999 };

const made = async (repo: TempRepo, name: string): Promise<string> => {
  const worktree = await worktreeBench(repo.env, DEAD).open(repo.path, { name, owner: 'a dead session' });
  if ('refused' in worktree) throw new Error(worktree.refused);
  return worktree.path;
};

const NOTHING = (): Work => ({});
const list = (repo: TempRepo): string => join(repo.tmp, 'written');

const enter: Scene = {
  name: 'enters a worktree',
  kills: { spawns: 14, inGit: 8, calls: 8 },
  prepare: async () => ({}),
  script: (server) => server.script(use('EnterWorktreeTool', { name: 'w' }), say('done')),
  written: NOTHING,
  async finished(repo) {
    const path = worktreePath(repo, 'w');
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('# Sample\n');
    expect(await worktreeBench(repo.env).survey(path)).toMatchObject({ clean: true });
  },
};

const leave: Scene = {
  name: 'leaves a worktree with work in it',
  kills: { spawns: 18, inGit: 8, calls: 8 },
  prepare: async (repo, seed) => writeWork(repo.env, await made(repo, 'w'), seed),
  script: (server) =>
    server.script(
      use('EnterWorktreeTool', { name: 'w' }),
      use('ExitWorktreeTool', { discard_changes: true }),
      say('done'),
    ),
  written: NOTHING,
  finished: async (repo) => expect(existsSync(worktreePath(repo, 'w'))).toBe(false),
};

/** As if it had been made long ago. */
const age = (repo: TempRepo, name: string): void => {
  const memo = join(repo.path, '.git/worktrees', name, 'coppice.json');
  const facts = JSON.parse(readFileSync(memo, 'utf8'));
  writeFileSync(memo, JSON.stringify({ ...facts, createdAt: '2020-01-01T00:00:00.000Z' }));
};

const sweep: Scene = {
  name: 'sweeps',
  kills: { spawns: 10, inGit: 6, calls: 5 },
  async prepare(repo, seed) {
    const work = writeWork(repo.env, await made(repo, 'w'), seed);
    await made(repo, 'old');
    for (const name of ['w', 'old']) age(repo, name);
    return work;
  },
  script: (server) => server.script(say('done')),
  written: NOTHING,
  finished: async (repo) =>
    expect(['w', 'old'].map((name) => existsSync(worktreePath(repo, name)))).toEqual([true, false]),
};

const agents: Scene = {
  name: 'runs an agent in a worktree that ends with work',
  kills: { spawns: 10, inGit: 4, calls: 8 },
  prepare: async () => ({}),
  script(server, repo, seed) {
    const program = [process.execPath, join(import.meta.dirname, 'write-work.ts')].join(' ');
    const script = join(repo.tmp, 'work.sh');
    // Its own git runs without the shim: only what Coppice does is killed.
    writeFileSync(script, `PATH=${repo.env.PATH}\n${program} "$PWD" ${seed} ${list(repo)}\n`);
    const command = `bash ${script}`;
    server.lane(
      ({ raw }: Received) => raw.includes('the-work-of-a-child'),
      use('Bash', { command }),
      say('child done'),
    );
    server.script(
      use('AgentTool', {
        prompt: 'the-work-of-a-child',
        description: 'write some work',
        isolation: 'worktree',
      }),
      say('done'),
    );
  },
  written: (repo) =>
    existsSync(list(repo))
      ? Object.fromEntries(
          readFileSync(list(repo), 'utf8')
            .split('\n')
            .flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
        )
      : {},
  finished: async (repo) =>
    expect(readdirSync(join(repo.path, '.coppice/worktrees'))).toContainEqual(
      expect.stringMatching(/^general-purpose-/),
    ),
};

export const SCENES: readonly Scene[] = [enter, leave, sweep, agents];

/** Files, index, HEAD, refs and status of the main checkout; what belongs to worktrees and rescues aside. */
export const mainTree = (repo: TempRepo): Readonly<Record<string, unknown>> => {
  const git = (...args: string[]) => gitAt(repo.env, repo.path, ...args);
  const refs = git('for-each-ref', '--format=%(objectname) %(refname)').split('\n');
  return {
    files: readdirSync(repo.path, { recursive: true, withFileTypes: true })
      .filter(({ parentPath }) => !/\/(\.git|\.coppice)(\/|$)/.test(parentPath.slice(repo.path.length)))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [
        join(parentPath, name),
        readFileSync(join(parentPath, name)).toString('base64'),
      ]),
    index: git('ls-files', '-s', '-v'),
    head: readFileSync(join(repo.path, '.git/HEAD'), 'utf8'),
    refs: refs.filter((line) => !/ refs\/(heads\/(worktree-|rescued\/)|coppice\/|stash$)/.test(line)),
    status: git('status', '--porcelain=v2', '--branch'),
  };
};
