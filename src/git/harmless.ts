/** The settings of a repository that name programs, and what to put in their place. */
import { type GitProgram, runGit } from './run.ts';

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

const settingsOf = (bytes: Buffer): readonly Setting[] => {
  const parts = bytes.toString('utf8').split('\0');
  const found: Setting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...rest] = (parts[at + 1] ?? '').split('\n');
    found.push({ scope: parts[at] ?? '', key, value: rest.join('\n') });
  }
  return found;
};

/** A merge driver that is left out would take one side; git's own three-way merge stands in for it. */
const PLAIN_MERGE = 'git merge-file --marker-size=%L %A %O %B';

const NAMES_A_PROGRAM =
  /^(filter\..+\.(clean|smudge|process|required)|merge\..+\.driver|diff\..+\.(command|textconv))$/i;

/** What takes the place of a key that only the repository set. */
const harmless = (key: string): string => {
  if (/\.driver$/i.test(key)) return PLAIN_MERGE;
  return /\.required$/i.test(key) ? 'false' : '';
};

/**
 * `-c` settings that take every program out of a repository's configuration: what the person's own configuration
 * says in its place, or nothing. Reading configuration executes nothing, included files neither. To be asked
 * again before every operation: the file may have changed.
 */
export const overrides = async (program: GitProgram, cwd: string): Promise<readonly string[]> => {
  const done = await runGit(program, cwd, ['config', '--list', '--show-scope', '-z']);
  if (done.code !== 0) return [];
  const all = settingsOf(done.stdout);
  const theirs = all.filter(
    ({ scope, key }) => /^(local|worktree)$/.test(scope) && NAMES_A_PROGRAM.test(key),
  );
  return [...new Set(theirs.map(({ key }) => key))].map((key) => {
    const own = all.findLast((one) => one.key === key && /^(system|global)$/.test(one.scope));
    return `${key}=${own?.value ?? harmless(key)}`;
  });
};
