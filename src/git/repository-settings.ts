/** What a repository's own configuration sets. Reading it executes nothing, included files neither. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nulSeparated } from './names-on-pipes.ts';
import { type GitProgram, runGit, type Setting } from './run.ts';

export interface RepositorySettings {
  /** Of the repository and of this worktree. */
  readonly own: readonly Setting[];
  /** Of the person and of the machine; the last of a key counts. */
  readonly others: readonly Setting[];
}

export const repositorySettings = async (program: GitProgram, cwd: string): Promise<RepositorySettings> => {
  const listed = await runGit(program, cwd, ['config', '--list', '--show-scope', '-z']);
  const parts = listed.code === 0 ? nulSeparated(listed.stdout.toString('utf8')) : [];
  const scoped = parts.flatMap((text, at) =>
    at % 2 === 1 ? [{ scope: parts[at - 1] ?? '', setting: settingOf(text) }] : [],
  );
  const of = (scope: RegExp) => scoped.flatMap((one) => (scope.test(one.scope) ? [one.setting] : []));
  return { own: of(/^(local|worktree|submodule)$/), others: of(/^(system|global)$/) };
};

/** Settings that keep git out of submodules, where it would go by their configuration. */
export const outsideSubmodules = async (program: GitProgram, cwd: string): Promise<readonly Setting[]> => {
  const [{ own }, modules] = await Promise.all([repositorySettings(program, cwd), gitmodules(program, cwd)]);
  const names = [...own, ...modules].flatMap(([key]) => /^submodule\..+(?=\.[^.]+$)/.exec(key)?.[0] ?? []);
  return [...new Set(names)].map((name) => [`${name}.ignore`, 'dirty']);
};

/** `key LF value`; a key alone means true. */
const settingOf = (text: string): Setting => {
  const end = text.indexOf('\n');
  return end < 0 ? [text, 'true'] : [text.slice(0, end), text.slice(end + 1)];
};

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Git reads `.gitmodules` from the checkout, else from the index. */
const gitmodules = async (program: GitProgram, cwd: string): Promise<readonly Setting[]> => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (exists(join(folder, '.git'))) {
      const file = join(folder, '.gitmodules');
      const from = exists(file) ? ['-f', file] : ['--blob', ':.gitmodules'];
      const listed = await runGit(program, folder, ['config', '--list', '-z', ...from]);
      return nulSeparated(listed.stdout.toString('utf8')).map(settingOf);
    }
    if (dirname(folder) === folder) return [];
  }
};
