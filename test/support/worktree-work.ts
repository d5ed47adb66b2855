import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from './repo.ts';

/** Everything that was written, by what it was, as git names contents. */
export type Work = Readonly<Record<string, string>>;

const blobOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** Runs the git that is first on PATH in a folder. */
export const gitAt = (env: Environment, at: string, ...args: string[]): string =>
  execFileSync('git', ['-C', at, '-c', 'protocol.file.allow=always', ...args], {
    env: { ...env },
    stdio: 'pipe',
    maxBuffer: 64_000_000,
  }).toString();

/** Numbers below a bound, the same for the same seed. */
export const dice = (seed: number) => {
  let state = seed >>> 0;
  return (sides: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
};

const FOLDERS = ['', '', 'deep/', 'deep/er/', 'a folder/', 'ünï cödé/', '-dash/'] as const;
const PARTS = ['', '', ' spaced', '\'quoted"', '\ttab', '\nline', '$(x)', '文'] as const;

/** A repository that work can be written into, with a submodule where that is wanted. */
export const workplace = (env: Environment, path: string, upstream?: string): void => {
  const git = (...args: string[]) => gitAt(env, path, ...args);
  writeFileSync(join(path, '.gitignore'), '*.log\n');
  git('add', '-A');
  git('commit', '-qm', 'Ignore logs');
  if (upstream === undefined) return;
  git('clone', '-q', '.', upstream);
  git('submodule', '--quiet', 'add', upstream, 'sub');
  git('commit', '-qm', 'Add a submodule');
};

/**
 * Writes every kind of work into a worktree: tracked, untracked, staged, committed, stashed, ignored, in a merge, in
 * a submodule; names and contents by the seed. `wrote` is told of each as soon as it is there.
 */
export const writeWork = (
  env: Environment,
  path: string,
  seed: number,
  wrote: (what: string, blob: string) => void = () => undefined,
): Work => {
  const roll = dice(seed);
  const pick = <T>(from: readonly T[]): T => from[roll(from.length)] as T;
  const git = (...args: string[]) => gitAt(env, path, ...args);
  const work: Record<string, string> = {};
  let count = 0;
  const bytes = (): Buffer => {
    const hash = createHash('sha256').update(`${seed}:${++count}`).digest();
    return Buffer.concat([
      hash,
      ...Array.from({ length: roll(200) }, (_, at) => Buffer.from([at, roll(256)])),
    ]);
  };
  const put = (what: string, file: string): string => {
    const content = bytes();
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
    if (roll(4) === 0) chmodSync(join(path, file), 0o755);
    work[what] = blobOf(content);
    wrote(what, blobOf(content));
    return file;
  };
  const fresh = (ending = '.txt'): string => `${pick(FOLDERS)}new${++count}${pick(PARTS)}${ending}`;
  const some = (what: string, ending?: string): void => {
    for (let left = 1 + roll(3); left > 0; left--) put(`${what} ${left}`, fresh(ending));
  };
  put('stashed', 'README.md');
  some('stashed and untracked');
  git('stash', '-q', '--include-untracked');
  put('on the other side of the merge', 'src/main.ts');
  git('commit', '-qam', 'Other side');
  git('branch', '-f', 'side');
  git('reset', '-q', '--hard', 'HEAD~1');
  put('committed', 'src/main.ts');
  some('committed and new', '.bin');
  git('add', '.');
  git('commit', '-qm', 'Mine');
  some('reset away');
  git('add', '.');
  git('commit', '-qm', 'To be reset');
  git('reset', '-q', '--hard', 'HEAD~1');
  try {
    git('merge', '-q', 'side');
  } catch {
    // The conflict is wanted.
  }
  git('branch', '-q', '-D', 'side');
  const staged = put('staged', fresh());
  git('add', '--', staged);
  put('changed after staging', staged);
  put('tracked', 'README.md');
  some('untracked');
  some('ignored', '.log');
  const target = `to-${roll(1_000_000)}`;
  symlinkSync(target, join(path, 'a link'));
  work['where a link leads'] = blobOf(Buffer.from(target));
  wrote('where a link leads', blobOf(Buffer.from(target)));
  if (!existsSync(join(path, '.gitmodules'))) return work;
  git('submodule', '--quiet', 'update', '--init');
  put('committed in the submodule', 'sub/inside.txt');
  gitAt(env, join(path, 'sub'), 'add', '.');
  gitAt(env, join(path, 'sub'), 'commit', '-qm', 'Inside');
  put('changed in the submodule', 'sub/README.md');
  put('untracked in the submodule', 'sub/loose.txt');
  return work;
};

const blobsBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return blobsBelow(path);
    if (entry.isSymbolicLink()) return [blobOf(Buffer.from(readlinkSync(path)))];
    return lstatSync(path).isFile() ? [blobOf(readFileSync(path))] : [];
  });

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

const objectsOf = (env: Environment, at: string, revisions: readonly string[]): readonly string[] =>
  revisions.length === 0
    ? []
    : lines(gitAt(env, at, 'rev-list', '--objects', ...revisions)).map((line) => line.slice(0, 40));

/** On branches and in the stash. */
const reachable = (env: Environment, at: string): readonly string[] => {
  const names = lines(gitAt(env, at, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/stash'));
  const stashes = names.includes('refs/stash')
    ? lines(gitAt(env, at, 'log', '-g', '--format=%H', 'refs/stash'))
    : [];
  return objectsOf(env, at, [...names, ...stashes]);
};

const isCheckout = (env: Environment, path: string): boolean => {
  try {
    return existsSync(join(path, '.git')) && gitAt(env, path, 'rev-parse', '--git-dir') !== '';
  } catch {
    return false;
  }
};

/** What is in a checkout: its files, its index, the commits its HEAD and reflog hold, its submodule. */
const inCheckout = (env: Environment, path: string): readonly string[] => {
  if (!existsSync(path)) return [];
  const files = blobsBelow(path);
  if (!isCheckout(env, path)) return files;
  const staged = lines(gitAt(env, path, 'ls-files', '-s')).flatMap((line) => line.split(' ')[1] ?? []);
  const heads = [
    gitAt(env, path, 'rev-parse', 'HEAD').trim(),
    ...lines(gitAt(env, path, 'log', '-g', '--format=%H', 'HEAD')),
  ];
  const sub = join(path, 'sub');
  const inside = existsSync(join(sub, '.git')) ? objectsOf(env, sub, ['--all', 'HEAD']) : [];
  return [...files, ...staged, ...objectsOf(env, path, heads), ...inside];
};

/** How what was saved is brought back: by its id, into a folder that is not there yet. */
export interface Rescuer {
  list(): Promise<readonly string[]>;
  restore(id: string): Promise<string>;
}

/** What is neither in a worktree, nor on a branch or in the stash, nor comes back with a rescue. Nothing, in a sound program. */
export const lostWork = async (
  env: Environment,
  path: string,
  rescuer: Rescuer,
  work: Work,
): Promise<readonly string[]> => {
  const folder = join(path, '.coppice', 'worktrees');
  const checkouts = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const there = new Set([...checkouts.flatMap((one) => inCheckout(env, one)), ...reachable(env, path)]);
  const missing = () => Object.entries(work).flatMap(([what, blob]) => (there.has(blob) ? [] : [what]));
  if (missing().length === 0) return [];
  for (const id of await rescuer.list()) {
    const refs = () => lines(gitAt(env, path, 'for-each-ref', '--format=%(refname)', 'refs/heads'));
    const stashes = () => lines(gitAt(env, path, 'stash', 'list')).length;
    const before = { refs: refs(), stashes: stashes() };
    const to = await rescuer.restore(id);
    for (const blob of [...inCheckout(env, to), ...reachable(env, path)]) there.add(blob);
    // As if nobody had looked: what was restored must not be what is found the next time.
    gitAt(env, path, 'worktree', 'remove', '--force', '--force', to);
    for (const ref of refs()) if (!before.refs.includes(ref)) gitAt(env, path, 'update-ref', '-d', ref);
    for (let more = stashes() - before.stashes; more > 0; more--) gitAt(env, path, 'stash', 'drop', '-q');
  }
  return missing();
};
