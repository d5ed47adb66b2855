/** One file as it is now. */

import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileState } from '../contract/checkpoint.ts';
import { errorText } from '../lib/error-text.ts';
import { readRegular } from '../lib/regular-file.ts';
import { blobId, type ObjectStore } from './store.ts';

/** Larger files are not kept. */
export const MOST_BYTES = 10_000_000;
export const TOO_LARGE = `it is larger than ${MOST_BYTES / 1_000_000} MB`;

const NONE: FileState = { kind: 'none' };

/** `keep` saves the bytes too, and rejects where the store cannot; `look` only tells what they are. */
export const stateAt = async (path: string, store: ObjectStore, how: 'keep' | 'look'): Promise<FileState> => {
  const found = await readAt(path);
  if (!('bytes' in found)) return found;
  const { bytes, ...rest } = found;
  return { ...rest, blob: how === 'keep' ? await store.put(bytes) : blobId(bytes) };
};

type Loaded<T> = T extends { readonly blob: string } ? Omit<T, 'blob'> & { readonly bytes: Buffer } : T;

const readAt = async (path: string): Promise<Loaded<FileState>> => {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) return { kind: 'link', bytes: Buffer.from(await readlink(path)) };
    if (found.isDirectory()) return { kind: 'folder' };
    if (!found.isFile()) return { kind: 'unsaved', why: 'it is no plain file' };
    if (found.size > MOST_BYTES) return { kind: 'unsaved', why: TOO_LARGE };
    const mode = found.mode & 0o777;
    return { kind: 'file', bytes: await readRegular(path), executable: (mode & 0o100) !== 0, mode };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return NONE;
    return { kind: 'unsaved', why: errorText(error) };
  }
};

/** What makes a state: the bytes, and whether it can be run. */
export const keyOf = (state: FileState): string => {
  switch (state.kind) {
    case 'file':
      return `${state.executable ? 'program' : 'file'} ${state.blob}`;
    case 'link':
      return `link ${state.blob}`;
    default:
      return state.kind;
  }
};

export const sameState = (a: FileState, b: FileState): boolean =>
  a.kind !== 'unsaved' && keyOf(a) === keyOf(b);

/** Where a path leads: what a tool writes through links is recorded at their end. */
export const realFile = async (path: string): Promise<string> => {
  const whole = await realpath(path).catch(() => undefined);
  if (whole !== undefined) return whole;
  const parent = await realpath(dirname(path)).catch(() => undefined);
  return parent === undefined ? path : join(parent, basename(path));
};
