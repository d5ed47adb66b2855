/** Where definitions lie, from strong to weak: scope first, ours over foreign within a scope (ruling 10). */
import { dirname, join, relative, sep } from 'node:path';
import type { DefinitionKind, DefinitionSource } from '../contract/catalog.ts';

/** A folder that holds definitions of one kind, or one file of them. */
export interface Place {
  readonly path: string;
  readonly kind: DefinitionKind;
  readonly source: DefinitionSource;
  /** From a `.claude` home or a plugin: its hooks see short tool names. */
  readonly foreign: boolean;
  /** Parts of a plugin are named `plugin:name`. */
  readonly plugin?: Pick<PluginParts, 'name' | 'root' | 'ofProject'>;
  /** A folder below the start directory, for telling equal names apart (`apps/web:deploy`). */
  readonly below?: string;
}

/** What a plugin brings, as absolute paths of folders or files. */
export interface PluginParts {
  readonly name: string;
  readonly root: string;
  /** Named by the project's own settings alone: it counts as far as it was accepted. */
  readonly ofProject?: boolean;
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly commands: readonly string[];
}

export interface Whereabouts {
  /** Folder with `skills/` and `agents/` that come with the program. */
  readonly builtin?: string;
  readonly managed?: string;
  /** `~/.coppice`, `~/.claude` and HOME, each as far as it is known. */
  readonly homes: { readonly own?: string; readonly foreign?: string; readonly user?: string };
  readonly cwd: string;
  readonly project: string;
  /** Further working directories. */
  readonly directories: readonly string[];
  readonly plugins: readonly PluginParts[];
  /** False leaves the `.claude` homes out. */
  readonly compatibility: boolean;
}

const kinds: readonly (readonly [folder: string, kind: DefinitionKind])[] = [
  ['skills', 'skill'],
  ['commands', 'command'],
  ['agents', 'agent'],
];

const inHome = (home: string, source: DefinitionSource, foreign: boolean): readonly Place[] =>
  kinds.map(([folder, kind]) => ({ path: join(home, folder), kind, source, foreign }));

/** Homes of one directory of a project. */
export const placesOf = (dir: string, compatibility: boolean): readonly Place[] => [
  ...inHome(join(dir, '.coppice'), 'project', false),
  ...(compatibility ? inHome(join(dir, '.claude'), 'project', true) : []),
  { path: join(dir, '.agents', 'skills'), kind: 'skill', source: 'project', foreign: false },
];

/** From the start directory up to the project root, nearest first; HOME is no project. */
const upwards = ({ cwd, project, homes }: Whereabouts): readonly string[] => {
  const dirs: string[] = [];
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (dir !== homes.user) dirs.push(dir);
    if (dir === project || dir === dirname(dir)) break;
  }
  return dirs.includes(project) ? dirs : [cwd, project].filter((dir) => dir !== homes.user);
};

const ofPlugin = ({ name, root, ofProject, ...parts }: PluginParts): readonly Place[] =>
  kinds.flatMap(([folder, kind]) =>
    parts[folder as 'skills' | 'agents' | 'commands'].map((path) => ({
      path,
      kind,
      source: 'plugin' as const,
      foreign: true,
      plugin: { name, root, ...(ofProject ? { ofProject } : {}) },
    })),
  );

export const definitionPlaces = (where: Whereabouts): readonly Place[] => {
  const { homes, compatibility } = where;
  return [
    ...(where.managed ? inHome(where.managed, 'managed', false) : []),
    ...upwards(where).flatMap((dir) => placesOf(dir, compatibility)),
    ...where.directories.flatMap((dir) => placesOf(dir, compatibility)),
    ...(homes.own ? inHome(homes.own, 'user', false) : []),
    ...(compatibility && homes.foreign ? inHome(homes.foreign, 'user', true) : []),
    ...(homes.user
      ? [
          {
            path: join(homes.user, '.agents', 'skills'),
            kind: 'skill',
            source: 'user',
            foreign: false,
          } as const,
        ]
      : []),
    ...where.plugins.flatMap(ofPlugin),
    ...(where.builtin ? inHome(where.builtin, 'builtin', false) : []),
  ];
};

/** Homes between the start directory and a file below it: they come in when the file is touched. */
export const placesTowards = (file: string, where: Whereabouts): readonly Place[] => {
  const way = relative(where.cwd, dirname(file));
  if (way === '' || way.startsWith('..')) return [];
  const parts = way.split(sep);
  return parts.flatMap((_, at) => {
    const below = parts.slice(0, at + 1);
    return placesOf(join(where.cwd, ...below), where.compatibility).map((place) => ({
      ...place,
      below: below.join('/'),
    }));
  });
};
