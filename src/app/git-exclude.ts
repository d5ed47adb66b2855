import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { isFolder } from '../lib/is-folder.ts';
import { readRegularText } from '../lib/regular-file.ts';

/** Keeps a file of ours out of git through `.git/info/exclude` (ruling 10); nothing where there is no repository of the usual form. */
export const excludeFromGit = async (root: string, pattern: string): Promise<void> => {
  const git = join(root, '.git');
  if (!(await isFolder(git))) return;
  const file = join(git, 'info', 'exclude');
  const before = await readRegularText(file).catch(() => '');
  if (before.split('\n').includes(pattern)) return;
  await ensureFolder(dirname(file));
  await appendFile(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${pattern}\n`);
};
