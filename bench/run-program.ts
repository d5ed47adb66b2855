import { spawn } from 'node:child_process';
import type { Place } from './place.ts';

export interface Ended {
  /** Milliseconds from the start to the end. */
  readonly ms: number;
  readonly output: string;
}

/** Runs a program without a terminal to its end; one that fails stops the bench with what it said. */
export const runProgram = (
  { repository, env }: Place,
  command: readonly string[],
  started?: (pid: number) => void,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const [file = '', ...args] = command;
    const began = performance.now();
    const child = spawn(file, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) started?.(child.pid);
    let output = '';
    let problem = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    child.stderr.on('data', (part) => {
      problem += part;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - began, output });
      else reject(new Error(`${command.join(' ')} ended with ${code}: ${problem}`));
    });
  });
