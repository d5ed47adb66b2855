/** A git of the model's that only reads starts no program which a repository's own configuration names (ruling 4, security T5). */
import { delimiter, isAbsolute } from 'node:path';
import { refusePipes } from './pipes.ts';
import { outsideSubmodules, repositorySettings } from './repository-settings.ts';
import { configured, findGit, type GitProgram, type Setting } from './run.ts';

type Variables = Readonly<Record<string, string>>;

/** Prints a change as git would, in place of a program of the repository's choice. */
const PLAIN_DIFF = 'f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; true; }; f';

const ALWAYS: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.askPass', 'true'],
  ['log.showSignature', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
];

/** What takes the place of a setting that names a program. */
const override = ([name]: Setting): readonly Setting[] => {
  const lower = name.toLowerCase();
  // A format can ask for signatures, and so run what checks them.
  if (/^gpg\.(.+\.)?program$/.test(lower)) return [[name, 'false']];
  if (lower === 'diff.external') return [[name, PLAIN_DIFF]];
  if (!/^(diff|filter)\./.test(lower)) return [];
  if (lower.endsWith('.textconv')) return [[name, 'cat']];
  if (lower.endsWith('.command')) return [[name, PLAIN_DIFF]];
  if (/\.(clean|smudge|process)$/.test(lower)) return [[name, '']];
  return lower.endsWith('.required') ? [[name, 'false']] : [];
};

const quieting = async (program: GitProgram, place: string): Promise<readonly Setting[]> => {
  refusePipes(place);
  const [{ own }, submodules] = await Promise.all([
    repositorySettings(program, place),
    outsideSubmodules(program, place),
  ]);
  return [...own.flatMap(override), ...submodules];
};

/** Settings that a person gives by variables. */
const given = (env: Variables): readonly Setting[] =>
  Array.from({ length: Number(env.GIT_CONFIG_COUNT) || 0 }, (_, at) => [
    env[`GIT_CONFIG_KEY_${at}`] ?? '',
    env[`GIT_CONFIG_VALUE_${at}`] ?? '',
  ]);

/** PATH without what a project could have put there. */
const outside = (path: string, projects: readonly string[]): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !projects.some((one) => `${folder}/`.startsWith(`${one}/`)))
    .join(delimiter);

/** The environment for it in some places. Programs are not looked for in `projects`. */
export const quietGit = async (
  places: readonly string[],
  surroundings: Variables,
  projects: readonly string[] = places,
): Promise<Record<string, string>> => {
  const { GIT_EXTERNAL_DIFF: _diff, GIT_CONFIG_PARAMETERS: _parameters, ...env } = surroundings;
  const program = findGit(surroundings, projects);
  const found = program ? await Promise.all(places.map((place) => quieting(program, place))) : [];
  return {
    ...env,
    PATH: outside(surroundings.PATH ?? '', projects),
    GIT_OPTIONAL_LOCKS: '0',
    // A partial clone would fetch what it lacks, by a program that its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    ...configured([...given(surroundings), ...ALWAYS, ...found.flat()]),
  };
};
