/** Every file of one checkout that exists nowhere else, its populated submodules included. */
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../lib/is-there.ts';
import { type Git, gitIn } from './git.ts';
import { emptyBelow, filesBelow, onlyHere } from './ignored.ts';
import { nulSeparated } from './names-on-pipes.ts';
import { hiddenChanges, type Status, statusOf } from './status.ts';

export interface Examined {
  readonly git: Git;
  /** Path of this checkout in the worktree: empty, or that of a submodule. */
  readonly prefix: string;
  readonly status: Status;
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
  /** Empty folders of repositories inside: git needs its own. */
  readonly folders: readonly string[];
  readonly submodules: readonly ExaminedSubmodule[];
}

export interface ExaminedSubmodule extends Examined {
  /** Tips (branches, HEAD, stash) that no remote of the submodule has. */
  readonly tips: readonly string[];
}

export interface Surroundings {
  /** The main checkout, for files that are the same there. */
  readonly main: string;
  readonly disposable: readonly string[];
  readonly links: Readonly<Record<string, string>>;
}

/** A link of ours to a folder of the main checkout is no work. */
const isOurLink = async (
  top: string,
  path: string,
  links: Readonly<Record<string, string>>,
): Promise<boolean> => {
  const target = links[path.replace(/\/$/, '')];
  return target !== undefined && (await readlink(join(top, path)).catch(() => undefined)) === target;
};

const without = async (
  paths: readonly string[],
  drop: (path: string) => Promise<boolean>,
): Promise<readonly string[]> => {
  const kept: string[] = [];
  for (const path of paths) if (!(await drop(path))) kept.push(path);
  return kept;
};

export const examine = async (git: Git, prefix: string, around: Surroundings): Promise<Examined> => {
  const [status, hidden] = await Promise.all([statusOf(git), hiddenChanges(git)]);
  const ours = (path: string) => isOurLink(git.cwd, path, around.links);
  const loose = await without(status.untracked, ours);
  // A folder here is a repository of its own inside the worktree: all of it is work.
  const untracked = (
    await Promise.all(
      loose.map((path) => (path.endsWith('/') ? filesBelow(git.cwd, path, new Set()) : [path])),
    )
  ).flat();
  const ignored = await onlyHere(
    git.cwd,
    join(around.main, prefix),
    await without(status.ignored, ours),
    around.disposable,
  );
  return {
    git,
    prefix,
    status,
    changed: [...new Set([...status.changed, ...hidden])],
    untracked,
    ignored,
    folders: (
      await Promise.all(loose.filter((path) => path.endsWith('/')).map((path) => emptyBelow(git.cwd, path)))
    ).flat(),
    submodules: await submodulesOf(git, prefix, around),
  };
};

const submodulesOf = async (
  git: Git,
  prefix: string,
  around: Surroundings,
): Promise<readonly ExaminedSubmodule[]> => {
  if (!(await isThere(join(git.cwd, '.gitmodules')))) return [];
  const links = nulSeparated(await git.text('The index could not be read', ['ls-files', '-s', '-z'])).flatMap(
    (line) => /^160000 [0-9a-f]+ \d\t([\s\S]+)$/.exec(line)?.[1] ?? [],
  );
  const found: ExaminedSubmodule[] = [];
  for (const path of links) {
    const top = join(git.cwd, path);
    const populated = await lstat(join(top, '.git')).then(
      () => true,
      () => false,
    );
    if (!populated) continue;
    const own = await gitIn(git.program, top);
    found.push({ ...(await examine(own, join(prefix, path), around)), tips: await ownTips(own) });
  }
  return found;
};

const ownTips = async (git: Git): Promise<readonly string[]> => {
  const refs = (
    await git.text('The branches of a submodule could not be read', [
      'for-each-ref',
      '--format=%(objectname) %(refname)',
    ])
  )
    .split('\n')
    .flatMap((line) =>
      /^([0-9a-f]+) refs\/(heads|stash|tags)/.test(line) ? [line.split(' ')[0] ?? ''] : [],
    );
  const head = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD']);
  const tips = [
    ...new Set([...refs, ...(head.code === 0 ? [head.stdout.toString('utf8').trim()] : [])]),
  ].filter((tip) => tip !== '');
  const own: string[] = [];
  for (const tip of tips) {
    const ahead = await git.run(['rev-list', '--max-count=1', tip, '--not', '--remotes']);
    if (ahead.code !== 0 || ahead.stdout.length > 0) own.push(tip);
  }
  return own;
};

/** All files of a worktree that must be saved, by path in it; those that are on disk. */
export const filesOf = (found: Examined): readonly string[] => {
  const gone = new Set(found.status.gone);
  const own = [...found.changed.filter((path) => !gone.has(path)), ...found.untracked, ...found.ignored];
  return [...own.map((path) => join(found.prefix, path)), ...found.submodules.flatMap(filesOf)];
};

export const hasFiles = (found: Examined): boolean =>
  found.changed.length + found.untracked.length + found.ignored.length > 0 ||
  found.submodules.some((one) => hasFiles(one) || one.tips.length > 0);
