import { createCatalog } from '../catalog/catalog.ts';
import { parseHooks } from '../hooks/parse.ts';
import { readServers } from '../servers/config.ts';
import type { PluginHouse } from './plugin-house.ts';

/** One line of `coppice plugin list --json`. */
export interface PluginRow {
  readonly name: string;
  readonly path: string;
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: number;
  readonly servers: readonly string[];
  /** Whether its hooks and servers count. */
  readonly active: boolean;
}

export const pluginRows = async (house: PluginHouse, trusted: boolean): Promise<readonly PluginRow[]> =>
  Promise.all(
    house.plugins().map(async (plugin): Promise<PluginRow> => {
      const catalog = createCatalog({
        where: () => ({
          homes: {},
          cwd: plugin.root,
          project: plugin.root,
          directories: [],
          plugins: [plugin],
          compatibility: false,
        }),
        trusted: () => trusted,
        parseHooks,
      });
      await catalog.ready();
      const named = (kind: 'skill' | 'agent' | 'command') =>
        catalog
          .definitions()
          .filter((one) => one.kind === kind && one.source === 'plugin')
          .map((one) => one.slash);
      return {
        name: plugin.name,
        path: plugin.root,
        skills: named('skill'),
        agents: named('agent'),
        commands: named('command'),
        hooks: house
          .hooks()
          .filter((source) => source.pluginRoot === plugin.root)
          .reduce(
            (sum, source) => sum + source.groups.reduce((all, group) => all + group.hooks.length, 0),
            0,
          ),
        servers: plugin.servers.flatMap(({ source, value }) =>
          readServers(value, { source, scope: 'plugin' }, {}).servers.map((one) => one.name),
        ),
        active: trusted,
      };
    }),
  );
