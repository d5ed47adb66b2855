/** What a folder could run or loosen once it is trusted, one line each in plain words. Reads as the loaders read; runs nothing (ruling 8). */
import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { realFolders } from '../catalog/leads-out.ts';
import { placesOf } from '../catalog/places.ts';
import { pluginFolder } from '../catalog/plugin-paths.ts';
import { type Plugin, readPlugins } from '../catalog/plugins.ts';
import type { Settings } from '../contract/settings.ts';
import { parsePluginHooks } from '../hooks/parse.ts';
import { realOf } from '../lib/folders-below.ts';
import { checkSettings } from '../settings/check.ts';
import { FOREIGN_PROJECT_HOME, PROJECT_HOME } from '../settings/home.ts';
import { projectPart } from '../settings/project-limits.ts';
import { readJsonFile } from '../settings/read-file.ts';
import { type DefinitionFile, type PartReader, partReader } from './definition-part.ts';
import { hookParts, serverParts, settingsParts } from './settings-parts.ts';

const jsonAt = async (path: string): Promise<unknown> => {
  const file = await readJsonFile(path);
  return 'value' in file ? file.value : undefined;
};

const settingsAt = async (path: string, root: string): Promise<Settings> => {
  const value = await jsonAt(path);
  return value === undefined ? {} : projectPart(checkSettings(value).settings, root).settings;
};

/** What those find who read definitions later: links are followed, each folder once; a file stands for itself. */
function* definitionsBelow(path: string, reader: PartReader): Generator<Omit<DefinitionFile, 'homes'>> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) yield { path, real: realOf(path) };
  for (const { path: folder, entries } of reader.folders(path))
    for (const { name, real } of entries)
      if (/\.md$/i.test(name)) yield { path: join(folder, name), real: real() };
}

/** A file that cannot be read runs nothing now; whoever runs it later asks again. */
const partIn = (file: DefinitionFile, { partOf }: PartReader): string | undefined => {
  try {
    return partOf(file);
  } catch {
    return undefined;
  }
};

/** Folders whose own words a file in this folder of definitions may bring: the project, who holds the home, the plugin. */
export const homesOfPlace = (
  root: string,
  place: string | undefined,
  plugin: string | undefined,
): readonly string[] =>
  realFolders(
    plugin !== undefined ? [plugin] : place === undefined ? [root] : [root, dirname(dirname(place))],
  );

/** Milliseconds after which keys and frames get their turn. */
const SLICE = 8;

/** What the definitions in these folders could run. Read synchronously, which is three times as fast here, and in slices. */
export const definitionParts = async (
  root: string,
  places: readonly string[],
  reader = partReader(root),
  plugin?: string,
): Promise<readonly string[]> => {
  const parts: string[] = [];
  let began = performance.now();
  for (const place of places) {
    const homes = homesOfPlace(root, place, plugin);
    for (const file of definitionsBelow(place, reader)) {
      const part = partIn({ ...file, homes }, reader);
      if (part) parts.push(part);
      if (performance.now() - began < SLICE) continue;
      await setImmediate();
      began = performance.now();
    }
  }
  return parts;
};

/** The beginning of every line of a plugin that the project names. `folder` is the plugin's. */
export const pluginMark = (root: string, folder: string): string =>
  `plugin ${relative(root, folder) || '.'}: `;

const partsOfPlugin = async (
  root: string,
  plugin: Plugin,
  reader: PartReader,
): Promise<readonly string[]> => {
  const hooks = plugin.hooks.flatMap(({ path, value }) =>
    hookParts(
      parsePluginHooks(value, { source: 'plugin', path, foreign: true, active: false }).source.groups,
    ),
  );
  const definitions = [...plugin.skills, ...plugin.agents, ...plugin.commands];
  const parts = [
    `its name is ${plugin.name}`,
    ...hooks,
    ...plugin.servers.flatMap(({ value }) => serverParts(value)),
    ...(await definitionParts(root, definitions, reader, plugin.root)),
  ];
  return [...new Set(parts)].map((part) => `${pluginMark(root, plugin.root)}${part}`);
};

/** What the plugins in a folder that the project's settings name would run. */
const pluginParts = async (root: string, dir: string, reader: PartReader): Promise<readonly string[]> => {
  const plugins = await readPlugins(pluginFolder(dir, root));
  return 'refused' in plugins
    ? []
    : (await Promise.all(plugins.map((plugin) => partsOfPlugin(root, plugin, reader)))).flat();
};

/** Everything in the folder that counts only after trust. `root` is the real path of the project. */
export const executableParts = async (
  root: string,
  reader = partReader(root),
): Promise<readonly string[]> => {
  const parts: string[] = [];
  for (const home of [PROJECT_HOME, FOREIGN_PROJECT_HOME])
    for (const name of ['settings.json', 'settings.local.json']) {
      const settings = await settingsAt(join(root, home, name), root);
      parts.push(...settingsParts(settings).map((part) => `${home}/${name}: ${part}`));
      for (const dir of settings.plugins ?? []) parts.push(...(await pluginParts(root, dir, reader)));
    }
  const places = placesOf(root, true).map((place) => place.path);
  parts.push(...(await definitionParts(root, places, reader)));
  const servers = serverParts(await jsonAt(join(root, '.mcp.json')));
  parts.push(...servers.map((part) => `.mcp.json: ${part}`));
  return parts;
};
