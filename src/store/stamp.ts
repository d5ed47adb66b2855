/** Which process it is, and whether it still runs: pids are used again, so start and boot count too. */
import { hostname } from 'node:os';
import type { ProcessStamp } from '../contract/team.ts';
import { bootId, processStart } from './process-start.ts';

export const stampOf = (pid: number): ProcessStamp => ({
  pid,
  start: processStart(pid) ?? '',
  boot: bootId(),
  host: hostname(),
});

/** A process of another machine counts as living this long after its last sign. */
const FOREIGN_LEASE_MS = 5 * 60_000;

/** `seen`: its last sign of life, epoch milliseconds; only asked for processes of other machines. */
export const isAlive = (stamp: ProcessStamp, seen: number): boolean => {
  if (stamp.host !== hostname()) return Date.now() - seen < FOREIGN_LEASE_MS;
  if (stamp.boot !== bootId()) return false;
  const start = processStart(stamp.pid);
  return start !== undefined && (start === stamp.start || stamp.start === '');
};
