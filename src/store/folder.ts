import { lstatSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreFailed } from '../contract/store.ts';
import { errorCode, storeFailed } from './failure.ts';

/** A whole folder goes in one step: moved aside first, so that nobody finds half of it. */
export const removeDir = async (dir: string): Promise<StoreFailed | undefined> => {
  const aside = join(dir, '..', `.gone-${process.pid}-${performance.now()}`);
  try {
    await rename(dir, aside);
    await rm(aside, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : storeFailed('remove', dir, error);
  }
};

/** Nothing of ours is a link: what it points to is somebody else's. */
export const linked = (dir: string): StoreFailed | undefined =>
  lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink()
    ? {
        failed: `Could not use ${dir}: it is a symbolic link, and Coppice does not follow links there. Remove the link.`,
        code: 'ELOOP',
        path: dir,
      }
    : undefined;
