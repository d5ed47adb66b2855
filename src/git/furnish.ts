/** What a new worktree gets from the main checkout beside its tracked files. */
import { constants, copyFile, lstat, readlink, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { errorText } from '../lib/error-text.ts';
import type { Git } from './git.ts';
import { nulSeparated } from './names-on-pipes.ts';
import { exclude, kindAt } from './place.ts';

const missing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    () => true,
  );

/** Copies files that `.worktreeinclude` names and git ignores; answers what could not be copied. */
export const copyIncluded = async (main: Git, root: string, to: string): Promise<readonly string[]> => {
  const list = join(root, '.worktreeinclude');
  if ((await kindAt(list)) !== 'other') return [];
  const matched = nulSeparated(
    await main.text('.worktreeinclude could not be read', [
      'ls-files',
      '-z',
      '--others',
      '--ignored',
      `--exclude-from=${list}`,
    ]),
  );
  if (matched.length === 0) return [];
  const asked = await main.run(['check-ignore', '-z', '--stdin'], { input: matched.join('\0') });
  const notes: string[] = [];
  for (const path of nulSeparated(asked.stdout.toString('utf8'))) {
    if (path.startsWith('.coppice/worktrees/')) continue;
    try {
      await copyOne(join(root, path), join(to, path), to);
    } catch (error) {
      notes.push(`${path} of .worktreeinclude was not copied: ${errorText(error)}.`);
    }
  }
  return notes;
};

/** Nothing is overwritten, and nothing is written through a link. */
const copyOne = async (from: string, to: string, top: string): Promise<void> => {
  if (!(await missing(to)) || !(await realBelow(dirname(to), top))) return;
  await ensureFolder(dirname(to));
  const found = await lstat(from);
  if (found.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (found.isFile()) await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
};

const realBelow = async (folder: string, top: string): Promise<boolean> => {
  for (let path = folder; path.length > top.length; path = dirname(path))
    if ((await kindAt(path)) === 'link') return false;
  return true;
};

/** Links folders of the main checkout (dependencies, say) into the worktree. Answers the links made, and why others were not. */
export const linkFolders = async (
  main: Git,
  commonDir: string,
  root: string,
  to: string,
  folders: readonly string[],
): Promise<{ readonly links: Readonly<Record<string, string>>; readonly notes: readonly string[] }> => {
  const links: Record<string, string> = {};
  const notes: string[] = [];
  for (const written of folders) {
    const path = normalize(written).replace(/\/+$/, '');
    if (
      isAbsolute(path) ||
      path.split('/').some((part) => part === '..' || part.toLowerCase() === '.git') ||
      path === '.'
    ) {
      notes.push(
        `worktree.symlinkDirectories: ${written} is not a folder inside the project, so it was not linked.`,
      );
      continue;
    }
    const target = join(root, path);
    if ((await kindAt(target)) !== 'folder' || !(await missing(join(to, path)))) continue;
    if (!(await realBelow(dirname(join(to, path)), to))) continue;
    await ensureFolder(dirname(join(to, path)));
    await symlink(target, join(to, path), 'dir');
    links[path] = target;
  }
  const made = Object.keys(links);
  if (made.length > 0) {
    // `node_modules/` in .gitignore means folders: the link needs a line of its own, or "git add -A" takes it.
    const ignored = nulSeparated(
      (
        await main.run(['check-ignore', '-z', '--stdin'], {
          input: made.map((path) => `${path}/`).join('\0'),
        })
      ).stdout.toString('utf8'),
    );
    await exclude(
      commonDir,
      ignored.map((path) => `/${path.replace(/\/$/, '')}`),
    );
  }
  return { links, notes };
};
