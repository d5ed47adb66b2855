/** Git in one folder: safe settings read once for one operation, verbs through simple-git, plumbing run directly. */
import { overrides } from './harmless.ts';
import { refusePipes } from './pipes.ts';
import {
  complaintOf,
  configured,
  GIT_VARIABLES,
  type GitDone,
  GitFailed,
  type GitProgram,
  LEADING,
  type RunOptions,
  runGit,
  type Setting,
  textOf,
  tooLong,
} from './run.ts';

export interface Git {
  readonly cwd: string;
  readonly program: GitProgram;
  readonly config: readonly Setting[];
  run(args: readonly string[], options?: Omit<RunOptions, 'config'>): Promise<GitDone>;
  /** Output as text; git's own error becomes a thrown sentence that begins with `doing`. */
  text(doing: string, args: readonly string[], options?: Omit<RunOptions, 'config'>): Promise<string>;
  /** A verb that changes the repository, through simple-git. */
  verb(doing: string, args: readonly string[]): Promise<string>;
  /** The same settings in another folder of the same repository. */
  in(cwd: string): Git;
  /** With further settings. */
  with(config: readonly Setting[]): Git;
}

const NOTHING = Buffer.alloc(0);

/** Milliseconds; a checkout of a million files takes a while. */
const PATIENCE = 3_600_000;

/** Everything that simple-git guards is set by us alone: no argument is made of text from outside. */
const UNSAFE = {
  allowUnsafeConfigEnvCount: true,
  allowUnsafeCustomBinary: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeDiffTextConv: true,
  allowUnsafeFilter: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafeMergeDriver: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
  allowUnsafeCommandBinaries: true,
} as const;

const bound = (program: GitProgram, cwd: string, config: readonly Setting[]): Git => {
  const settings = configured(config);
  const run: Git['run'] = (args, options) => runGit(program, cwd, args, { ...options, config });
  return {
    cwd,
    program,
    config,
    run,
    text: async (doing, args, options) => textOf(await run(args, options), doing),
    async verb(doing, args) {
      const { simpleGit } = await import('simple-git');
      const abort = AbortSignal.timeout(PATIENCE);
      const git = simpleGit({
        abort,
        baseDir: cwd,
        binary: program.binary,
        trimmed: false,
        allowEnvironment: [
          ...Object.keys(GIT_VARIABLES),
          'GIT_CONFIG_NOSYSTEM',
          'GIT_CEILING_DIRECTORIES',
          ...Object.keys(settings),
        ],
        unsafe: UNSAFE,
        // An exit code other than 0 is an error, also where git said nothing.
        errors: (_, { exitCode, stdErr }) =>
          exitCode === 0
            ? undefined
            : Buffer.from(complaintOf({ code: exitCode, stderr: Buffer.concat(stdErr).toString('utf8') })),
      });
      // It would sleep for 50 ms after a verb that prints nothing: an empty piece of output tells it that git has spoken.
      const speak = (_: string, stdout: NodeJS.ReadableStream): void =>
        void setImmediate(() => stdout.emit('data', NOTHING));
      try {
        return await git
          .env({ ...program.env, ...settings })
          .outputHandler(speak)
          .raw([...LEADING, ...args]);
      } catch (error) {
        if (abort.aborted) throw new GitFailed(`${doing}: ${tooLong(PATIENCE)}.`, 1);
        throw new GitFailed(`${doing}: ${error instanceof Error ? error.message.trim() : String(error)}.`, 1);
      }
    },
    in: (other) => bound(program, other, config),
    with: (more) => bound(program, cwd, [...config, ...more]),
  };
};

/** Loads what verbs need while something else is waited for. */
export const readyVerbs = (): void => void import('simple-git');

/** Git in a repository whose configuration is known to name no program. */
export const plainGit = (program: GitProgram, cwd: string): Git => bound(program, cwd, []);

export const gitIn = async (program: GitProgram, cwd: string): Promise<Git> => {
  refusePipes(cwd);
  return bound(program, cwd, await overrides(program, cwd));
};
