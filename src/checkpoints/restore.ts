/** Puts one file back as it was. */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, realpath, rename, rm, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileState, PlannedFile } from '../contract/checkpoint.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { errorText } from '../lib/error-text.ts';
import { sameState, stateAt } from './file-state.ts';
import type { ObjectStore } from './store.ts';

/** What goes makes room for folders, and folders for files. */
const RANK: Readonly<Record<FileState['kind'], number>> = {
  none: 0,
  folder: 1,
  file: 2,
  link: 2,
  unsaved: 3,
};

export const inOrder = (files: readonly PlannedFile[]): readonly PlannedFile[] =>
  files.toSorted((a, b) => RANK[a.target.kind] - RANK[b.target.kind]);

/** A sentence when it was left alone. What is there is saved first. */
export const putBack = async (
  { path, checkout, target, now }: PlannedFile,
  store: ObjectStore,
): Promise<{ readonly before: FileState } | { readonly why: string }> => {
  const link = await linkAbove(path);
  if (link) return { why: `a part of its path has become a link to ${link}` };
  const before = await stateAt(path, store, 'keep');
  const emptied = now.kind === 'folder' && before.kind === 'none';
  if (!sameState(before, now) && !emptied) return { why: 'it changed this very moment' };
  try {
    await write(path, target, store);
    if (target.kind === 'none') await dropEmpty(dirname(path), checkout);
    return { before };
  } catch (error) {
    return { why: errorText(error) };
  }
};

/** Where the way to a path leads, when that is not where it says; parts that are gone do not count. */
const linkAbove = async (path: string): Promise<string | undefined> => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined) return real === folder ? undefined : real;
    if (dirname(folder) === folder) return undefined;
  }
};

/** The bits it had, else those of what is there now, as far as reading and writing go; undefined where nothing is known. */
const modeOf = async (
  path: string,
  { mode, executable }: FileState & { kind: 'file' },
): Promise<number | undefined> => {
  if (mode !== undefined) return mode;
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const present = found.mode & 0o777;
  return executable ? present | ((present & 0o444) >> 2) : present & ~0o111;
};

const write = async (path: string, target: FileState, store: ObjectStore): Promise<void> => {
  switch (target.kind) {
    case 'unsaved':
      throw new Error(target.why);
    case 'none':
      await remove(path);
      return;
    case 'folder':
      await remove(path);
      await ensureFolder(path);
      return;
    case 'file':
    case 'link': {
      const bytes = await store.get(target.blob);
      if (!bytes) throw new Error('its earlier content is no longer in the store');
      await ensureFolder(dirname(path));
      const temp = `${path}.${randomUUID()}.tmp`;
      try {
        if (target.kind === 'link') await symlink(bytes.toString('utf8'), temp);
        else {
          const mode = await modeOf(path, target);
          await writeFile(temp, bytes, { flag: 'wx', mode: mode ?? (target.executable ? 0o777 : 0o666) });
          if (mode !== undefined) await chmod(temp, mode);
        }
        // An empty folder makes room; any other is in the way, and the rename says so.
        await rmdir(path).catch(() => undefined);
        await rename(temp, path);
      } catch (error) {
        await rm(temp, { force: true });
        throw error;
      }
    }
  }
};

/** A file, a link, or an empty folder. */
const remove = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined);
  if (found) await (found.isDirectory() ? rmdir(path) : unlink(path));
};

/** Folders that a call made for its file go with it. */
const dropEmpty = async (folder: string, top: string): Promise<void> => {
  for (let path = folder; path.startsWith(`${top}/`); path = dirname(path)) {
    const gone = await rmdir(path).then(
      () => true,
      () => false,
    );
    if (!gone) return;
  }
};
