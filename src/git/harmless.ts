/** The settings of a repository that name programs, and what to put in their place. */
import { plainPlace } from './plain-repository.ts';
import { repositorySettings } from './repository-settings.ts';
import type { GitProgram, Setting } from './run.ts';

/** A merge driver that is left out would take one side; git's own three-way merge stands in for it. */
const PLAIN_MERGE = 'git merge-file --marker-size=%L %A %O %B';

const NAMES_A_PROGRAM =
  /^(filter\..+\.(clean|smudge|process|required)|merge\..+\.driver|diff\..+\.(command|textconv)|branch\..+\.mergeoptions|gpg\.(.+\.)?program|hook\..+\.command)$/i;

/** What takes the place of a key that only the repository set. */
const harmless = (key: string): string => {
  if (/\.driver$/i.test(key)) return PLAIN_MERGE;
  if (/^(gpg|hook)\./i.test(key)) return 'false';
  return /\.required$/i.test(key) ? 'false' : '';
};

/**
 * Settings that take every program out of a repository's configuration: what the person's own configuration
 * says in its place, or nothing. To be asked again before every operation: the file may have changed.
 */
export const overrides = async (program: GitProgram, cwd: string): Promise<readonly Setting[]> => {
  if (plainPlace(cwd)) return [];
  const { own, others } = await repositorySettings(program, cwd);
  const theirs = own.flatMap(([key]) => (NAMES_A_PROGRAM.test(key) ? [key] : []));
  return [...new Set(theirs)].map((key) => [
    key,
    others.findLast(([other]) => other === key)?.[1] ?? harmless(key),
  ]);
};
