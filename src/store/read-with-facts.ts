import { closeSync, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { NO_WAIT, regularOnly } from '../lib/regular-file.ts';

/** Most records fit: one buffer for all of them, and one read each. */
const SMALL = 16_384;
/** More is no record of anything. */
const MOST = 64 * 1024 * 1024;

export type Read = (path: string) => { readonly text: string; readonly about: Stats };

/** Reads the text of a file with what the system says of this very text. Throws as `fs` does, and for what is no regular file. */
export const smallReader = (): Read => {
  const buffer = Buffer.allocUnsafeSlow(SMALL);
  return (path) => {
    const fd = openSync(path, NO_WAIT);
    try {
      const about = fstatSync(fd);
      regularOnly(path, about, MOST);
      const length = readSync(fd, buffer, 0, SMALL, 0);
      const text = length < SMALL ? buffer.toString('utf8', 0, length) : readFileSync(fd, 'utf8');
      return { text, about };
    } finally {
      closeSync(fd);
    }
  };
};
