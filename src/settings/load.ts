import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type {
  LoadedSettings,
  RuleText,
  SensitiveSetting,
  Settings,
  SettingsLayer,
  SettingsProblem,
  SettingsScope,
} from '../contract/settings.ts';
import { checkSettings, type Fault } from './check.ts';
import { FOREIGN_PROJECT_HOME, type Homes, PROJECT_HOME } from './home.ts';
import { mergeLayers, sourcesOf } from './merge.ts';
import { isProjectLayer, narrowProject } from './narrowing.ts';
import { projectPart, sensitiveIn, untrustedPart } from './project-limits.ts';
import { parseJson, readJsonFile } from './read-file.ts';

/** Directories of `managed-settings.json` and `managed-settings.d/`. */
const MANAGED_HOMES = { own: '/etc/coppice', foreign: '/etc/claude-code' } as const;

export interface SettingsWanted {
  readonly homes: Homes;
  /** Absent outside any project. */
  readonly project?: string;
  readonly trusted: boolean;
  /** Layers of the project that go on counting although its files changed: of those only what forbids is read. */
  readonly kept?: readonly SettingsLayer[];
  /** `--settings`: a path or JSON text. */
  readonly flag?: string;
  /** What the command line said by its own flags; the strongest after managed. */
  readonly flagSettings?: Settings;
  /** `--setting-sources`; managed settings and flags count always. */
  readonly scopes?: readonly SettingsScope[];
  /** Where `--settings` paths start. */
  readonly cwd: string;
  readonly managed?: { readonly own: string; readonly foreign: string };
}

interface Place {
  readonly scope: SettingsScope;
  readonly file: string;
  readonly foreign: boolean;
}

/** Reads every settings file that counts. Never throws: what is wrong is a problem, the rest of the file counts. */
export const loadSettings = async (wanted: SettingsWanted): Promise<LoadedSettings> => {
  const managed = wanted.managed ?? MANAGED_HOMES;
  const counts = (scope: SettingsScope): boolean =>
    wanted.scopes === undefined || scope === 'managed' || scope === 'flag' || wanted.scopes.includes(scope);
  const files: string[] = [];
  const problems: SettingsProblem[] = [];
  const sensitive: SensitiveSetting[] = [];

  const layer = (place: Place, value: unknown): SettingsLayer => {
    const { settings, faults } = checkSettings(value);
    problems.push(...faults.map((fault) => problem(place, fault)));
    if (!isProjectLayer(place)) return { ...place, settings };
    const part = projectPart(settings, wanted.project);
    sensitive.push(...sensitiveIn(part.settings, place.file));
    if (!wanted.trusted) return { ...place, settings: untrustedPart(settings) };
    problems.push(...part.faults.map((fault) => problem(place, fault)));
    return { ...place, settings: part.settings };
  };
  const read = async (place: Place): Promise<readonly SettingsLayer[]> => {
    files.push(place.file);
    const found = await readJsonFile(place.file);
    if ('missing' in found) return [];
    if ('wrong' in found) {
      problems.push(problem(place, { key: '', ...found.wrong }));
      return [];
    }
    return [layer(place, found.value)];
  };
  const readAll = async (places: readonly Place[]): Promise<readonly SettingsLayer[]> =>
    (await Promise.all(places.map(read))).flat();

  const own = await readAll([
    ...(await managedPlaces(managed.own, false)),
    ...places(wanted, false).filter((place) => counts(place.scope)),
  ]);
  const flags = [
    ...(wanted.flagSettings
      ? [{ scope: 'flag' as const, file: 'the command line', foreign: false, settings: wanted.flagSettings }]
      : []),
    ...(await fromFlag(wanted, layer, problems, files)),
  ];
  const strongFirst = [...own, ...flags].sort(byStrength);
  const compatible = mergeLayers(strongFirst.filter((each) => !isProjectLayer(each))).compatibility !== false;
  const foreign = compatible
    ? await readAll([
        ...(await managedPlaces(managed.foreign, true)),
        ...places(wanted, true).filter((place) => counts(place.scope)),
      ])
    : [];
  const layers = narrowProject([...strongFirst, ...foreign, ...(wanted.kept ?? [])].sort(byStrength));
  const settings = mergeLayers(layers);
  // Files are read side by side; what is told of them comes in their order.
  const inOrder = (a: { readonly file: string }, b: { readonly file: string }): number =>
    files.indexOf(a.file) - files.indexOf(b.file);
  problems.sort(inOrder);
  sensitive.sort(inOrder);
  return { settings, layers, sources: sourcesOf(layers, settings), problems, files, sensitive };
};

const order: readonly SettingsScope[] = ['managed', 'flag', 'local', 'project', 'user'];
const byStrength = (a: SettingsLayer, b: SettingsLayer): number =>
  order.indexOf(a.scope) - order.indexOf(b.scope) || Number(a.foreign) - Number(b.foreign);

const places = ({ homes, project }: SettingsWanted, foreign: boolean): readonly Place[] => {
  const home = foreign ? homes.foreign : homes.own;
  const dir =
    project === undefined ? undefined : join(project, foreign ? FOREIGN_PROJECT_HOME : PROJECT_HOME);
  return [
    ...(dir === undefined || dir === home
      ? []
      : [
          { scope: 'local' as const, file: join(dir, 'settings.local.json'), foreign },
          { scope: 'project' as const, file: join(dir, 'settings.json'), foreign },
        ]),
    ...(home === undefined ? [] : [{ scope: 'user' as const, file: join(home, 'settings.json'), foreign }]),
  ];
};

/** The files of `managed-settings.d` come after each other by name; the last is the strongest, the base file the weakest. */
const managedPlaces = async (dir: string, foreign: boolean): Promise<readonly Place[]> => {
  const parts = await readdir(join(dir, 'managed-settings.d')).catch((): readonly string[] => []);
  const names = parts
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .reverse();
  return [...names.map((name) => join('managed-settings.d', name)), 'managed-settings.json'].map((name) => ({
    scope: 'managed',
    file: join(dir, name),
    foreign,
  }));
};

const fromFlag = async (
  wanted: SettingsWanted,
  layer: (place: Place, value: unknown) => SettingsLayer,
  problems: SettingsProblem[],
  files: string[],
): Promise<readonly SettingsLayer[]> => {
  if (wanted.flag === undefined) return [];
  const inline = wanted.flag.trimStart().startsWith('{');
  const file = inline
    ? '--settings'
    : wanted.flag.startsWith('/')
      ? wanted.flag
      : join(wanted.cwd, wanted.flag);
  const place: Place = { scope: 'flag', file, foreign: false };
  if (!inline) files.push(file);
  const found = inline ? parseJson(wanted.flag) : await readJsonFile(file);
  if (!('missing' in found) && !('wrong' in found)) return [layer(place, found.value)];
  problems.push(
    problem(place, {
      key: '',
      ...('wrong' in found
        ? found.wrong
        : { found: 'no such file', expected: 'a file or JSON text after --settings' }),
    }),
  );
  return [];
};

const problem = ({ file, scope }: Place, fault: Fault): SettingsProblem => ({
  ...fault,
  file,
  scope,
  text:
    fault.key === ''
      ? `${file}: found ${fault.found}, expected ${fault.expected}.`
      : `${file}: ${fault.key} is ${fault.found}, expected ${fault.expected}. It is skipped, the rest counts.`,
});

/** All rule texts with their origin, for the permission engine. */
export const ruleTexts = (loaded: LoadedSettings, project: string): readonly RuleText[] =>
  loaded.layers.flatMap(({ settings, scope, file }) =>
    (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      (settings.permissions?.[behavior] ?? []).map((text) => ({
        behavior,
        text,
        source: scope,
        file,
        anchor: scope === 'user' || scope === 'managed' ? dirname(file) : project,
      })),
    ),
  );
