import type { StoreFailed } from '../contract/store.ts';
import { errorText } from '../lib/error-text.ts';

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the file system',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EEXIST: 'a file stands in its place',
  EPERM: 'the operation is not permitted',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EISDIR: 'it is a directory',
  EFTYPE: 'it is a pipe or a device, not a file',
  EFBIG: 'it is too large',
  EIO: 'the disk reports an input/output error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ELOOP: 'it is a symbolic link, or links form a circle',
};

/** The system's error name, `UNKNOWN` for anything else. */
export const errorCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'UNKNOWN';

/** One sentence: what could not be done, where, and why. */
export const storeFailed = (doing: string, path: string, error: unknown): StoreFailed => {
  const code = errorCode(error);
  const cause = causes[code] ?? errorText(error);
  return { failed: `Could not ${doing} ${path}: ${cause}${causes[code] ? ` (${code})` : ''}.`, code, path };
};

/** For the few verbs whose answer has no room for a failure; its message is the sentence. */
export class StoreFailure extends Error implements StoreFailed {
  readonly failed: string;
  readonly code: string;
  readonly path: string;
  constructor(reason: StoreFailed) {
    super(reason.failed);
    this.name = 'StoreFailure';
    this.failed = reason.failed;
    this.code = reason.code;
    this.path = reason.path;
  }
}

export const isFailed = (answer: object | undefined): answer is StoreFailed =>
  answer !== undefined && 'failed' in answer;
