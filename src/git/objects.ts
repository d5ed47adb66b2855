/** Writing and reading git objects without filters: the bytes on disk, and nothing else. */
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { quoted } from './names-on-pipes.ts';
import type { RescueRecord } from './rescue-record.ts';
import { GitFailed, startGit } from './run.ts';

type SavedFile = RescueRecord['files'][number];

/** On the disk itself before anything is removed. */
export const durable: readonly string[] = ['-c', 'core.fsync=all'];

/** Not waited for one by one: ten thousand files would take a minute. `settle` brings them to the disk together. */
const loose: readonly string[] = ['-c', 'core.fsync=none'];

/** Brings a commit, and all that its parents do not hold, to the disk as one pack. */
export const settle = async (
  git: Git,
  commonDir: string,
  commit: string,
  parents: readonly string[],
): Promise<void> => {
  await git.text(
    'The rescue could not be written',
    [
      ...durable,
      'pack-objects',
      '--revs',
      '--quiet',
      '--window=0',
      join(commonDir, 'objects', 'pack', 'pack'),
    ],
    { input: `${[commit, ...parents.map((id) => `^${id}`)].join('\n')}\n` },
  );
};

/** Saves files of a folder as blobs. Files that went away meanwhile are left out; anything unreadable is an error. */
export const saveFiles = async (
  git: Git,
  top: string,
  paths: readonly string[],
): Promise<readonly SavedFile[]> => {
  const found = await Promise.all(
    paths.map(async (path) => ({ path, at: await lstat(join(top, path)).catch(() => undefined) })),
  );
  const plain = found.flatMap(({ path, at }) => (at?.isFile() ? [{ path, perm: at.mode & 0o777 }] : []));
  const links = found.flatMap(({ path, at }) => (at?.isSymbolicLink() ? [path] : []));
  const saved: SavedFile[] = [];
  if (plain.length > 0) {
    const blobs = (
      await git.text(
        'The files could not be saved',
        [...loose, 'hash-object', '-w', '--no-filters', '--stdin-paths'],
        {
          input: `${plain.map(({ path }) => quoted(join(top, path))).join('\n')}\n`,
        },
      )
    )
      .trim()
      .split('\n');
    for (const [at, { path, perm }] of plain.entries()) {
      const blob = blobs[at];
      if (!blob) throw new GitFailed(`${path} could not be saved.`, 1);
      saved.push({ path, perm, blob, mode: perm & 0o100 ? '100755' : '100644' });
    }
  }
  for (const path of links)
    saved.push({
      path,
      perm: 0o777,
      mode: '120000',
      blob: await saveText(git, await readlink(join(top, path))),
    });
  return saved;
};

export const saveText = async (git: Git, content: string | Buffer): Promise<string> =>
  (
    await git.text('It could not be saved', [...loose, 'hash-object', '-w', '--no-filters', '--stdin'], {
      input: content,
    })
  ).trim();

/** A tree of blobs by path; names that git does not take in a tree are numbered under `odd/`. */
export const treeOf = async (
  git: Git,
  index: string,
  entries: readonly { readonly path: string; readonly mode: string; readonly blob: string }[],
): Promise<string> => {
  const env = { GIT_INDEX_FILE: index };
  const lines = entries.map(
    ({ path, mode, blob }, at) => `${mode} ${blob}\t${odd(path) ? `odd/${at}` : path}\0`,
  );
  await git.text('The rescue could not be written', [...loose, 'read-tree', '--empty'], { env });
  await git.text('The rescue could not be written', [...loose, 'update-index', '-z', '--index-info'], {
    env,
    input: lines.join(''),
  });
  return (await git.text('The rescue could not be written', [...loose, 'write-tree'], { env })).trim();
};

const odd = (path: string): boolean =>
  /[\\\p{Cc}\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/u.test(path) ||
  path.split('/').some((part) => /^(\.git[ .]*(:.*)?|git~\d.*|\.|\.\.|)$/i.test(part));

/** Blobs by id, one after the other, from one process. */
export const readBlobs = async (
  git: Git,
  ids: readonly string[],
  take: (id: string, bytes: Buffer) => Promise<void>,
): Promise<void> => {
  if (ids.length === 0) return;
  const child = startGit(git.program, git.cwd, ['cat-file', '--batch'], { config: git.config });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${ids.join('\n')}\n`);
  let held = Buffer.alloc(0);
  let want: { readonly id: string; readonly size: number } | undefined;
  let taken = 0;
  for await (const bytes of child.stdout ?? []) {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    for (;;) {
      if (!want) {
        const end = held.indexOf(10);
        if (end < 0) break;
        const [id = '', kind = '', size = ''] = held.subarray(0, end).toString('utf8').split(' ');
        if (kind !== 'blob') throw new GitFailed(`The object ${id} is missing from the repository.`, 1);
        want = { id, size: Number(size) };
        held = held.subarray(end + 1);
      }
      if (held.length < want.size + 1) break;
      await take(want.id, held.subarray(0, want.size));
      held = held.subarray(want.size + 1);
      want = undefined;
      taken += 1;
    }
  }
  if (taken !== ids.length) throw new GitFailed('Not all saved files could be read back.', 1);
};
