/** Where tool servers are configured, from strong to weak: flags, local, project, user, plugins (conventions 14). */
import { join } from 'node:path';
import * as z from 'zod';
import type { ServerConfig } from '../contract/server.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { readServers, serverEntries } from '../servers/config.ts';
import { safeServer } from '../servers/names.ts';
import type { Homes } from '../settings/home.ts';
import { readJsonFile } from '../settings/read-file.ts';
import { serverPart } from '../trust/settings-parts.ts';

export interface ServerPlace {
  readonly homes: Homes;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly loaded: LoadedSettings;
  readonly trusted: boolean;
  /** Whether what a project's file would run was accepted as it stands; absent: all of it. */
  trustsPart?(part: string): boolean;
  readonly flags: { readonly mcpConfig?: readonly string[]; readonly strictMcpConfig?: boolean };
  /** What trusted plugins bring: parsed `.mcp.json` and where it stands. */
  readonly plugins: readonly {
    readonly plugin: string;
    readonly source: string;
    readonly value: unknown;
    readonly root: string;
  }[];
}

export interface ConfiguredServers {
  /** The first of a name counts. */
  readonly configs: readonly ServerConfig[];
  /** Sentences that name file, server, what was found and what was expected. */
  readonly problems: readonly string[];
}

interface Source {
  readonly value: unknown;
  readonly source: string;
  readonly scope: ServerConfig['scope'];
  readonly plugin?: { readonly name: string; readonly root: string };
}

const record = z.record(z.string(), z.unknown());
const inside = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce((at, key) => record.safeParse(at).data?.[key], value);

const fromFile = async (
  path: string,
  scope: ServerConfig['scope'],
  problems: string[],
  pick = (value: unknown): unknown => value,
): Promise<readonly Source[]> => {
  const file = await readJsonFile(path);
  if ('missing' in file) return [];
  if ('wrong' in file) {
    problems.push(`${path}: found ${file.wrong.found}, expected ${file.wrong.expected}.`);
    return [];
  }
  const value = pick(file.value);
  return value === undefined ? [] : [{ value, source: path, scope }];
};

/** `--mcp-config`: a file or JSON. */
const fromFlag = async (text: string, problems: string[]): Promise<readonly Source[]> => {
  if (!text.trimStart().startsWith('{')) {
    const found = await fromFile(text, 'flag', problems);
    if (found.length === 0 && problems.length === 0) problems.push(`--mcp-config: there is no file ${text}.`);
    return found;
  }
  try {
    return [{ value: JSON.parse(text), source: '--mcp-config', scope: 'flag' }];
  } catch (error) {
    problems.push(`--mcp-config is not JSON: ${errorText(error)}`);
    return [];
  }
};

const sourcesOf = async (place: ServerPlace, problems: string[]): Promise<readonly Source[]> => {
  const { homes, project, loaded, flags } = place;
  const flagged = (await Promise.all((flags.mcpConfig ?? []).map((text) => fromFlag(text, problems)))).flat();
  if (flags.strictMcpConfig) return flagged;
  const state = loaded.settings.compatibility === false ? undefined : homes.foreignState;
  const foreign = (scope: 'local' | 'user', ...keys: readonly string[]) =>
    state === undefined ? [] : fromFile(state, scope, [], (value) => inside(value, ...keys, 'mcpServers'));
  const layers = loaded.layers.flatMap((layer) =>
    layer.settings.mcpServers === undefined
      ? []
      : [{ value: layer.settings.mcpServers, source: layer.file, scope: layer.scope }],
  );
  const file = place.trusted ? await fromFile(mcpFile(project), 'project', problems) : [];
  const strong = layers.filter(({ scope }) => scope !== 'user');
  return [
    ...flagged,
    ...strong.filter(({ scope }) => scope !== 'project'),
    ...(await foreign('local', 'projects', project)),
    ...strong.filter(({ scope }) => scope === 'project'),
    ...file,
    ...layers.filter(({ scope }) => scope === 'user'),
    ...(await foreign('user')),
    ...place.plugins.map(({ plugin, root, ...one }) => ({
      ...one,
      scope: 'plugin' as const,
      plugin: { name: plugin, root },
    })),
  ];
};

/** `.mcp.json` of a project. */
export const mcpFile = (project: string): string => join(project, '.mcp.json');

/** A plugin's server carries its name and finds its files. */
const ofPlugin = (
  config: ServerConfig,
  plugin: { readonly name: string; readonly root: string },
): ServerConfig => {
  const name = `plugin:${plugin.name}:${config.name}`;
  if (config.type !== 'stdio') return { ...config, name };
  const env = { CLAUDE_PLUGIN_ROOT: plugin.root, COPPICE_PLUGIN_ROOT: plugin.root, ...config.env };
  return { ...config, name, env };
};

const isAccepted = (place: ServerPlace, one: Source, name: string): boolean => {
  if (one.source !== mcpFile(place.project) || !place.trustsPart) return true;
  return place.trustsPart(`.mcp.json: ${serverPart(name, serverEntries(one.value)?.[name])}`);
};

export const configuredServers = async (place: ServerPlace): Promise<ConfiguredServers> => {
  const problems: string[] = [];
  const off = new Set(place.loaded.settings.disabledMcpjsonServers ?? []);
  const configs = new Map<string, ServerConfig>();
  for (const one of await sourcesOf(place, problems)) {
    const { plugin } = one;
    const env = plugin
      ? { ...place.env, CLAUDE_PLUGIN_ROOT: plugin.root, COPPICE_PLUGIN_ROOT: plugin.root }
      : place.env;
    const read = readServers(one.value, { source: one.source, scope: one.scope }, env);
    problems.push(...read.problems);
    for (const config of read.servers) {
      const held =
        config.held ??
        (one.scope === 'project' && off.has(config.name)
          ? ('disabled' as const)
          : isAccepted(place, one, config.name)
            ? undefined
            : ('needs approval' as const));
      const named = plugin ? ofPlugin(config, plugin) : config;
      if (!configs.has(named.name)) configs.set(named.name, held ? { ...named, held } : named);
    }
  }
  const kept = onePerSpelling([...configs.values()], problems);
  return { configs: kept, problems };
};

/** Whose server keeps its name where the tools of two would have the same names, and so the same rules. */
const BY_TRUST: readonly ServerConfig['scope'][] = ['managed', 'flag', 'user', 'local', 'project', 'plugin'];

const onePerSpelling = (configs: readonly ServerConfig[], problems: string[]): readonly ServerConfig[] => {
  const first = new Map<string, ServerConfig>();
  for (const config of configs.toSorted((a, b) => BY_TRUST.indexOf(a.scope) - BY_TRUST.indexOf(b.scope)))
    if (!first.has(safeServer(config.name))) first.set(safeServer(config.name), config);
  return configs.filter((config) => {
    const spelling = safeServer(config.name);
    const holder = first.get(spelling);
    if (holder === undefined || holder === config) return true;
    problems.push(
      `${config.source}: server ${config.name}: its tools would be called mcp__${spelling}__… like those of ${holder.name} (${holder.source}). It is skipped; give it another name.`,
    );
    return false;
  });
};
