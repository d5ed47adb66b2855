import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isThere } from './is-there.ts';

/** Where a program of the name can be run; `path` as in the environment. */
export const onPath = async (name: string, path: string): Promise<string | undefined> => {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && (await isThere(file, constants.X_OK))) return file;
  }
  return undefined;
};
