/** Facts about a repository from its files alone: no process is started, no configuration of the repository is read. */

import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { linkedWorktrees } from '../git/linked.ts';
import { readRegularSync } from '../lib/regular-file.ts';

const gitDirOf = (start: string): string | undefined => {
  for (let dir = resolve(start); ; dir = dirname(dir)) {
    const entry = join(dir, '.git');
    const found = lstatSync(entry, { throwIfNoEntry: false });
    if (found?.isDirectory()) return entry;
    if (found?.isFile()) {
      const target = /^gitdir: (.+)$/m.exec(readRegularSync(entry).toString('utf8'))?.[1]?.trim();
      return target ? resolve(dir, target) : undefined;
    }
    if (dirname(dir) === dir) return undefined;
  }
};

/** The branch, a short commit id when detached, or undefined outside a repository. */
export const branchOf = (cwd: string): string | undefined => {
  try {
    const git = gitDirOf(cwd);
    if (!git) return undefined;
    const head = readRegularSync(join(git, 'HEAD')).toString('utf8').trim();
    return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : head.slice(0, 8);
  } catch {
    return undefined;
  }
};

export const isRepository = (cwd: string): boolean => {
  try {
    return gitDirOf(cwd) !== undefined;
  } catch {
    return false;
  }
};

/** The main checkout of a repository and its linked worktrees; the folder itself outside of one. */
export const checkoutsOf = async (project: string): Promise<readonly string[]> => {
  try {
    const git = gitDirOf(project);
    if (!git) return [project];
    const shared = join(git, 'commondir');
    const common = existsSync(shared) ? resolve(git, readRegularSync(shared).toString('utf8').trim()) : git;
    const linked = await linkedWorktrees(common);
    return [...new Set([dirname(common), project, ...linked.map(({ path }) => path)])];
  } catch {
    return [project];
  }
};

export interface RemoteRepository {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

/** Where `origin` points to; undefined without one, or where it is no address of the usual form. */
export const remoteOf = (cwd: string): RemoteRepository | undefined => {
  try {
    const git = gitDirOf(cwd);
    const shared = git && join(git, 'commondir');
    const common =
      shared && existsSync(shared) ? resolve(git, readRegularSync(shared).toString('utf8').trim()) : git;
    if (!common) return undefined;
    const config = readRegularSync(join(common, 'config')).toString('utf8');
    const section = /^\[remote "origin"\]\s*\n((?:[^[\n].*\n?|\n)*)/m.exec(config)?.[1] ?? '';
    const url = /^\s*url\s*=\s*(.+?)\s*$/m.exec(section)?.[1] ?? '';
    const found = /^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?([\w.-]+)(?::\d+)?[:/](.+)\/([^/]+?)(?:\.git)?\/?$/.exec(
      url,
    );
    const [, host, owner, name] = found ?? [];
    return host && owner && name ? { host, owner: owner.replace(/^\/+/, ''), name } : undefined;
  } catch {
    return undefined;
  }
};
