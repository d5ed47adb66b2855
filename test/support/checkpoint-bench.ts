/** The file history over a real repository and real git, with calls as the loop makes them; git can be made to fail. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCheckpoints } from '../../src/checkpoints/checkpoints.ts';
import type { Checkpoints, RunGit } from '../../src/contract/checkpoint.ts';
import type { SessionState } from '../../src/contract/state.ts';
import { findGit, runGit } from '../../src/git/run.ts';
import type { TempRepo } from './repo.ts';

export interface Bench {
  readonly history: Checkpoints;
  readonly said: string[];
  /** Programs started, by their subcommand. */
  readonly ran: string[];
  /** A call of a tool: recorded before, done, recorded after. */
  edit(path: string, content: string | Buffer, agent?: string): Promise<void>;
  bash(work: () => unknown, agent?: string): Promise<void>;
  readonly state: (agent?: string) => SessionState;
}

/** What git says when it fails at something; undefined where it goes on. */
export type Refusal = (args: readonly string[], input: string) => string | undefined;

export const bench = (repo: TempRepo, top = repo.path, withGit = true, refusal?: Refusal): Bench => {
  const said: string[] = [];
  const ran: string[] = [];
  const program = findGit(repo.env, []);
  const git: RunGit | undefined =
    program && withGit
      ? (cwd, args, options) => {
          ran.push(args[0] ?? '');
          const stderr = refusal?.(args, String(options?.input ?? ''));
          if (stderr !== undefined) return Promise.resolve({ code: 128, stdout: Buffer.alloc(0), stderr });
          return runGit(program, cwd, args, options);
        }
      : undefined;
  let clock = 1000;
  const history = createCheckpoints({
    folder: async () => join(repo.state, 'checkpoints'),
    git,
    never: [repo.home, '/'],
    now: () => clock++,
    trouble: (text) => said.push(text),
  });
  const state = (agent = 'main') =>
    ({ id: agent, agent: { type: agent }, checkout: top, cwd: top }) as unknown as SessionState;
  let calls = 0;
  const call = async (tool: string, file: string | undefined, work: () => unknown, agent?: string) => {
    const id = `call-${calls++}`;
    await history.before({
      id,
      state: state(agent),
      tool,
      subject: file ?? 'command',
      ...(file ? { file } : {}),
    });
    await work();
    history.after(id);
  };
  return {
    history,
    said,
    ran,
    state,
    edit: (path, content, agent) =>
      call('Write', join(top, path), () => put(join(top, path), content), agent),
    bash: (work, agent) => call('Bash', undefined, work, agent),
  };
};
export const put = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
export const back = async (history: Checkpoints, at: number, foreign: 'keep' | 'overwrite' = 'keep') =>
  history.restore(await history.planSince(at), { foreign, why: 'test' });
