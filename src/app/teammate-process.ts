/** Starts and ends teammates as processes of their own (setting `teammateMode: process`). They outlive their lead. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { StartedProcess, TeammateProcesses } from '../agents/host-deps.ts';
import type { Mode } from '../contract/mode.ts';
import type { Team, TeamMember } from '../contract/team.ts';
import { isAlive } from '../store/stamp.ts';
import type { House } from './house.ts';

const GRACE_MS = 5_000;

export const teammateProcesses = (house: House): TeammateProcesses => {
  const { world } = house;
  const { flags, host } = world;
  return {
    wanted: () => (flags.teammateMode ?? world.loaded().settings.teammateMode) === 'process',
    async start(
      team: Team,
      member: TeamMember,
      mode: Mode,
    ): Promise<StartedProcess | { readonly refused: string }> {
      const program = host.program;
      if (program === undefined || world.homes.own === undefined)
        return {
          refused: 'A teammate cannot run as a process of its own here; set teammateMode to "in-process".',
        };
      const args = [
        ...program.slice(1),
        '--teammate',
        `${team.key}/${member.name}`,
        '--permission-mode',
        mode,
        ...(flags.settings ? ['--settings', flags.settings] : []),
        ...(flags.settingSources === undefined ? [] : ['--setting-sources', flags.settingSources]),
        ...(world.trust.trusted ? ['--trust'] : []),
        ...(flags.practice ? ['--practice'] : []),
      ];
      const log = openSync(join(world.homes.own, 'teams', team.key, `${member.session}.log`), 'a', 0o600);
      const child = spawn(program[0] ?? '', args, {
        cwd: member.cwd,
        env: { ...host.env },
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
    async end(member) {
      const { runs } = member;
      if (!runs) return;
      const alive = () => isAlive(runs, Date.now());
      if (alive()) signal(runs.pid, 'SIGTERM');
      for (const from = performance.now(); alive() && performance.now() - from < GRACE_MS; ) await pause(50);
      if (alive()) signal(runs.pid, 'SIGKILL');
    },
  };
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
