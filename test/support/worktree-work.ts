import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Worktrees } from '../../src/contract/worktree.ts';
import type { TempRepo } from './repo.ts';

/** Everything that was written, by what it was, as git names contents. */
export type Work = Readonly<Record<string, string>>;

const blobOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

const git = (repo: TempRepo, at: string, ...args: string[]): string =>
  execFileSync('git', ['-C', at, '-c', 'protocol.file.allow=always', ...args], {
    env: repo.env,
    stdio: 'pipe',
    maxBuffer: 64_000_000,
  }).toString();

/** Contents nobody else has; the same for the same seed. */
const contents = (seed: number) => {
  let count = 0;
  return (): Buffer => {
    count += 1;
    const hash = createHash('sha256').update(`${seed}:${count}`).digest();
    return Buffer.concat(
      Array.from({ length: 1 + ((hash[0] ?? 0) % 40) }, (_, at) =>
        createHash('sha256').update(hash).update(String(at)).digest(),
      ),
    );
  };
};

/** A repository that work can be written into, with a submodule where that is wanted. */
export const workplace = async (repo: TempRepo, submodule: boolean): Promise<void> => {
  await repo.write('.gitignore', '*.log\n');
  await repo.git('add', '-A');
  await repo.git('commit', '-qm', 'Ignore logs');
  if (!submodule) return;
  await repo.git('clone', '-q', '.', join(repo.tmp, 'upstream'));
  git(repo, repo.path, 'submodule', '--quiet', 'add', join(repo.tmp, 'upstream'), 'sub');
  await repo.git('commit', '-qm', 'Add a submodule');
};

/** Writes every kind of work into a worktree: tracked, untracked, staged, committed, stashed, ignored, in a merge, in a submodule. */
export const writeWork = (repo: TempRepo, path: string, seed: number, submodule: boolean): Work => {
  const next = contents(seed);
  const work: Record<string, string> = {};
  const put = (what: string, file: string): void => {
    const content = next();
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
    work[what] = blobOf(content);
  };
  put('stashed', 'README.md');
  put('stashed and untracked', 'stashed.txt');
  git(repo, path, 'stash', '-q', '--include-untracked');
  put('on the other side of the merge', 'src/main.ts');
  git(repo, path, 'commit', '-qam', 'Other side');
  git(repo, path, 'branch', '-f', 'side');
  git(repo, path, 'reset', '-q', '--hard', 'HEAD~1');
  put('committed', 'src/main.ts');
  put('committed and new', 'deep/er/committed.bin');
  git(repo, path, 'add', '.');
  git(repo, path, 'commit', '-qm', 'Mine');
  put('amended away', 'amended.txt');
  git(repo, path, 'add', '.');
  git(repo, path, 'commit', '-qm', 'To be reset');
  git(repo, path, 'reset', '-q', '--hard', 'HEAD~1');
  try {
    git(repo, path, 'merge', '-q', 'side');
  } catch {
    // The conflict is wanted.
  }
  git(repo, path, 'branch', '-q', '-D', 'side');
  put('staged', 'staged.txt');
  git(repo, path, 'add', 'staged.txt');
  put('changed after staging', 'staged.txt');
  put('tracked', 'README.md');
  put('untracked', 'a folder/un tracked.txt');
  put('ignored', 'deep/secret.log');
  if (submodule) {
    git(repo, path, 'submodule', '--quiet', 'update', '--init');
    put('committed in the submodule', 'sub/inside.txt');
    git(repo, join(path, 'sub'), 'add', '.');
    git(
      repo,
      join(path, 'sub'),
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@example.com',
      'commit',
      '-qm',
      'Inside',
    );
    put('changed in the submodule', 'sub/README.md');
    put('untracked in the submodule', 'sub/loose.txt');
  }
  return work;
};

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() && lstatSync(path).isFile() ? [path] : [];
  });

const reachable = (repo: TempRepo, at: string, ...refs: string[]): readonly string[] => {
  const names = git(repo, at, 'for-each-ref', '--format=%(refname)', ...refs)
    .split('\n')
    .filter(Boolean);
  if (names.length === 0) return [];
  const reflog = names.includes('refs/stash')
    ? git(repo, at, 'log', '-g', '--format=%H', 'refs/stash').split('\n').filter(Boolean)
    : [];
  return git(repo, at, 'rev-list', '--objects', ...names, ...reflog)
    .split('\n')
    .map((line) => line.slice(0, 40));
};

const isCheckout = (repo: TempRepo, path: string): boolean => {
  try {
    return existsSync(join(path, '.git')) && git(repo, path, 'rev-parse', '--git-dir') !== '';
  } catch {
    return false;
  }
};

/** What is in a checkout: its files, its index, the commits its HEAD and reflog hold, its submodule. */
const inCheckout = (repo: TempRepo, path: string): readonly string[] => {
  if (!isCheckout(repo, path))
    return existsSync(path) ? filesBelow(path).map((file) => blobOf(readFileSync(file))) : [];
  const files = filesBelow(path).map((file) => blobOf(readFileSync(file)));
  const staged = git(repo, path, 'ls-files', '-s')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  const heads = [
    git(repo, path, 'rev-parse', 'HEAD').trim(),
    ...git(repo, path, 'log', '-g', '--format=%H', 'HEAD').split('\n').filter(Boolean),
  ];
  const commits = git(repo, path, 'rev-list', '--objects', ...heads)
    .split('\n')
    .map((line) => line.slice(0, 40));
  const sub = join(path, 'sub');
  const inside = existsSync(join(sub, '.git'))
    ? git(repo, sub, 'rev-list', '--objects', '--all', 'HEAD')
        .split('\n')
        .map((line) => line.slice(0, 40))
    : [];
  return [...files, ...staged, ...commits, ...inside];
};

/** What is neither in the worktree, nor on a branch or in the stash, nor comes back with a rescue. Nothing, in a sound program. */
export const lostWork = async (
  repo: TempRepo,
  service: Worktrees,
  path: string,
  work: Work,
): Promise<readonly string[]> => {
  const there = new Set([
    ...inCheckout(repo, path),
    ...reachable(repo, repo.path, 'refs/heads', 'refs/stash'),
  ]);
  const missing = () => Object.entries(work).flatMap(([what, blob]) => (there.has(blob) ? [] : [what]));
  if (missing().length === 0) return [];
  const rescues = await service.rescues(repo.path);
  if ('refused' in rescues) return [rescues.refused];
  for (const { id } of rescues) {
    const before = { refs: refsOf(repo), stashes: stashesOf(repo) };
    const to = join(repo.tmp, `restored-${randomUUID()}`);
    const back = await service.restoreRescue(repo.path, id, to);
    if ('refused' in back) return [`${id} cannot be restored: ${back.refused}`];
    for (const blob of [...inCheckout(repo, to), ...reachable(repo, repo.path, 'refs/heads', 'refs/stash')])
      there.add(blob);
    // As if nobody had looked: what was restored must not be what is found the next time.
    git(repo, repo.path, 'worktree', 'remove', '--force', '--force', to);
    for (const ref of refsOf(repo))
      if (!before.refs.includes(ref)) git(repo, repo.path, 'update-ref', '-d', ref);
    for (let more = stashesOf(repo) - before.stashes; more > 0; more--)
      git(repo, repo.path, 'stash', 'drop', '-q');
  }
  return missing();
};

const refsOf = (repo: TempRepo): readonly string[] =>
  git(repo, repo.path, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n').filter(Boolean);
const stashesOf = (repo: TempRepo): number =>
  git(repo, repo.path, 'stash', 'list').split('\n').filter(Boolean).length;
