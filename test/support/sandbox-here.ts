import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const onPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Whether a real sandbox can be tried here; says so on standard error where it cannot. */
export const sandboxHere = (): boolean => {
  const able = process.platform !== 'linux' || (onPath('bwrap') && onPath('socat'));
  if (!able)
    process.stderr.write(
      'SKIPPED: the sandbox is not tried here: bubblewrap or socat is missing (.ci/run installs them).\n',
    );
  return able;
};
