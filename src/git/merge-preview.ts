/** What merging would do, found out in memory. */
import type { MergePreview } from '../contract/worktree.ts';
import type { Git } from './git.ts';
import type { Linked } from './linked.ts';
import { nulSeparated } from './names-on-pipes.ts';
import { complaintOf } from './run.ts';

/** A worktree with all its work as one commit. */
export interface Work {
  readonly name: string;
  readonly linked: Linked;
  readonly commit: string;
}

/** Merges in memory: nothing changes. */
export const previewOf = async (git: Git, { name, commit }: Work): Promise<MergePreview> => {
  const done = await git.run([
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    '--messages',
    'HEAD',
    commit,
  ]);
  const listed = await git.run([
    'diff',
    '--name-only',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    `HEAD...${commit}`,
    '--',
  ]);
  const files = nulSeparated(listed.stdout.toString('utf8'));
  if (done.code === 0) return { name, commit, files, conflicts: [] };
  if (done.code !== 1)
    return {
      name,
      commit,
      files,
      conflicts: [{ path: '', says: `git could not merge it: ${complaintOf(done)}` }],
    };
  return { name, commit, files, conflicts: conflictsIn(done.stdout.toString('utf8')) };
};

/** `tree NUL path NUL ... NUL NUL` and then messages: count, paths, kind, text. */
const conflictsIn = (text: string): MergePreview['conflicts'] => {
  const end = text.indexOf('\0\0');
  const paths = [
    ...new Set(
      text
        .slice(0, end < 0 ? undefined : end)
        .split('\0')
        .slice(1),
    ),
  ].filter((path) => path !== '');
  const parts = end < 0 ? [] : text.slice(end + 2).split('\0');
  const says = new Map<string, string>();
  for (let at = 0; at < parts.length; ) {
    const count = Number(parts[at]);
    if (!Number.isInteger(count) || parts[at] === '') break;
    const about = parts.slice(at + 1, at + 1 + count);
    const message = (parts[at + 2 + count] ?? '').trim();
    if (message.startsWith('CONFLICT')) for (const path of about) says.set(path, message);
    at += 3 + count;
  }
  return paths.map((path) => ({ path, says: says.get(path) ?? 'CONFLICT' }));
};
