import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { RunningCommand, Shell, ShellRequest, ShellResult } from '../contract/shell.ts';
import { startFault } from '../lib/start-fault.ts';
import { type CommandEnvironment, commandEnvironment } from './environment.ts';
import { endGroup, isAlive } from './group.ts';
import { type Guard, openGuard } from './guard.ts';
import { collectOutput, type OutputLimits } from './output.ts';
import { openPipes, type Pipe, type Pipes } from './pipe.ts';
import { isLong, wrapped } from './script.ts';

/** Grace between SIGTERM and SIGKILL. */
const STOP_GRACE_MS = 2_000;
/** A person who pressed Esc waits for less. */
const INTERRUPT_GRACE_MS = 600;
/** How long output may still arrive after the shell has ended while something else holds its pipe. */
const DRAIN_MS = 50;
/** Of bytes in a path, many times over. */
const LONGEST_PATH = 64 * 1024;

export interface ShellOptions extends Partial<OutputLimits> {
  /** Where to find bash and the guard's tools. */
  readonly path: string;
  readonly bash?: string;
}

interface Tools {
  readonly bash: string;
  readonly environment: CommandEnvironment;
  readonly limits: OutputLimits;
  readonly guard: Guard;
  readonly pipes: Pipes;
  readonly running: Set<RunningCommand>;
}

/** `maxChars` of output reach the model (30,000), `maxFileBytes` are kept on disk (64 MB). */
export const createShell = (options: ShellOptions): Shell => {
  const mark = randomUUID();
  const bash = options.bash ?? 'bash';
  const running = new Set<RunningCommand>();
  const tools: Tools = {
    bash,
    environment: commandEnvironment(mark),
    limits: { maxChars: options.maxChars ?? 30_000, maxFileBytes: options.maxFileBytes ?? 64 * 1024 * 1024 },
    guard: openGuard(bash, options.path, mark),
    pipes: openPipes(),
    running,
  };
  let closed = false;
  return {
    warm: () => {
      if (!closed) tools.guard.stand(tools.pipes.maker);
    },
    start: (request) =>
      closed
        ? notStarted(request, 'The program is ending; nothing is started any more.')
        : run(tools, request),
    close: async () => {
      closed = true;
      await Promise.all([...running].map((command) => command.stop()));
      tools.guard.close();
      tools.pipes.close();
    },
  };
};

const run = (tools: Tools, request: ShellRequest): RunningCommand => {
  const began = performance.now();
  const output = collectOutput(request.outputFile, tools.limits);
  tools.guard.stand();
  const started = launch(tools, request);
  if ('problem' in started) return notStarted(request, started.problem);
  const { child, stream, pipe } = started;
  const pid = child.pid ?? 0;
  if (pid > 0) tools.guard.watch(pid);

  let timedOut = false;
  let interrupted = false;
  let settled = false;
  let ending: Promise<void> | undefined;
  const end = (graceMs: number): Promise<void> => {
    ending ??= endGroup(pid, graceMs);
    return ending;
  };
  const onAbort = (): void => {
    interrupted = true;
    void end(INTERRUPT_GRACE_MS);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    void end(STOP_GRACE_MS);
  }, request.timeoutMs);
  const unbind = (): void => {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
  };
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener('abort', onAbort, { once: true });

  const ended = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      if (settled) return;
      output.push(chunk);
      request.onOutput?.();
    });
    stream.on('error', () => resolve());
    stream.on('close', () => {
      pipe?.recycle();
      // What was left running has closed its output and may be gone.
      if (settled && !isAlive(pid)) tools.guard.forget(pid);
      resolve();
    });
  });
  const exited = new Promise<Pick<ShellResult, 'exitCode' | 'signal' | 'notStarted'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    child.once('error', (error) =>
      resolve({ exitCode: null, signal: null, notStarted: noShell(tools.bash, error) }),
    );
  });

  const finish = async (): Promise<ShellResult> => {
    const exit = await exited;
    await ending;
    if (exit.notStarted === undefined) await endedWithin(ended, DRAIN_MS);
    settled = true;
    unbind();
    output.finish();
    tools.running.delete(command);
    const leftRunning = isAlive(pid);
    if (!leftRunning) tools.guard.forget(pid);
    else if (stream instanceof Socket) stream.unref();
    if (isLong(request.command)) rmSync(commandFile(request), { force: true });
    return {
      ...exit,
      timedOut,
      interrupted,
      output: output.text(),
      totalBytes: output.total(),
      truncated: output.truncated(),
      cwd: finalCwd(request),
      ms: Math.round(performance.now() - began),
      leftRunning,
    };
  };
  const command: RunningCommand = {
    pid,
    result: Promise.resolve().then(finish),
    tail: output.text,
    news: output.news,
    stop: () => end(STOP_GRACE_MS),
    detach: () => {
      unbind();
      output.keep();
    },
  };
  tools.running.add(command);
  return command;
};

interface Launched {
  readonly child: ChildProcess;
  readonly stream: Readable;
  readonly pipe?: Pipe;
}

/** Throws nothing: descriptors may be used up, and a command may hold bytes that no process can be given. */
const launch = (tools: Tools, request: ShellRequest): Launched | { readonly problem: string } => {
  let pipe: Pipe | undefined;
  try {
    pipe = tools.pipes.take();
    const script = `${pipe ? '' : 'exec 2>&1; '}${scriptOf(request)}`;
    const { sandbox } = request;
    const env = tools.environment(request.env);
    const child = spawn(tools.bash, ['--norc', '--noprofile', '-c', sandbox?.line ?? script], {
      cwd: request.cwd,
      env: sandbox ? { ...env, COPPICE_SCRIPT: script } : env,
      detached: true,
      stdio: pipe ? ['ignore', pipe.write, pipe.write] : ['ignore', 'pipe', 'ignore'],
    });
    if (!pipe && child.stdout) return { child, stream: child.stdout };
    if (!pipe) {
      // Node gives a child no output where no descriptor is left; its error comes later, and says the same.
      child.once('error', () => undefined);
      return { problem: noShell(tools.bash, { code: 'EMFILE' }) };
    }
    return { child, stream: new Socket({ fd: pipe.read, readable: true, writable: false }), pipe };
  } catch (error) {
    if (pipe) closeSync(pipe.read);
    pipe?.recycle();
    return { problem: noShell(tools.bash, error) };
  } finally {
    if (pipe) closeSync(pipe.write);
  }
};

const commandFile = (request: ShellRequest): string => `${request.outputFile}.sh`;
const cwdFile = ({ sandbox, outputFile }: ShellRequest): string =>
  `${sandbox ? join(sandbox.scratch, basename(outputFile)) : outputFile}.cwd`;

const scriptOf = (request: ShellRequest): string => {
  const long = isLong(request.command);
  if (long) writeFileSync(commandFile(request), request.command, { mode: 0o600, flag: 'wx' });
  return wrapped({
    command: request.command,
    cwd: request.cwd,
    cwdFile: cwdFile(request),
    envFiles: request.envFiles ?? [],
    ...(long ? { commandFile: commandFile(request) } : {}),
  });
};

/** Where the script ended, if that is still a directory. */
const finalCwd = (request: ShellRequest): string => {
  const file = cwdFile(request);
  // The script could have put anything there.
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > LONGEST_PATH) return request.cwd;
  const cwd = readFileSync(file, 'utf8').replace(/\n$/, '');
  rmSync(file, { force: true });
  return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ? cwd : request.cwd;
};

const noShell = (bash: string, error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
    ? `There is no ${bash} on PATH. Install bash, then try again.`
    : `The shell could not be started: ${startFault(error) ?? (error instanceof Error ? error.message : String(error))}.`;

const notStarted = (request: ShellRequest, problem: string): RunningCommand => ({
  pid: 0,
  result: Promise.resolve({
    exitCode: null,
    signal: null,
    timedOut: false,
    interrupted: false,
    output: '',
    totalBytes: 0,
    truncated: false,
    cwd: request.cwd,
    ms: 0,
    leftRunning: false,
    notStarted: problem,
  }),
  tail: () => '',
  news: () => '',
  stop: async () => undefined,
  detach: () => undefined,
});

const endedWithin = async (ended: Promise<void>, ms: number): Promise<void> => {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([ended, late.promise]);
  clearTimeout(timer);
};
