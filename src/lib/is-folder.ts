import { stat } from 'node:fs/promises';

/** False also where nothing can be seen. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
