/** The plugin folders of a run: `--plugin-dir` and the `plugins` setting. What they execute counts only after trust. */
import { join } from 'node:path';
import { pluginFolder } from '../catalog/plugin-paths.ts';
import { type Plugin, readPlugins } from '../catalog/plugins.ts';
import type { HookSource } from '../contract/hook.ts';
import type { LoadedSettings, SettingsScope } from '../contract/settings.ts';
import { parsePluginHooks } from '../hooks/parse.ts';
import type { Homes } from '../settings/home.ts';
import type { ServerPlace } from './server-sources.ts';

/** The folder for what a plugin keeps. */
export const pluginData = (homes: Homes, root: string): string =>
  join(homes.own ?? root, 'plugin-data', root.replace(/[^A-Za-z0-9]/g, '-'));

export interface PluginHouse {
  plugins(): readonly Plugin[];
  /** The same list until they were read again. */
  hooks(): readonly HookSource[];
  /** Tool servers of trusted plugins. */
  servers(): ServerPlace['plugins'];
  problems(): readonly string[];
  /** Reads all again. */
  reload(): Promise<void>;
}

export interface PluginPlace {
  readonly cwd: string;
  /** Where relative paths of settings begin. */
  readonly project: string;
  readonly trusted: boolean;
  loaded(): LoadedSettings;
  /** `--plugin-dir`. */
  readonly flagged: readonly string[];
  /** False while the project's own files are others than those that were accepted: its plugins stay as they were read. */
  stands?(): Promise<boolean>;
}

interface Reading {
  readonly plugins: readonly Plugin[];
  readonly hooks: readonly HookSource[];
  readonly problems: readonly string[];
}

const ofProject = (scope: SettingsScope): boolean => scope === 'project' || scope === 'local';

/** Folders by who names them; one that the person names too is the person's. */
const foldersOf = ({ flagged, loaded, cwd, project }: PluginPlace) => {
  const { layers } = loaded();
  const named = (whose: (scope: SettingsScope) => boolean): readonly string[] =>
    layers
      .filter(({ scope }) => whose(scope))
      .flatMap(({ settings }) => settings.plugins ?? [])
      .map((dir) => pluginFolder(dir, project));
  const person = new Set([
    ...flagged.map((dir) => pluginFolder(dir, cwd)),
    ...named((scope) => !ofProject(scope)),
  ]);
  return { person, project: new Set(named(ofProject)).difference(person) };
};

/** Parts are told apart by the name of their plugin: a second one of the same name would hide behind the first. */
const byName = (plugins: readonly Plugin[]): readonly Plugin[] => {
  const taken = new Map<string, string>();
  return plugins.map((plugin) => {
    const other = taken.get(plugin.name);
    taken.set(plugin.name, other ?? plugin.root);
    return other === undefined || other === plugin.root
      ? plugin
      : {
          ...plugin,
          problems: [
            ...plugin.problems,
            `${plugin.root} is called ${plugin.name} like ${other}; of parts with the same name those of ${other} count.`,
          ],
        };
  });
};

const readAll = async (place: PluginPlace, kept?: Reading): Promise<Reading> => {
  const folders = foldersOf(place);
  const read = await Promise.all([...folders.person].map((dir) => readPlugins(dir)));
  const own = await Promise.all(kept ? [] : [...folders.project].map((dir) => readPlugins(dir)));
  const refused = [...read, ...own].flatMap((one) => ('refused' in one ? [one.refused] : []));
  const plugins = byName([
    ...read.flatMap((one) => ('refused' in one ? [] : one)),
    ...own.flatMap((one) =>
      'refused' in one ? [] : one.map((plugin): Plugin => ({ ...plugin, ofProject: true })),
    ),
    ...(kept?.plugins.filter((plugin) => plugin.ofProject) ?? []),
  ]);
  const parsed = plugins.flatMap((plugin) =>
    plugin.hooks.map(({ path, value }) =>
      parsePluginHooks(value, {
        source: 'plugin',
        path,
        foreign: true,
        active: place.trusted,
        pluginRoot: plugin.root,
      }),
    ),
  );
  return {
    plugins,
    hooks: parsed.map((one) => one.source),
    problems: [
      ...refused,
      ...plugins.flatMap((plugin) => plugin.problems),
      ...parsed.flatMap((one) =>
        one.problems.map((problem) => `${problem.path}: ${problem.place}: ${problem.text}`),
      ),
    ],
  };
};

export const openPlugins = async (place: PluginPlace): Promise<PluginHouse> => {
  let now = await readAll(place);
  return {
    plugins: () => now.plugins,
    hooks: () => now.hooks,
    servers: () =>
      place.trusted
        ? now.plugins.flatMap(({ name, root, servers }) =>
            servers.map((server) => ({ ...server, plugin: name, root })),
          )
        : [],
    problems: () => now.problems,
    async reload() {
      const stands = (await place.stands?.()) ?? true;
      now = await readAll(place, stands ? undefined : now);
    },
  };
};
