import { access, constants } from 'node:fs/promises';

/** Whether something is there and may be used so (`constants` of node:fs); without `mode`, whether it is there at all. */
export const isThere = (path: string, mode: number = constants.F_OK): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
