import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { kill } from './processes.ts';
import type { TempRepo } from './repo.ts';

/** The program as people start it. `npm test` builds it first. */
export const COPPICE = resolve(import.meta.dirname, '../../bin/coppice.js');

export interface RunOptions {
  /** Text for standard input; without it the input is empty and closed. */
  readonly stdin?: string;
  /** Added to the environment of the repository; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Working directory (default: the repository). */
  readonly cwd?: string;
  /** Milliseconds before the run is killed and rejects (default 60,000). */
  readonly timeout?: number;
  /** Another program in place of Coppice, as a command with arguments. */
  readonly command?: readonly [string, ...string[]];
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that is still running, with its output so far. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when a text or pattern has appeared on either output; rejects at the end or after `timeout` ms. */
  waitFor(what: string | RegExp, timeout?: number): Promise<void>;
  write(text: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves at the end, whatever the end is; rejects only when the run took too long. */
  readonly ended: Promise<Ran>;
}

/** Runs Coppice without a terminal to its end. */
export const runCoppice = async (
  place: Pick<TempRepo, 'path' | 'env'>,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> => {
  const running = startCoppice(place, args, options);
  if (options.stdin !== undefined) running.write(options.stdin);
  running.endInput();
  return running.ended;
};

/** Starts Coppice without a terminal; its input stays open until `endInput`. */
export const startCoppice = (
  place: Pick<TempRepo, 'path' | 'env'>,
  args: readonly string[],
  options: RunOptions = {},
): Running => {
  const { timeout = 60_000 } = options;
  const [file, ...first] = options.command ?? [process.execPath, COPPICE];
  const child = spawn(file, [...first, ...args], {
    cwd: options.cwd ?? place.path,
    env: { ...place.env, ...options.env },
    stdio: 'pipe',
  });
  const looking = new Set<() => void>();
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const decoder = new StringDecoder('utf8');
    const parts: string[] = [];
    stream.on('data', (bytes: Buffer) => {
      parts.push(decoder.write(bytes));
      for (const look of looking) look();
    });
    return () => parts.join('');
  }) as [() => string, () => string];
  // A program may end without reading its input; that is for the test to judge, not an error of the test.
  child.stdin.on('error', () => undefined);

  const { promise: ended, resolve: finish, reject } = Promise.withResolvers<Ran>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`${args.join(' ')} did not end within ${timeout} ms.\n${stdout()}\n${stderr()}`));
  }, timeout);
  child.once('error', reject);
  child.once('close', (code, signal) => {
    clearTimeout(timer);
    finish({ stdout: stdout(), stderr: stderr(), code, signal });
    for (const look of looking) look();
  });
  ended.catch(() => undefined);

  return {
    pid: child.pid ?? -1,
    stdout,
    stderr,
    waitFor: (what, patience = 20_000) =>
      new Promise((found, missed) => {
        const settle = (done: () => void): void => {
          clearTimeout(alarm);
          looking.delete(look);
          done();
        };
        const give = (why: string): void =>
          settle(() => missed(new Error(`${what} did not appear: ${why}.\n${stdout()}\n${stderr()}`)));
        const look = (): void => {
          const text = `${stdout()}\n${stderr()}`;
          if (typeof what === 'string' ? text.includes(what) : what.test(text)) settle(found);
          else if (child.exitCode !== null || child.signalCode !== null) give('the program has ended');
        };
        const alarm = setTimeout(() => give(`${patience} ms passed`), patience);
        looking.add(look);
        look();
      }),
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      clearTimeout(timer);
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        kill(child.pid, 'SIGKILL');
      await ended.catch(() => undefined);
    },
  };
};

/** Output in JSON lines as values; a line that is not JSON fails with its text. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        throw new SyntaxError(`Not a line of JSON: ${line.slice(0, 200)}`);
      }
    });
