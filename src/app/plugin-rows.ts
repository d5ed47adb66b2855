import { createCatalog } from '../catalog/catalog.ts';
import type { PluginFacts } from '../commands/plugin.ts';
import { parseHooks } from '../hooks/parse.ts';
import { readServers } from '../servers/config.ts';
import type { PluginHouse } from './plugin-house.ts';

/** The lines of `coppice plugin list --json`. */
export const pluginRows = async (house: PluginHouse, trusted: boolean): Promise<readonly PluginFacts[]> =>
  Promise.all(
    house.plugins().map(async (plugin): Promise<PluginFacts> => {
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
