import { readlinkSync } from 'node:fs';
import type { ReadLink } from '../contract/permission.ts';

/** Asks the disk. Anything that is no link, or cannot be looked at, has no target. */
export const diskLinks: ReadLink = (path) => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};
