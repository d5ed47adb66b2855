/** The servers that are configured here, for a person to read: also those that start only once the folder is trusted. */
import type { ServerConfig } from '../../contract/server.ts';
import { inherited } from '../../hooks/environment.ts';
import type { Flags } from '../flags.ts';
import type { Host } from '../host.ts';
import { openPlugins } from '../plugin-house.ts';
import { configuredServers } from '../server-sources.ts';
import { placeOf } from './place.ts';

export interface ListedServer {
  readonly config: ServerConfig;
  /** Why it does not start. */
  readonly held?: ServerConfig['held'] | 'needs trust';
}

/** As a run would see them, or a run in a folder that is trusted. */
const configured = async (host: Host, flags: Flags, trust: boolean | undefined) => {
  const place = await placeOf(host, { trust, settings: flags.settings });
  const plugins = await openPlugins({
    ...place,
    loaded: () => place.loaded,
    flagged: flags.pluginDir ?? [],
  });
  const found = await configuredServers({
    ...place,
    env: inherited(host.env, []),
    flags,
    plugins: plugins.servers(),
  });
  return { ...found, trusted: place.trusted };
};

export const listedServers = async (
  host: Host,
  flags: Flags,
): Promise<{ readonly servers: readonly ListedServer[]; readonly problems: readonly string[] }> => {
  const here = await configured(host, flags, flags.trust);
  const all = here.trusted ? here : await configured(host, flags, true);
  const names = new Set(here.configs.map(({ name }) => name));
  return {
    servers: [
      ...here.configs.map((config) => ({ config, ...(config.held ? { held: config.held } : {}) })),
      ...all.configs
        .filter(({ name }) => !names.has(name))
        .map((config) => ({ config, held: 'needs trust' as const })),
    ],
    problems: here.problems,
  };
};
