/** Process groups. A group is known by the process id of the shell that leads it. */
import { readdirSync, readFileSync } from 'node:fs';

const POLL_MS = 20;
const KILLED_WITHIN_MS = 500;

/** False when no process of the group is left. */
const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  if (group <= 0) return false;
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // EPERM: it exists, but has become another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Whether a process of the group still runs; one that has ended and waits for its parent to notice does not. */
export const isAlive = (group: number): boolean =>
  signalGroup(group, 0) && (process.platform !== 'linux' || members(group).some((state) => state !== 'Z'));

/** States of the group's processes, as /proc tells them: `PID (NAME) STATE PARENT GROUP ...`. */
const members = (group: number): readonly string[] =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const stat = statOf(pid);
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== undefined && Number(itsGroup) === group ? [state] : [];
  });

/** Empty when the process has ended meanwhile. */
const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};

/** SIGTERM, then SIGKILL to what is left after `graceMs`; resolves when the group is gone. */
export const endGroup = async (group: number, graceMs: number): Promise<void> => {
  if (!signalGroup(group, 'SIGTERM')) return;
  if (await isGone(group, graceMs)) return;
  signalGroup(group, 'SIGKILL');
  await isGone(group, KILLED_WITHIN_MS);
};

/** Nobody tells of a group's end, only of its leader's: so it is looked at now and then. */
const isGone = async (group: number, withinMs: number): Promise<boolean> => {
  const until = performance.now() + withinMs;
  while (isAlive(group)) {
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
};
