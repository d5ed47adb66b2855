/** Puts out of the way what git left half made and cannot read any more: nothing of it is deleted. */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../lib/is-there.ts';
import { kindAt } from './place.ts';

/** Git writes these first: without them it does not take its own folder for that of a worktree. */
export const isWhole = async (admin: string): Promise<boolean> => {
  const found = await Promise.all(['HEAD', 'commondir'].map((name) => isThere(join(admin, name))));
  return found.every((there) => there);
};

/** Answers what is worth telling. `admin`: git's folder for it, where there is one. */
export const putAside = async (
  commonDir: string,
  path: string,
  admin: string | undefined,
): Promise<readonly string[]> => {
  const mark = `unfinished-${randomBytes(3).toString('hex')}`;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (admin) await rename(admin, join(commonDir, 'coppice', `${name}-${mark}`));
  if ((await kindAt(path)) !== 'folder') return [];
  const inside = await readdir(path);
  if (inside.every((entry) => entry === '.git') && (await kindAt(join(path, '.git'))) !== 'folder') {
    for (const entry of inside) await unlink(join(path, entry));
    await rmdir(path);
    return [];
  }
  const aside = `${path}-${mark}`;
  await rename(path, aside);
  return [`What a crash had left of it lies in ${aside}; delete that when you have looked at it.`];
};
