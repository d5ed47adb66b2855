/** A git that only reads starts no program which a repository's own configuration names (ruling 4, security T5). */
import { execFile } from 'node:child_process';

type Variables = Readonly<Record<string, string>>;

/** Settings of the repository itself, by name; the person's own are their own. */
const repositorySettings = (cwd: string, env: Variables): Promise<readonly string[]> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['config', '--list', '--name-only', '--show-scope', '-z'],
      { cwd, env, maxBuffer: 4 * 1024 * 1024, timeout: 5_000 },
      (_error, stdout) => {
        const parts = stdout.split('\0');
        resolve(
          parts.flatMap((name, at) =>
            at % 2 === 1 && /^(local|worktree|submodule)$/.test(parts[at - 1] ?? '') ? [name] : [],
          ),
        );
      },
    );
  });

/** Prints a change as git would, in place of a program of the repository's choice. */
const PLAIN_DIFF = 'f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; true; }; f';

const ALWAYS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.askPass', 'true'],
  ['log.showSignature', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
];

/** What takes the place of a setting that names a program. */
const override = (name: string): readonly (readonly [string, string])[] => {
  const lower = name.toLowerCase();
  if (lower === 'diff.external') return [[name, PLAIN_DIFF]];
  if (!/^(diff|filter)\./.test(lower)) return [];
  if (lower.endsWith('.textconv')) return [[name, 'cat']];
  if (lower.endsWith('.command')) return [[name, PLAIN_DIFF]];
  if (/\.(clean|smudge|process)$/.test(lower)) return [[name, '']];
  return lower.endsWith('.required') ? [[name, 'false']] : [];
};

/** The environment for it in some places. Costs one `git config --list` each, which starts nothing. */
export const quietGit = async (
  places: readonly string[],
  env: Variables,
): Promise<Record<string, string>> => {
  const {
    GIT_EXTERNAL_DIFF: _diff,
    GIT_CONFIG_PARAMETERS: _parameters,
    GIT_CONFIG_COUNT: given = '0',
    ...rest
  } = env;
  const before = Number.isInteger(Number(given)) ? Number(given) : 0;
  const names = await Promise.all(places.map((place) => repositorySettings(place, env)));
  const found = [...new Set(names.flat())].flatMap(override);
  const settings = [...ALWAYS, ...found];
  return {
    ...rest,
    GIT_OPTIONAL_LOCKS: '0',
    // A partial clone would fetch what it lacks, by a program that its configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CONFIG_COUNT: String(before + settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${before + at}`, name],
        [`GIT_CONFIG_VALUE_${before + at}`, value],
      ]),
    ),
  };
};
