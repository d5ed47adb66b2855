/** Puts one file back as it was. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, realpath, rename, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileState, PlannedFile } from '../contract/checkpoint.ts';
import { sameState, stateAt } from './file-state.ts';
import type { ObjectStore } from './store.ts';

/** A sentence when it was left alone. What is there is saved first. */
export const putBack = async (
  { path, target, now }: PlannedFile,
  store: ObjectStore,
  top: string,
): Promise<{ readonly before: FileState } | { readonly why: string }> => {
  const parent = dirname(path);
  const real = await realpath(parent).catch(() => undefined);
  if (real !== undefined && real !== parent)
    return { why: `a part of its path has become a link to ${real}` };
  const before = await stateAt(path, store, 'keep');
  if (!sameState(before, now)) return { why: 'it changed this very moment' };
  try {
    await write(path, target, store);
    if (target.kind === 'none') await dropEmpty(parent, top);
    return { before };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
};

const write = async (path: string, target: FileState, store: ObjectStore): Promise<void> => {
  switch (target.kind) {
    case 'unsaved':
      throw new Error(target.why);
    case 'none':
      await unlink(path);
      return;
    case 'file':
    case 'link': {
      const bytes = await store.get(target.blob);
      if (!bytes) throw new Error('its earlier content is no longer in the store');
      await mkdir(dirname(path), { recursive: true });
      const temp = `${path}.${randomUUID()}.tmp`;
      if (target.kind === 'link') await symlink(bytes.toString('utf8'), temp);
      else {
        await writeFile(temp, bytes, { flag: 'wx' });
        if (target.executable) await chmod(temp, 0o755);
      }
      await rename(temp, path);
    }
  }
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
