import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { killTagged } from './processes.ts';

/** The key every run gets; its last word must turn up nowhere on disk or on screen. */
export const FAKE_KEY = 'sk-test-CANARY';

export type Environment = Readonly<Record<string, string>>;

export interface TempRepoOptions {
  /** Where models are asked; a `ModelServer` fits. Without it no key and no address are set. */
  readonly server?: { readonly url: string };
  /** Added to the environment of every run; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Files of the second commit, by path in the repository. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

/** A git repository with two commits, an empty HOME and an environment, all in one temporary folder. */
export interface TempRepo extends AsyncDisposable {
  /** Holds everything below. */
  readonly root: string;
  /** The repository. */
  readonly path: string;
  readonly home: string;
  /** `HOME/.coppice`, which the program makes itself. */
  readonly state: string;
  readonly tmp: string;
  /** Value of RUN_TAG, by which processes started here are known. */
  readonly tag: string;
  readonly env: Environment;
  /** Writes a file below the repository (or at an absolute path), with its folders. */
  write(path: string, content: string | Buffer): Promise<void>;
  /** Text of a file below the repository, or at an absolute path. */
  read(path: string): Promise<string>;
  /** Runs git in the repository; its output without the last line end. Rejects when git fails. */
  git(...args: string[]): Promise<string>;
  /** Kills what still runs with the tag and removes the folder. */
  dispose(): Promise<void>;
}

export const tempRepo = async (options: TempRepoOptions = {}): Promise<TempRepo> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-test-')));
  const [path, home, tmp] = [join(root, 'project'), join(root, 'home'), join(root, 'tmp')];
  const tag = randomBytes(8).toString('hex');
  const env = environment({ home, tmp, tag, ...options });
  await Promise.all([path, home, tmp].map((folder) => mkdir(folder, { mode: 0o700 })));
  await writeFile(join(home, '.gitconfig'), GITCONFIG);

  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: path, env, maxBuffer: 64_000_000 });
    return stdout.replace(/\n$/, '');
  };
  const write = async (file: string, content: string | Buffer): Promise<void> => {
    const target = resolve(path, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  };
  const dispose = async (): Promise<void> => {
    killTagged(tag);
    await chmod(home, 0o700);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  };

  await git('init', '--quiet');
  await write('README.md', '# Sample\n');
  await git('add', '-A');
  await git('commit', '--quiet', '-m', 'Begin');
  await write('src/main.ts', "console.log('hello');\n");
  for (const [file, content] of Object.entries(options.files ?? {})) await write(file, content);
  await git('add', '-A');
  await git('commit', '--quiet', '-m', 'Say hello');

  return {
    root,
    path,
    home,
    state: join(home, '.coppice'),
    tmp,
    tag,
    env,
    write,
    read: (file) => readFile(resolve(path, file), 'utf8'),
    git,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
};

/** Nothing is inherited but the way to the programs, so a person's own settings cannot decide a test. */
const environment = (place: TempRepoOptions & { home: string; tmp: string; tag: string }): Environment => {
  const wanted: Record<string, string | undefined> = {
    HOME: place.home,
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    // Compiled code is shared between the runs of one suite, which saves each of them the compiler.
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    TMPDIR: place.tmp,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    USER: 'tester',
    GIT_CONFIG_NOSYSTEM: '1',
    RUN_TAG: place.tag,
    ...(place.server && { ANTHROPIC_BASE_URL: place.server.url, ANTHROPIC_API_KEY: FAKE_KEY }),
    ...place.env,
  };
  return Object.fromEntries(
    Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
};

const GITCONFIG = `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[commit]
	gpgsign = false
`;
