/** The process as the rest of app/ sees it: the only place that touches `process`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isCredential } from '../hooks/environment.ts';
import { masker } from '../lib/mask.ts';
import { safeText } from '../lib/safe-text.ts';

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the program was started, as the shell names it. */
  readonly cwd: string;
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly pid: number;
  /** The command that runs this program, without arguments. */
  readonly program?: readonly string[];
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /**
   * Text for standard output. What comes from a repository, a server or a model can drive no terminal; a program
   * that reads gets it to the letter. Credentials of the environment are masked.
   */
  print(text: string): void;
  /** Text for standard error: logs are looked at in terminals too. */
  tell(text: string): void;
  onSignal(signal: NodeJS.Signals, action: () => void): void;
  /** Called with what nobody caught, also in a promise; the program ends with 1 after all of them, or a few seconds later. */
  onFault(action: (error: unknown) => unknown): void;
  exit(code: number): never;
}

const workingDirectory = (): string => {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
};

const homeOf = (env: NodeJS.ProcessEnv): string | undefined => {
  if (env.HOME !== undefined) return env.HOME === '' ? undefined : env.HOME;
  return process.platform === 'win32' ? homedir() : undefined;
};

/** A temporary folder that is not there would fail whatever needs one: the system's own serves instead. */
const environment = (): NodeJS.ProcessEnv => {
  if (process.env.TMPDIR !== undefined && !existsSync(process.env.TMPDIR)) delete process.env.TMPDIR;
  return process.env;
};

/** The credentials that the program was started with. */
const ownSecrets = (): readonly (string | undefined)[] =>
  Object.entries(process.env).map(([name, value]) => (isCredential(name) ? value : undefined));

/** So long a program that failed has for closing what is open, in milliseconds. */
const CLOSING_MS = 5_000;

/** Only the first fault counts: what fails while it ends changes nothing about that. */
const faults = (): Host['onFault'] => {
  const actions: ((error: unknown) => unknown)[] = [];
  const end = async (error: unknown): Promise<void> => {
    setTimeout(() => process.exit(1), CLOSING_MS);
    for (const action of actions.splice(0)) await action(error);
    process.exit(1);
  };
  let ending: Promise<void> | undefined;
  return (action) => {
    if (actions.push(action) > 1 || ending) return;
    process.on('uncaughtException', (error) => {
      ending ??= end(error).catch(() => process.exit(1));
    });
  };
};

export const createHost = (): Host => {
  const masked = masker(ownSecrets());
  return {
    env: environment(),
    cwd: workingDirectory(),
    home: homeOf(process.env),
    platform: process.platform,
    uid: process.getuid?.(),
    pid: process.pid,
    program: process.argv[1] ? [process.execPath, ...process.execArgv, process.argv[1]] : undefined,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    print: (text) => void process.stdout.write(masked(process.stdout.isTTY ? safeText(text) : text)),
    tell: (text) => void process.stderr.write(masked(safeText(text))),
    onSignal: (signal, action) => void process.on(signal, action),
    onFault: faults(),
    exit(code) {
      // A terminal that went away cannot be given back: Node would fail on it, the signal itself does not.
      if (code === 129) {
        process.removeAllListeners('SIGHUP');
        process.kill(process.pid, 'SIGHUP');
      }
      process.exit(code);
    },
  };
};
