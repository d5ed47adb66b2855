/** The linked worktrees of a repository, read from git's own files: no process is started. */
import { readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularSync, readRegularText } from '../lib/regular-file.ts';

export interface Linked {
  readonly path: string;
  /** Git's folder for it: index, HEAD, state of a merge. */
  readonly admin: string;
  readonly branch?: string;
  /** Where HEAD is detached. */
  readonly detached?: string;
  /** Why it is locked; empty text when no reason was given. */
  readonly locked?: string;
}

const text = (path: string): Promise<string | undefined> =>
  readRegularText(path).then(
    (read) => read.trim(),
    () => undefined,
  );

export const linkedWorktrees = async (commonDir: string): Promise<readonly Linked[]> => {
  const folder = join(commonDir, 'worktrees');
  const ids = await readdir(folder).catch((): string[] => []);
  const found = await Promise.all(ids.sort().map((id) => linkedAt(join(folder, id))));
  return found.flatMap((one) => one ?? []);
};

/** The one at a path. Of the others one small file is read. */
export const linkedWith = async (commonDir: string, path: string): Promise<Linked | undefined> => {
  const folder = join(commonDir, 'worktrees');
  const pointer = join(path, '.git');
  const id = idsIn(folder).find((one) => pointerOf(join(folder, one)) === pointer);
  return id === undefined ? undefined : linkedAt(join(folder, id));
};

const idsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
};

const pointerOf = (admin: string): string | undefined => {
  try {
    return resolve(admin, readRegularSync(join(admin, 'gitdir')).toString('utf8').trim());
  } catch {
    return undefined;
  }
};

export const linkedAt = async (admin: string): Promise<Linked | undefined> => {
  const [pointer, head, locked] = await Promise.all(
    ['gitdir', 'HEAD', 'locked'].map((name) => text(join(admin, name))),
  );
  if (!pointer) return undefined;
  return {
    path: dirname(resolve(admin, pointer)),
    admin,
    ...(head?.startsWith('ref: refs/heads/')
      ? { branch: head.slice('ref: refs/heads/'.length) }
      : head
        ? { detached: head }
        : {}),
    ...(locked === undefined ? {} : { locked }),
  };
};

/** When it was made: the time of git's folder for it, or of its first file. */
export const bornAt = async ({ admin }: Linked): Promise<Date | undefined> =>
  stat(join(admin, 'commondir')).then(
    (found) => found.mtime,
    () => undefined,
  );
