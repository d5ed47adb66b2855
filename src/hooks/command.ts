/** Hooks of type command: a shell line, PowerShell, or a program with its arguments (ruling 22). */
import { constants } from 'node:fs';
import { basename } from 'node:path';
import type { HookHandler } from '../contract/hook.ts';
import { noVerdict } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';
import { isFolder } from '../lib/is-folder.ts';
import { isThere } from '../lib/is-there.ts';
import { onPath } from '../lib/on-path.ts';
import { fillPlaceholders, hookVariables, inherited, placeholders, type Variables } from './environment.ts';
import { eventFacts } from './events.ts';
import { readBackgroundEnd, readEnd } from './exit-code.ts';
import type { Processes } from './process.ts';
import { asFields } from './reply.ts';
import type { Ran, RunCall, Runner } from './runner.ts';

export interface CommandPorts {
  env(): Variables;
  /** Names of credential variables that the person wants programs to have. */
  passCredentials(): readonly string[];
  /** Process id of the program, for hooks that want to signal it. */
  readonly pid: number;
  /** The file whose `export` lines shell commands of this session read. */
  envFile?(session: SessionState): Promise<string>;
  /** A folder where a plugin may keep things. */
  pluginData?(root: string): string;
}

type Command = Extract<HookHandler, { readonly type: 'command' }>;

const POWERSHELLS = ['pwsh', 'powershell', 'pwsh.exe', 'powershell.exe'];

/** `$SHELL` if it is bash or zsh and really there, else bash. */
const shellOf = async (env: Variables): Promise<string> => {
  const shell = env.SHELL ?? '';
  return /^(bash|zsh)$/.test(basename(shell)) && (await isThere(shell, constants.X_OK)) ? shell : 'bash';
};

const invocation = async (
  handler: Command,
  env: Variables,
  values: Readonly<Record<string, string>>,
): Promise<readonly [file: string, args: readonly string[]]> => {
  if (handler.args)
    return [
      fillPlaceholders(handler.command, values),
      handler.args.map((one) => fillPlaceholders(one, values)),
    ];
  if (handler.shell === 'powershell') {
    const found = await Promise.all(POWERSHELLS.map((name) => onPath(name, env.PATH ?? '')));
    const file = found.find((one) => one !== undefined);
    const line = fillPlaceholders(handler.command, values);
    return [file ?? 'pwsh', ['-NoProfile', '-NonInteractive', '-Command', line]];
  }
  return [await shellOf(env), ['-c', handler.command]];
};

/** The checkout's root, or the next place that still exists: a hook may have deleted it. */
const directoryOf = async (session: SessionState, home: string | undefined): Promise<string> => {
  for (const one of [session.checkout, session.project, session.cwd, home ?? '/'])
    if (await isFolder(one)) return one;
  return '/';
};

/** A home that cannot be written costs the hook this file and nothing else. */
const envFileOf = (ports: CommandPorts, session: SessionState): Promise<string | undefined> =>
  ports.envFile?.(session).catch(() => undefined) ?? Promise.resolve(undefined);

const LATER_MS = 600_000;

/** `{"async": true, "asyncTimeout": ms}` as the first thing printed: the hook wants to go to the background. */
const releaseOf = (stdout: string): number | undefined => {
  const text = stdout.trimStart();
  if (!text.startsWith('{')) return undefined;
  const line = text.includes('\n') ? text.slice(0, text.indexOf('\n')) : text.trimEnd();
  if (!line.trimEnd().endsWith('}')) return undefined;
  try {
    const fields = asFields(JSON.parse(line));
    if (fields?.async !== true) return undefined;
    return typeof fields.asyncTimeout === 'number' && fields.asyncTimeout > 0
      ? fields.asyncTimeout
      : LATER_MS;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

export const commandRunner =
  (ports: CommandPorts, processes: Processes): Runner<'command'> =>
  async (call: RunCall<Command>): Promise<Ran> => {
    const { handler, scope, source } = call;
    const env = inherited(ports.env(), ports.passCredentials());
    const cwd = await directoryOf(scope.session, env.HOME);
    const facts = {
      session: scope.session,
      source,
      pid: ports.pid,
      cwd,
      envFile: eventFacts[call.event].envFile ? await envFileOf(ports, scope.session) : undefined,
      pluginData: source.pluginRoot === undefined ? undefined : ports.pluginData?.(source.pluginRoot),
    };
    const [file, args] = await invocation(handler, env, placeholders(facts));
    const running = processes.run({
      file,
      args,
      cwd,
      env: { ...env, ...hookVariables(facts) },
      stdin: call.input,
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      started: call.started,
      releases: call.background ? undefined : releaseOf,
    });
    const seconds = call.timeoutMs / 1000;
    const wakes = handler.asyncRewake === true;
    const inBackground = async (): Promise<Ran> => readBackgroundEnd(call, await running.end, seconds, wakes);
    if (call.background) return inBackground();
    const settled = await running.settled;
    if (settled !== 'released') return readEnd(call, settled, seconds);
    return {
      outcome: 'success',
      exitCode: null,
      stdout: '',
      stderr: '',
      verdict: noVerdict,
      notices: [],
      rest: inBackground(),
    };
  };
