import { stat } from 'node:fs/promises';
import type { SeenFile, SessionState } from '../contract/state.ts';
import { errorText } from '../lib/error-text.ts';
import { type OnDisk, readWhole, seenAs } from './disk-file.ts';
import { absolutePath, badPath, realPath } from './place.ts';

/** A file that a call names, and where its path led when the call was checked. */
export interface Target {
  readonly path: string;
  readonly real: string;
}

export const targetOf = (
  tool: string,
  name: string,
  written: string,
  cwd: string,
): Target | { readonly invalid: string } => {
  const invalid = badPath(tool, name, written);
  if (invalid !== undefined) return { invalid };
  const path = absolutePath(written, cwd);
  return { path, real: realPath(path) };
};

/** `problem` is a sentence. */
export type Content =
  | { readonly kind: 'file'; readonly disk: OnDisk }
  | { readonly kind: 'none' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'problem'; readonly problem: string };

/** Files beyond this are not for a tool that takes them whole. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What is there now. Only a regular file is ever opened, and only where the path led when it was judged. */
export const contentOf = async (target: Target): Promise<Content> => {
  const moved = movedAway(target);
  if (moved !== undefined) return { kind: 'problem', problem: moved };
  try {
    const stats = await stat(target.real);
    if (stats.isDirectory()) return { kind: 'folder' };
    if (!stats.isFile())
      return { kind: 'problem', problem: `${target.path} is a device, pipe or socket, not a file.` };
    if (stats.size > MOST_BYTES) {
      const problem = `${target.path} has ${stats.size} bytes, too many for this tool. Use a command for it.`;
      return { kind: 'problem', problem };
    }
    return { kind: 'file', disk: await readWhole(target.real) };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'problem', problem: failure(target.path, error) };
  }
};

/** Something put a link into the path after it was judged. */
export const movedAway = ({ path, real }: Target): string | undefined => {
  const now = realPath(path);
  return now === real
    ? undefined
    : `${path} led to ${real} when this call was allowed and leads to ${now} now, so it was left alone. Try again.`;
};

export const lastSeen = (state: SessionState, { real }: Target): SeenFile | undefined => state.seen[real];

/** A sentence when the file on disk is not the one that the model has read. */
export const staleness = (target: Target, disk: OnDisk, seen: SeenFile | undefined): string | undefined =>
  seen === undefined || seen.hash === seenAs(disk).hash
    ? undefined
    : `${target.path} has changed since it was read: somebody else wrote it. Read it again, then repeat the change on what is there now.`;

export const isMissing = (error: unknown): boolean =>
  codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** What the system says, as a sentence with the path in it. */
export const failure = (path: string, error: unknown): string => {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be opened by this user: permission denied.`;
    case 'ENOSPC':
      return `There is no space left on the file system of ${path}; it was left as it was. Free some space, then try again.`;
    case 'EDQUOT':
      return `The disk quota for ${path} is used up; it was left as it was.`;
    case 'EROFS':
      return `${path} is on a file system that is mounted read-only.`;
    case 'ENOTDIR':
      return `A part of ${path} is a file, not a folder.`;
    case 'ENAMETOOLONG':
      return `${path} has a name that is too long for its file system.`;
    case 'ELOOP':
      return `${path} is a link that leads back to itself, or became a link while it was opened.`;
    case 'EMFILE':
    case 'ENFILE':
      return `${path} could not be opened: too many files are open. Try again with fewer calls at a time.`;
    default:
      return `${path}: ${errorText(error)}.`;
  }
};

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
