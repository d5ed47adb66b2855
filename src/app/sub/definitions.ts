/** Definitions as a subcommand sees them: read once, homes below the start directory included. */
import { resolve } from 'node:path';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Whereabouts } from '../../catalog/places.ts';
import type { Flags } from '../flags.ts';
import { UsageError } from '../flags.ts';
import type { Host } from '../host.ts';
import type { Place } from './place.ts';

/** Where a person's and a project's definitions lie. */
export const whereaboutsOf = (
  place: Pick<Place, 'homes' | 'home' | 'cwd' | 'project' | 'loaded'>,
  more: {
    readonly builtin?: string;
    readonly directories: readonly string[];
    readonly plugins: Whereabouts['plugins'];
  },
): Whereabouts => {
  const { homes, home, loaded } = place;
  return {
    homes: { own: homes.own, foreign: homes.foreign, user: home ?? homes.user },
    cwd: place.cwd,
    project: place.project,
    compatibility: loaded.settings.compatibility ?? true,
    ...more,
  };
};

export const catalogHere = async (host: Host, flags: Partial<Flags>): Promise<Catalog> => {
  const { placeOf } = await import('./place.ts');
  const { createCatalog } = await import('../../catalog/catalog.ts');
  const { flagAgents } = await import('../../catalog/flag-agents.ts');
  const { parseHooks } = await import('../../hooks/parse.ts');
  const { packageRoot } = await import('../package-root.ts');
  const given = flags.agents === undefined ? [] : flagAgents(flags.agents);
  if ('refused' in given) throw new UsageError(given.refused);
  const place = await placeOf(host, { trust: flags.trust, settings: flags.settings });
  const { openPlugins } = await import('../plugin-house.ts');
  const plugins = await openPlugins({
    cwd: place.cwd,
    trusted: place.trusted,
    project: place.project,
    loaded: () => place.loaded,
    flagged: flags.pluginDir ?? [],
  });
  const where = whereaboutsOf(place, {
    builtin: packageRoot(),
    directories: (flags.addDir ?? []).map((dir) => resolve(place.cwd, dir)),
    plugins: plugins.plugins(),
  });
  const catalog = createCatalog({
    where: () => where,
    flagAgents: flags.agents,
    trusted: () => place.trusted,
    parseHooks,
    overrides: () => place.loaded.settings.skillOverrides ?? {},
    bundledSkills: () => place.loaded.settings.disableBundledSkills !== true,
  });
  await catalog.includeNested();
  return catalog;
};
