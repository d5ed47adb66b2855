import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the installed program, with `skills/` and `agents/` in it; undefined when the program stands alone. */
export const packageRoot = (from: string = import.meta.dirname): string | undefined => {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir))
    if (existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'agents'))) return dir;
  return undefined;
};
