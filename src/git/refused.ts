import type { Refused } from '../contract/worktree.ts';
import { GitFailed } from './run.ts';

export const isRefused = (value: object): value is Refused => 'refused' in value;

/** What git or the disk refused, as a value; anything else is a fault of ours and goes on up. */
export const refusing = async <T>(work: () => Promise<T>): Promise<T | Refused> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GitFailed) return { refused: error.message };
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      return { refused: `The disk refused it: ${error.message}.` };
    throw error;
  }
};
