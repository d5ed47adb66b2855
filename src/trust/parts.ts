/** What a folder could run or loosen once it is trusted, one line each in plain words. Reads files; runs nothing (ruling 8). */

import { join, relative, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { foldersBelow } from '../lib/folders-below.ts';
import { readRegular } from '../lib/regular-file.ts';
import { hashOf, type PartOf, partReader } from './definition-part.ts';

const most = 2 * 1024 * 1024;

const readBytes = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readRegular(path, most);
  } catch {
    return undefined;
  }
};

const readText = async (path: string): Promise<string | undefined> =>
  (await readBytes(path))?.toString('utf8');

const parseJson = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
};

const record = z.record(z.string(), z.unknown());
const asRecord = (value: unknown): Readonly<Record<string, unknown>> => record.safeParse(value).data ?? {};
const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const short = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? 'null').replaceAll('\n', ' ⏎ ');
};

const hookParts = (hooks: unknown): readonly string[] =>
  Object.entries(asRecord(hooks)).flatMap(([event, groups]) =>
    asArray(groups).flatMap((group) =>
      asArray(asRecord(group).hooks).map((handler) => {
        const facts = asRecord(handler);
        const what = facts.command ?? facts.url ?? facts.prompt ?? facts;
        return `hook on ${event}${asRecord(group).matcher ? ` (${short(asRecord(group).matcher)})` : ''}: ${short(what)}${facts.args ? ` ${short(facts.args)}` : ''}${facts.headers ? ` with headers ${short(facts.headers)}` : ''}`;
      }),
    ),
  );

/** One tool server: what would run or be spoken to, literally. */
export const serverPart = (name: string, server: unknown): string => {
  const facts = asRecord(server);
  const what = facts.command
    ? `${short(facts.command)} ${asArray(facts.args).map(short).join(' ')}`.trim()
    : short(facts.url ?? facts);
  return `tool server ${name}: ${what}${facts.cwd ? ` in ${short(facts.cwd)}` : ''}${facts.env ? ` with ${short(facts.env)}` : ''}${facts.headers ? ` with headers ${short(facts.headers)}` : ''}`;
};

const serverParts = (servers: unknown): readonly string[] =>
  Object.entries(asRecord(servers)).map(([name, server]) => serverPart(name, server));

/** Keys that run something or decide where data goes, as they stand. */
const literalKeys = [
  'apiKeyHelper',
  'statusLine',
  'subagentStatusLine',
  'fileSuggestion',
  'plugins',
  'enabledPlugins',
  'extraKnownMarketplaces',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'model',
  'agent',
  'sandbox',
  'worktree',
  'additionalDirectories',
] as const;

const settingsParts = (settings: Readonly<Record<string, unknown>>): readonly string[] => {
  const permissions = asRecord(settings.permissions);
  return [
    ...hookParts(settings.hooks),
    ...serverParts(settings.mcpServers),
    ...Object.entries(asRecord(settings.env)).map(
      ([name, value]) => `environment variable ${name}=${short(value)}`,
    ),
    ...literalKeys.flatMap((key) => (settings[key] === undefined ? [] : [`${key}: ${short(settings[key])}`])),
    ...asArray(permissions.allow).map((rule) => `allowed without a question: ${short(rule)}`),
    ...asArray(permissions.additionalDirectories).map((dir) => `further working directory: ${short(dir)}`),
    ...(permissions.defaultMode === undefined ? [] : [`permission mode: ${short(permissions.defaultMode)}`]),
  ];
};

/** What those find who read definitions later: links are followed, each folder once. */
function* markdownBelow(dir: string): Generator<string> {
  for (const { path, entries } of foldersBelow(dir))
    for (const { name } of entries) if (/\.md$/i.test(name)) yield join(path, name);
}

/** A file that cannot be read runs nothing now; whoever runs it later asks again. */
const partIn = (path: string, partOf: PartOf): string | undefined => {
  try {
    return partOf(path);
  } catch {
    return undefined;
  }
};

/** Milliseconds after which keys and frames get their turn. */
const SLICE = 8;

/** Read synchronously, which is three times as fast here, and in slices. */
const markdownParts = async (dir: string, partOf: PartOf): Promise<readonly string[]> => {
  const parts: string[] = [];
  let began = performance.now();
  for (const path of markdownBelow(dir)) {
    const part = partIn(path, partOf);
    if (part) parts.push(part);
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    began = performance.now();
  }
  return parts;
};

/** What the definitions in these folders could run: homes beside those of the project root. */
export const definitionParts = async (
  root: string,
  dirs: readonly string[],
  partOf = partReader(root),
): Promise<readonly string[]> => (await Promise.all(dirs.map((dir) => markdownParts(dir, partOf)))).flat();

/** Hooks and servers in any file of a plugin: its manifest may name every one of them. */
const jsonParts = async (path: string): Promise<readonly string[]> => {
  const value = asRecord(parseJson(await readText(path)));
  const bare = Object.entries(value).filter(([, one]) => {
    const { command, url } = asRecord(one);
    return typeof command === 'string' || typeof url === 'string';
  });
  return [...hookParts(value.hooks ?? value), ...serverParts(value.mcpServers ?? Object.fromEntries(bare))];
};

/** What a plugin folder that the project's settings name would run. */
const pluginParts = async (root: string, dir: string, partOf: PartOf): Promise<readonly string[]> => {
  const manifests = ['.claude-plugin/plugin.json', '.claude-plugin/marketplace.json', 'plugin.json'];
  const heads = await Promise.all(manifests.map((path) => readText(join(dir, path))));
  const parts = heads.flatMap((text) => (text === undefined ? [] : [`manifest (${hashOf(text)})`]));
  for (const { path, entries } of foldersBelow(dir))
    for (const { name } of entries) {
      const file = join(path, name);
      if (/\.json$/i.test(name)) parts.push(...(await jsonParts(file)));
      const part = /\.md$/i.test(name) ? partIn(file, partOf) : undefined;
      if (part) parts.push(part);
    }
  return [...new Set(parts)].map((part) => `plugin ${relative(root, dir) || '.'}: ${part}`);
};

/** `homes`: the folders of a project that hold settings, `.coppice` and, where they are read, `.claude` and `.agents`. */
export const executableParts = async (
  root: string,
  homes: readonly string[],
  partOf = partReader(root),
): Promise<readonly string[]> => {
  const parts: string[] = [];
  for (const home of homes) {
    for (const name of ['settings.json', 'settings.local.json']) {
      const settings = asRecord(parseJson(await readText(join(root, home, name))));
      parts.push(...settingsParts(settings).map((part) => `${home}/${name}: ${part}`));
      for (const plugin of asArray(settings.plugins))
        if (typeof plugin === 'string')
          parts.push(...(await pluginParts(root, resolve(root, plugin), partOf)));
    }
    for (const dir of ['agents', 'skills', 'commands'])
      parts.push(...(await markdownParts(join(root, home, dir), partOf)));
  }
  const servers = asRecord(parseJson(await readText(join(root, '.mcp.json'))));
  parts.push(...serverParts(servers.mcpServers ?? servers).map((part) => `.mcp.json: ${part}`));
  return parts;
};
