/** Runs git so that a repository's own configuration can execute nothing (security T5). */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { startFault } from '../lib/start-fault.ts';

export interface GitDone {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export type Setting = readonly [key: string, value: string];

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Further settings, over those of the repository. */
  readonly config?: readonly Setting[];
}

/** Git ended with an error; the message is what git said, as one sentence. */
export class GitFailed extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

export interface GitProgram {
  /** Absolute path of the program. */
  readonly binary: string;
  /** Everything git may see of the surroundings. */
  readonly env: Readonly<Record<string, string>>;
}

const PASSED = /^(HOME|PATH|USER|LOGNAME|TMPDIR|TMP|TEMP|XDG_CONFIG_HOME|SystemRoot|GIT_CONFIG_NOSYSTEM)$/;

/** The variables of git's own that every call gets; the environment's own `GIT_*` never counts. */
export const GIT_VARIABLES: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  // No protocol is allowed: a partial clone must not fetch, and so start programs, behind our back.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
};

/** Finds git on PATH. Relative entries and whatever lies inside `outside` do not count. */
export const findGit = (
  env: Readonly<Record<string, string | undefined>>,
  outside: readonly string[],
): GitProgram | undefined => {
  const binary = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !outside.some((place) => `${folder}/`.startsWith(`${place}/`)))
    .map((folder) => join(folder, 'git'))
    .find(executable);
  if (!binary) return undefined;
  const passed = Object.entries(env).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { binary, env: { ...Object.fromEntries(passed), LC_ALL: 'C.UTF-8', ...GIT_VARIABLES } };
};

const executable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Settings that no repository may overrule. */
const FIXED: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.quotePath=false',
  'core.alternateRefsCommand=',
  'diff.external=',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'diff.submodule=short',
  'status.submoduleSummary=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'log.showSignature=false',
  'merge.verifySignatures=false',
];

/** Arguments that stand before the subcommand. */
export const LEADING: readonly string[] = ['--no-pager', ...FIXED.flatMap((setting) => ['-c', setting])];

/** Settings as variables: in `-c` a key that holds an "=" would be cut there. */
export const configured = (settings: readonly Setting[]): Readonly<Record<string, string>> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
});

/** Starts git with the settings that hold always. */
export const startGit = (
  program: GitProgram,
  cwd: string,
  args: readonly string[],
  options: Pick<RunOptions, 'env' | 'config' | 'signal'> = {},
): ChildProcess =>
  spawn(program.binary, [...LEADING, ...args], {
    cwd,
    env: { ...program.env, ...configured(options.config ?? []), ...options.env },
    stdio: 'pipe',
    signal: options.signal,
  });

const MINUTE = 60_000;

/** Minutes, by subcommand: what looks one thing up, and what looks at every file. */
const PATIENCE: readonly (readonly [RegExp, number])[] = [
  [/^(config|rev-parse|for-each-ref|show-ref|cat-file|ls-files|check-ignore|update-ref)$/, 1],
  [/^(status|diff|diff-index|log|rev-list)$/, 3],
];

/** Milliseconds. Anything that lies in the repository may hold git for ever: no call waits as long as that. */
const patienceFor = (args: readonly string[]): number => {
  const name = args.find((arg) => /^[a-z-]+$/.test(arg) && arg !== '-c') ?? '';
  return (PATIENCE.find(([names]) => names.test(name))?.[1] ?? 10) * MINUTE;
};

/** As the end of a sentence. */
export const tooLong = (ms: number): string =>
  `git had not ended after ${ms / MINUTE} minute${ms === MINUTE ? '' : 's'} and was stopped (a pipe in the place of a file would hold it)`;

/** Runs git to its end. Rejects only when it could not be started or does not end; its exit code is for the caller to judge. */
export const runGit = (
  program: GitProgram,
  cwd: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitDone> =>
  new Promise((resolve, reject) => {
    const child = startGit(program, cwd, args, options);
    const ms = patienceFor(args);
    const limit = setTimeout(() => {
      child.kill();
      reject(new GitFailed(`In ${cwd} ${tooLong(ms)}.`, -1));
    }, ms);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr?.on('data', (bytes: Buffer) => err.push(bytes));
    // Git may end without reading all of it; its exit code tells.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    child.on('error', (error) => {
      clearTimeout(limit);
      reject(new GitFailed(`git could not run in ${cwd}: ${startFault(error) ?? error.message}.`, -1));
    });
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? -1, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') });
    });
  });

/** What git said, without its prefixes, as the end of a sentence. */
export const complaintOf = ({ stderr, code }: Pick<GitDone, 'stderr' | 'code'>): string => {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:') && !line.startsWith('Preparing worktree'));
  const said = lines
    .filter((line) => /^(fatal|error):/.test(line))
    .concat(lines)
    .slice(0, 1)
    .map((line) => line.replace(/^(fatal|error): /, ''))
    .join(' ');
  return said === '' ? `git ended with code ${code}` : said.replace(/\.$/, '');
};

/** The output as text; an error of git becomes a thrown sentence. */
export const textOf = (done: GitDone, doing: string): string => {
  if (done.code !== 0) throw new GitFailed(`${doing}: ${complaintOf(done)}.`, done.code);
  return done.stdout.toString('utf8');
};
