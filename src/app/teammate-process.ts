/** Starts and ends teammates as processes of their own (setting `teammateMode: process`). They outlive their lead. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessOpening, StartedProcess, TeammateProcesses } from '../agents/host-deps.ts';
import type { ProcessStamp, Team, TeamMember } from '../contract/team.ts';
import { isAlive } from '../store/stamp.ts';
import { teammateArgs } from './teammate-args.ts';
import type { World } from './world.ts';

const GRACE_MS = 5_000;
/** How often it looks whether a process that is no child of ours still runs. */
const LOOK_MS = 500;

export const teammateProcesses = (world: World): TeammateProcesses => {
  const { flags, host } = world;
  return {
    wanted: () => (flags.teammateMode ?? world.loaded().settings.teammateMode) === 'process',
    async start(
      team: Team,
      member: TeamMember,
      opening: ProcessOpening,
    ): Promise<StartedProcess | { readonly refused: string }> {
      const [file, ...first] = host.program ?? [];
      if (file === undefined || world.homes.own === undefined || world.stores.memoryOnly)
        return {
          refused: 'A teammate cannot run as a process of its own here; set teammateMode to "in-process".',
        };
      const args = teammateArgs(`${team.key}/${member.name}`, flags, world.accepted.forThisRun(), opening);
      const log = openSync(join(world.homes.own, 'teams', team.key, `${member.session}.log`), 'a', 0o600);
      // Started where its lead was, so that paths in flags and the project mean the same.
      const child = spawn(file, [...first, ...args], {
        cwd: world.cwd,
        env: { ...host.env, COPPICE_TRUST: undefined },
        detached: true,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      const failed = await new Promise<string | undefined>((resolve) => {
        child.once('spawn', () => resolve(undefined));
        child.once('error', (error) => resolve(error.message));
      });
      if (failed !== undefined)
        return { refused: `The process of ${member.name} could not start: ${failed}` };
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.unref();
      return { ended, end: () => void (child.kill('SIGTERM') && killLate(child, ended)) };
    },
    attach: ({ runs }) => ({
      ended: runs ? gone(runs) : Promise.resolve(),
      end: () => void (runs && endProcess(runs)),
    }),
    end: async ({ runs }) => {
      if (runs) await endProcess(runs);
    },
    rest: async ({ runs }) => {
      if (runs && !(await goneWithin(runs, GRACE_MS))) await endProcess(runs);
    },
  };
};

const lives = (runs: ProcessStamp): boolean => isAlive(runs, Date.now());

/** Resolves when a process is gone, whoever started it. */
const gone = async (runs: ProcessStamp): Promise<void> => {
  while (lives(runs)) await pause(LOOK_MS, undefined, { ref: false });
};

const goneWithin = async (runs: ProcessStamp, ms: number): Promise<boolean> => {
  for (const from = performance.now(); lives(runs) && performance.now() - from < ms; ) await pause(50);
  return !lives(runs);
};

/** Asks a process to end, and makes it end after a while. */
export const endProcess = async (runs: ProcessStamp): Promise<void> => {
  if (lives(runs)) signal(runs.pid, 'SIGTERM');
  if (!(await goneWithin(runs, GRACE_MS))) signal(runs.pid, 'SIGKILL');
};

const killLate = (child: { kill(signal: 'SIGKILL'): boolean }, ended: Promise<void>): boolean => {
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  void ended.then(() => clearTimeout(timer));
  return true;
};

/** It may be gone already. */
const signal = (pid: number, name: 'SIGTERM' | 'SIGKILL'): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
