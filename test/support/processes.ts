import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Running processes with `RUN_TAG=tag` in their environment (Linux only; elsewhere none are found). */
export const tagged = (tag: string): Leftover[] =>
  pids().flatMap((pid) => {
    const environment = proc(pid, 'environ');
    if (pid === process.pid || !environment?.split('\0').includes(`RUN_TAG=${tag}`)) return [];
    return [{ pid, command: proc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() ?? '' }];
  });

/** What still carries the tag `patience` ms after now; returns as soon as nothing does. */
export const leftovers = async (tag: string, patience = 5000): Promise<Leftover[]> => {
  const end = Date.now() + patience;
  for (;;) {
    const found = tagged(tag);
    if (found.length === 0 || Date.now() > end) return found;
    await sleep(25);
  }
};

/** Kills everything that carries the tag, so that a failed test leaves nothing behind. */
export const killTagged = (tag: string): void => {
  for (const { pid } of tagged(tag)) kill(pid, 'SIGKILL');
};

/** Sends a signal; false if there is no such process any more. */
export const kill = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
};

/** Dead children that `parent` has not yet waited for. */
export const zombiesOf = (parent: number): number[] =>
  pids().filter((pid) => {
    const [state, ppid] = statOf(pid);
    return state === 'Z' && Number(ppid) === parent;
  });

/** Highest resident set of a running process in MB, or undefined once it is gone. */
export const peakMegabytes = (pid: number): number | undefined => {
  const kilobytes = proc(pid, 'status')?.match(/^VmHWM:\s+(\d+) kB/m)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
};

/** Share of one processor that a process uses over `period` ms, 0 to 1 and more with threads. */
export const processorShare = async (pid: number, period: number): Promise<number> => {
  const ticks = (): number => Number(statOf(pid)[11] ?? 0) + Number(statOf(pid)[12] ?? 0);
  const [before, began] = [ticks(), performance.now()];
  await sleep(period);
  const TICKS_A_SECOND = 100;
  return (ticks() - before) / TICKS_A_SECOND / ((performance.now() - began) / 1000);
};

const pids = (): number[] => {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
};

/** Fields of /proc/PID/stat from the state on; the command before it may hold blanks and brackets. */
const statOf = (pid: number): string[] => {
  const line = proc(pid, 'stat') ?? '';
  return line.slice(line.lastIndexOf(')') + 2).split(' ');
};

const proc = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
};
