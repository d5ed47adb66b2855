/** Runs hook processes: a group of their own, input written and closed, capped output, an end by our clock. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../lib/error-text.ts';
import { startFault } from '../lib/start-fault.ts';

/** Bytes kept of each of stdout and stderr; what comes after is read and dropped. */
export const OUTPUT_CAP = 1024 * 1024;
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2000;
/** How long the dead may take to be taken off the list. */
const REAP_MS = 250;
/** How long output may be silent after the process has ended while someone else keeps the pipe open. */
const DRAIN_MS = 40;
const DRAIN_LIMIT_MS = 250;
const LONGEST_MS = 2 ** 31 - 1;

export interface ProcessRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  started(): void;
  /** Looks at the output so far; a number lets the process run on in the background for that many milliseconds. */
  releases?(stdout: string): number | undefined;
}

export interface ProcessEnd {
  /** `failed`: it never started. */
  readonly kind: 'exited' | 'timeout' | 'cancelled' | 'failed';
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** More than the cap was printed. */
  readonly cut: boolean;
  readonly error?: string;
}

export interface RunningProcess {
  /** What the caller waits for: the end, or that it went to the background. */
  readonly settled: Promise<ProcessEnd | 'released'>;
  readonly end: Promise<ProcessEnd>;
}

export interface Processes {
  run(request: ProcessRequest): RunningProcess;
  /** Ends every group that is still alive, of running hooks and of what ended hooks left behind. */
  close(): Promise<void>;
}

const isAlive = (group: number): boolean => {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const send = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** SIGTERM, and SIGKILL to what is still there after the grace. Resolves when the group is gone or was killed. */
const endGroup = async (group: number, graceMs = GRACE_MS): Promise<void> => {
  send(group, 'SIGTERM');
  await gone(group, graceMs);
  if (!isAlive(group)) return;
  send(group, 'SIGKILL');
  await gone(group, REAP_MS);
};

const gone = async (group: number, atMostMs: number): Promise<void> => {
  const until = performance.now() + atMostMs;
  while (isAlive(group) && performance.now() < until) await sleep(10);
};

/** Collects up to the cap. */
const collector = (stream: Readable | null) => {
  const chunks: Buffer[] = [];
  let kept = 0;
  let total = 0;
  stream?.on('data', (chunk: Buffer) => {
    total += chunk.length;
    if (kept >= OUTPUT_CAP) return;
    const part = chunk.subarray(0, OUTPUT_CAP - kept);
    chunks.push(part);
    kept += part.length;
  });
  stream?.on('error', () => stream.destroy());
  return {
    text: () => Buffer.concat(chunks).toString('utf8'),
    total: () => total,
    cut: () => total > kept,
    kept: () => kept,
  };
};

/** Somebody else may hold the pipe for hours: it is read on, but keeps nobody waiting. */
const letGo = (stream: Readable | null): void => {
  if (!stream || stream.destroyed) return;
  stream.removeAllListeners('data');
  stream.resume();
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
};

export const createProcesses = (): Processes => {
  const groups = new Set<number>();

  /** What a hook leaves running may go on until the hook's own time is up, then it is ended. */
  const watchLeftovers = (group: number, deadline: number): void => {
    if (!isAlive(group)) return void groups.delete(group);
    const watch = setInterval(() => {
      const alive = isAlive(group);
      if (alive && performance.now() < deadline) return;
      clearInterval(watch);
      if (!alive) groups.delete(group);
      else void endGroup(group).then(() => groups.delete(group));
    }, 100);
    watch.unref();
  };

  const run = (request: ProcessRequest): RunningProcess => {
    const settled = Promise.withResolvers<ProcessEnd | 'released'>();
    const end = Promise.withResolvers<ProcessEnd>();
    const begun = performance.now();
    let deadline = begun + request.timeoutMs;
    let over = false;
    let child: ChildProcess;
    const failed = (error: unknown): ProcessEnd => ({
      kind: 'failed',
      code: null,
      signal: null,
      stdout: '',
      stderr: '',
      cut: false,
      error: startFault(error) ?? errorText(error),
    });
    const finish = (result: ProcessEnd): void => {
      settled.resolve(result);
      end.resolve(result);
    };
    if (request.signal.aborted) {
      finish({ ...failed(''), kind: 'cancelled' });
      return { settled: settled.promise, end: end.promise };
    }
    try {
      child = spawn(request.file, [...request.args], {
        cwd: request.cwd,
        env: { ...request.env },
        detached: true,
        stdio: 'pipe',
        windowsHide: true,
      });
    } catch (error) {
      finish(failed(error));
      return { settled: settled.promise, end: end.promise };
    }
    const out = collector(child.stdout);
    const err = collector(child.stderr);
    let closed = false;
    const closing = new Promise<void>((resolve) => child.once('close', () => resolve()));
    void closing.then(() => {
      closed = true;
    });
    let timer: NodeJS.Timeout;
    const conclude = (kind: ProcessEnd['kind'], code: number | null, signal: string | null): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      request.signal.removeEventListener('abort', cancel);
      finish({ kind, code, signal, stdout: out.text(), stderr: err.text(), cut: out.cut() || err.cut() });
      letGo(child.stdout);
      letGo(child.stderr);
      if (child.pid !== undefined) watchLeftovers(child.pid, deadline);
    };
    let ending = false;
    const expire = async (): Promise<void> => {
      ending = true;
      if (child.pid !== undefined) await endGroup(child.pid);
      conclude('timeout', null, null);
    };
    const cancel = (): void => {
      if (child.pid !== undefined) void endGroup(child.pid);
      conclude('cancelled', null, null);
    };
    const limit = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void expire(), Math.min(ms, LONGEST_MS));
    };
    limit(request.timeoutMs);
    request.signal.addEventListener('abort', cancel, { once: true });

    /** The process is gone; what it wrote may still be in the pipe. */
    const drain = async (): Promise<void> => {
      const until = performance.now() + DRAIN_LIMIT_MS;
      while (!closed && performance.now() < until) {
        const before = out.total() + err.total();
        await Promise.race([closing, sleep(DRAIN_MS)]);
        await nextTurn();
        if (out.total() + err.total() === before) return;
      }
    };
    child.once('spawn', () => {
      if (child.pid !== undefined) groups.add(child.pid);
      request.started();
    });
    child.once('error', (error) => {
      if (child.pid !== undefined || over) return;
      over = true;
      clearTimeout(timer);
      request.signal.removeEventListener('abort', cancel);
      finish(failed(error));
    });
    child.once('exit', (code, signal) => {
      if (!ending) void drain().then(() => conclude('exited', code, signal));
    });
    if (request.releases) {
      const look = (): void => {
        const ms = out.kept() < 4096 ? request.releases?.(out.text()) : undefined;
        if (ms === undefined) {
          if (out.kept() >= 4096) child.stdout?.removeListener('data', look);
          return;
        }
        child.stdout?.removeListener('data', look);
        deadline = performance.now() + ms;
        limit(ms);
        request.signal.removeEventListener('abort', cancel);
        settled.resolve('released');
      };
      child.stdout?.on('data', look);
    }
    // Many hooks never read what they are given.
    child.stdin?.on('error', () => child.stdin?.destroy());
    child.stdin?.end(request.stdin);
    return { settled: settled.promise, end: end.promise };
  };

  return {
    run,
    async close() {
      await Promise.all([...groups].filter(isAlive).map((group) => endGroup(group, 500)));
      groups.clear();
    },
  };
};
