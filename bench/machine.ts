import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** What a reader of the figures must know about where they come from. */
export const machine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch} ${release()}`,
  processor: cpus()[0]?.model,
  processors: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  /** Above the number of processors, times are those of a busy machine. */
  load: loadavg().map((load) => Math.round(load * 100) / 100),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim(),
});
