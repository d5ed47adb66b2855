/** What a worktree holds in git's own folder for it: staged entries, conflicts, a merge in progress, the reflog. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import type { Linked } from './linked.ts';

/** What the index holds beside HEAD; entries in conflict with all their stages. */
export const stagedEntries = async (
  git: Git,
  linked: Linked,
  head: string,
): Promise<readonly { readonly line: string; readonly blob?: string }[]> => {
  const env = { GIT_INDEX_FILE: join(linked.admin, 'index') };
  const there = await stat(join(linked.admin, 'index')).then(
    (found) => found.size > 0,
    () => false,
  );
  if (!there) return [];
  const raw = (
    await git.text(
      'The index could not be saved',
      [
        'diff-index',
        '--cached',
        '--raw',
        '-z',
        '--no-renames',
        '--no-abbrev',
        '--ignore-submodules=none',
        head,
        '--',
      ],
      { env },
    )
  ).split('\0');
  const lines: { line: string; blob?: string }[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, , toMode = '', , toBlob = '', letter = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) (\w)/.exec(raw[at] ?? '') ?? [];
    const path = raw[at + 1] ?? '';
    if (letter === 'U') continue;
    lines.push(
      letter === 'D'
        ? { line: `0 ${'0'.repeat(toBlob.length)}\t${path}` }
        : { line: `${toMode} ${toBlob}\t${path}`, ...(toMode === '160000' ? {} : { blob: toBlob }) },
    );
  }
  const unmerged = (await git.text('The index could not be saved', ['ls-files', '-u', '-s', '-z'], { env }))
    .split('\0')
    .filter((line) => line !== '');
  const conflicted = new Set<string>();
  for (const line of unmerged) {
    const [, mode = '', blob = '', stage = '', path = ''] =
      /^(\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(line) ?? [];
    if (!conflicted.has(path)) lines.push({ line: `0 ${'0'.repeat(blob.length)}\t${path}` });
    conflicted.add(path);
    lines.push({ line: `${mode} ${blob} ${stage}\t${path}`, ...(mode === '160000' ? {} : { blob }) });
  }
  return lines;
};

const NOT_STATE = /^(index|gitdir|commondir|HEAD|locked|coppice\.json)$|\.(lock|tmp)$|^modules$/;

/** Small files of git's folder for the worktree: what it was in the middle of, and its reflog. */
export const stateOf = async (
  linked: Linked,
): Promise<readonly { readonly path: string; readonly bytes: Buffer }[]> => {
  const below = async (folder: string): Promise<readonly string[]> => {
    const entries = await readdir(join(linked.admin, folder), { withFileTypes: true }).catch(() => []);
    const names = await Promise.all(
      entries
        .filter(({ name }) => folder !== '' || !NOT_STATE.test(name))
        .map(async (entry) => {
          const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
          return entry.isDirectory() ? below(path) : entry.isFile() ? [path] : [];
        }),
    );
    return names.flat();
  };
  return Promise.all(
    (await below('')).map(async (path) => ({ path, bytes: await readFile(join(linked.admin, path)) })),
  );
};
