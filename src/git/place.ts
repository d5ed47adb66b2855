/** The folder that worktrees lie in: made and kept out of git, never through a link. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { writeWhole } from '../lib/whole-file.ts';
import { GitFailed } from './run.ts';

const PARTS = ['.coppice', 'worktrees'] as const;

export const worktreesFolder = (root: string): string => join(root, ...PARTS);

/** What lies at a path, links not followed. */
export const kindAt = async (path: string): Promise<'nothing' | 'folder' | 'link' | 'other'> => {
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  });
  if (!found) return 'nothing';
  return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'other';
};

/** Refuses where a part of the way is a link: what is made there would be somewhere else. */
const checkFolder = async (root: string): Promise<void> => {
  let path = root;
  for (const part of PARTS) {
    path = join(path, part);
    const kind = await kindAt(path);
    if (kind === 'link')
      throw new GitFailed(
        `${path} is a link, and worktrees are not made through links. Put a real folder there.`,
        1,
      );
    if (kind === 'other')
      throw new GitFailed(`${path} is not a folder, so worktrees cannot lie in it. Move it away.`, 1);
  }
};

export const makeFolder = async (root: string): Promise<void> => {
  await checkFolder(root);
  await ensureFolder(worktreesFolder(root));
};

/** Adds lines to `.git/info/exclude` of the repository, once. */
export const exclude = async (commonDir: string, patterns: readonly string[]): Promise<void> => {
  const file = join(commonDir, 'info', 'exclude');
  const before = await readRegularText(file).catch(() => '');
  const lines = new Set(before.split('\n'));
  const missing = patterns.filter((pattern) => !lines.has(pattern));
  if (missing.length === 0) return;
  await ensureFolder(dirname(file));
  await writeWhole(
    file,
    `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`,
    { mode: 0o644, flush: 'fast' },
  );
};

export const EXCLUDED = `/${PARTS.join('/')}/`;
