/** The plugin folders of a run: `--plugin-dir` and the `plugins` setting. What they execute counts only after trust. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Plugin, readPlugin } from '../catalog/plugins.ts';
import type { HookSource } from '../contract/hook.ts';
import type { Settings } from '../contract/settings.ts';
import { parsePluginHooks } from '../hooks/parse.ts';

export interface PluginHouse {
  readonly plugins: readonly Plugin[];
  readonly hooks: readonly HookSource[];
  readonly problems: readonly string[];
}

export interface PluginPlace {
  readonly cwd: string;
  readonly trusted: boolean;
  readonly settings: Settings;
  /** `--plugin-dir`. */
  readonly flagged: readonly string[];
}

const absolute = (path: string, cwd: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(cwd, path);

export const readPlugins = async (place: PluginPlace): Promise<PluginHouse> => {
  const dirs = [
    ...new Set([...place.flagged, ...(place.settings.plugins ?? [])].map((dir) => absolute(dir, place.cwd))),
  ];
  const read = await Promise.all(dirs.map((dir) => readPlugin(dir)));
  const plugins = read.flatMap((one) => ('refused' in one ? [] : [one]));
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
      ...read.flatMap((one) => ('refused' in one ? [one.refused] : one.problems)),
      ...parsed.flatMap((one) =>
        one.problems.map((problem) => `${problem.path}: ${problem.place}: ${problem.text}`),
      ),
    ],
  };
};
