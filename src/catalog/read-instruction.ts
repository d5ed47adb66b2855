import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';

/** More than this of one file is left out. */
const MAX_FILE_BYTES = 128 * 1024;

export type ReadInstruction =
  | { readonly text: string; readonly real: string; readonly cut?: number }
  | { readonly missing: true }
  /** Not taken, with the reason where a person should know it. */
  | { readonly refused?: string };

/** A text file that belongs to this user, to root, or to the owner of the project. */
export const readInstruction = async (
  path: string,
  trustedOwners: ReadonlySet<number>,
): Promise<ReadInstruction> => {
  try {
    const real = await realpath(path);
    const found = await lstat(real);
    if (!found.isFile()) return { missing: true };
    if (trustedOwners.size > 0 && !trustedOwners.has(found.uid))
      return { refused: `${path} belongs to another user (uid ${found.uid}) and was not read.` };
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(Math.min(found.size, MAX_FILE_BYTES));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      const text = bytes.toString('utf8', 0, bytesRead);
      if (text.includes('\0')) return { refused: `${path} is not a text file and was not read.` };
      return {
        text: text.replace(/^\uFEFF/, ''),
        real,
        ...(found.size > MAX_FILE_BYTES ? { cut: found.size - MAX_FILE_BYTES } : {}),
      };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) return { missing: true };
    if (code === 'ELOOP') return { refused: `${path} is a circle of symbolic links and was not read.` };
    return { refused: `${path} could not be read (${code || String(error)}).` };
  }
};
