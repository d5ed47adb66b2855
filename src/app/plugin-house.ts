/** The plugin folders of a run: `--plugin-dir` and the `plugins` setting. What they execute counts only after trust. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Plugin, readPlugins } from '../catalog/plugins.ts';
import type { HookSource } from '../contract/hook.ts';
import type { Settings } from '../contract/settings.ts';
import { parsePluginHooks } from '../hooks/parse.ts';
import type { ServerPlace } from './server-sources.ts';

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
  settings(): Settings;
  /** `--plugin-dir`. */
  readonly flagged: readonly string[];
}

interface Reading {
  readonly plugins: readonly Plugin[];
  readonly hooks: readonly HookSource[];
  readonly problems: readonly string[];
}

const absolute = (path: string, cwd: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(cwd, path);

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

const readAll = async ({ flagged, settings, cwd, project, trusted }: PluginPlace): Promise<Reading> => {
  const dirs = new Set([
    ...flagged.map((dir) => absolute(dir, cwd)),
    ...(settings().plugins ?? []).map((dir) => absolute(dir, project)),
  ]);
  const read = await Promise.all([...dirs].map((dir) => readPlugins(dir)));
  const plugins = byName(read.flatMap((one) => ('refused' in one ? [] : one)));
  const parsed = plugins.flatMap((plugin) =>
    plugin.hooks.map(({ path, value }) =>
      parsePluginHooks(value, {
        source: 'plugin',
        path,
        foreign: true,
        active: trusted,
        pluginRoot: plugin.root,
      }),
    ),
  );
  return {
    plugins,
    hooks: parsed.map((one) => one.source),
    problems: [
      ...read.flatMap((one) => ('refused' in one ? [one.refused] : [])),
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
      now = await readAll(place);
    },
  };
};
