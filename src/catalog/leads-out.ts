import { realOf } from '../lib/folders-below.ts';
import { isInside } from './instruction-places.ts';

/** Folders as the disk knows them, for `leadsOut`. */
export const realFolders = (folders: readonly string[]): readonly string[] =>
  folders.map((folder) => realOf(folder) ?? folder);

/** Whether a file lies in none of these folders, links followed: `real` and `folders` are real paths; what leads nowhere leads out. */
export const leadsOut = (real: string | undefined, folders: readonly string[]): boolean =>
  real === undefined || !folders.some((folder) => isInside(real, folder));
