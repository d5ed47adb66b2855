/** Plugin folders as people publish them: `.claude-plugin/plugin.json` or the plain layout (conventions 3, 14). */
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { errorText } from '../lib/error-text.ts';
import { readRegularText } from '../lib/regular-file.ts';
import type { PluginParts } from './places.ts';
import { pluginPaths } from './plugin-paths.ts';

/** What one folder brings. `hooks` and `servers` are as written, with the file they stand in. */
export interface Plugin extends PluginParts {
  readonly version?: string;
  readonly description?: string;
  readonly hooks: readonly { readonly path: string; readonly value: unknown }[];
  readonly servers: readonly { readonly source: string; readonly value: unknown }[];
  /** Sentences that name file, key, what was found and what was expected. */
  readonly problems: readonly string[];
}

const record = z.record(z.string(), z.unknown());

/** One path, several, or a map from names to `{source}`. */
const paths = z.union([
  z.string().transform((one) => [one]),
  z.array(z.string()),
  z
    .record(z.string(), z.looseObject({ source: z.string() }))
    .transform((map) => Object.values(map).map((one) => one.source)),
]);
/** Paths and inline objects, alone or mixed. */
const parts = z
  .union([z.string(), record])
  .transform((one) => [one])
  .or(z.array(z.union([z.string(), record])));

const manifest = z.looseObject({
  name: z.string().trim().min(1).optional(),
  version: z.union([z.string(), z.number().transform(String)]).optional(),
  description: z.string().optional(),
  skills: paths.optional(),
  agents: paths.optional(),
  commands: paths.optional(),
  hooks: parts.optional(),
  mcpServers: parts.optional(),
});
type Manifest = z.infer<typeof manifest>;

const marketplace = z.looseObject({
  plugins: z.array(z.looseObject({ name: z.string(), source: z.string() }).or(z.unknown())),
});

const readJson = async (path: string, problems: string[]): Promise<unknown> => {
  try {
    return JSON.parse((await readRegularText(path)).replace(/^\ufeff/, ''));
  } catch (error) {
    problems.push(`${path} is not JSON that can be read: ${errorText(error)}`);
    return undefined;
  }
};

/** Each key counts for itself: one that is wrong is named and left out. */
const readManifest = (raw: unknown, file: string, problems: string[]): Manifest => {
  const whole = record.safeParse(raw).data;
  if (!whole) {
    problems.push(
      `${file}: found ${Array.isArray(raw) ? 'a list' : typeof raw}, expected an object; the plain layout is read.`,
    );
    return {};
  }
  const wrong = new Set(manifest.safeParse(whole).error?.issues.map((issue) => String(issue.path[0])) ?? []);
  for (const key of wrong)
    problems.push(
      `${file}: ${key} is ${JSON.stringify(whole[key])}, which is not of the kind it should be; it does not count.`,
    );
  return manifest.parse(Object.fromEntries(Object.entries(whole).filter(([key]) => !wrong.has(key))));
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The usual place first; then what the manifest names. A file that is named though it is the usual one is read once. */
const read = async (
  root: string,
  key: 'hooks' | 'mcpServers',
  usual: string,
  named: Manifest['hooks'],
  problems: string[],
): Promise<readonly { readonly path: string | undefined; readonly value: unknown }[]> => {
  const wishes = (named ?? []).filter((one) => typeof one === 'string');
  const files = new Set([
    ...(isFile(join(root, usual)) ? [join(root, usual)] : []),
    ...pluginPaths(root, key, wishes, problems).map((path) =>
      isFile(path) ? path : join(path, basename(usual)),
    ),
  ]);
  const fromFiles = await Promise.all(
    [...files].filter(isFile).map(async (path) => ({ path, value: await readJson(path, problems) })),
  );
  const inline = (named ?? []).filter((one) => typeof one !== 'string');
  return [...fromFiles, ...inline.map((value) => ({ path: undefined, value }))].filter(
    ({ value }) => value !== undefined,
  );
};

const folderOf = (root: string, key: 'skills' | 'agents' | 'commands'): readonly string[] =>
  existsSync(join(root, key)) ? [join(root, key)] : [];

/** `more`: what a marketplace says of the plugin beside its own manifest. */
const readOne = async (root: string, more: Readonly<Record<string, unknown>> = {}): Promise<Plugin> => {
  const problems: string[] = [];
  const file = [join(root, '.claude-plugin', 'plugin.json'), join(root, 'plugin.json')].find(isFile);
  const raw = file === undefined ? {} : ((await readJson(file, problems)) ?? {});
  const { source: _, ...beside } = more;
  const facts = readManifest({ ...beside, ...record.catch({}).parse(raw) }, file ?? root, problems);
  if (file !== undefined && !record.safeParse(raw).success) readManifest(raw, file, problems);
  const named = (key: 'skills' | 'agents' | 'commands') => [
    ...new Set([...folderOf(root, key), ...pluginPaths(root, key, facts[key] ?? [], problems)]),
  ];
  const [hooks, servers] = await Promise.all([
    read(root, 'hooks', join('hooks', 'hooks.json'), facts.hooks, problems),
    read(root, 'mcpServers', '.mcp.json', facts.mcpServers, problems),
  ]);
  const skills = named('skills');
  const plugin: Plugin = {
    name: facts.name ?? basename(root),
    root,
    ...(facts.version ? { version: facts.version } : {}),
    ...(facts.description ? { description: facts.description } : {}),
    // A folder that is one skill.
    skills: skills.length === 0 && isFile(join(root, 'SKILL.md')) ? [root] : skills,
    agents: named('agents'),
    commands: named('commands'),
    hooks: hooks.map(({ path, value }) => ({ path: path ?? file ?? root, value })),
    servers: servers.map(({ path, value }) => ({ source: path ?? file ?? root, value })),
    problems,
  };
  const brings = [plugin.skills, plugin.agents, plugin.commands, plugin.hooks, plugin.servers];
  if (brings.every((list) => list.length === 0))
    problems.push(
      `${root} brings nothing: it has no skills/, agents/, commands/, hooks/hooks.json or .mcp.json.`,
    );
  return plugin;
};

/** The plugins of a folder: one, or those a `.claude-plugin/marketplace.json` names inside it. */
export const readPlugins = async (dir: string): Promise<readonly Plugin[] | { readonly refused: string }> => {
  const root = resolve(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    return { refused: `The plugin folder ${root} does not exist.` };
  const market = join(root, '.claude-plugin', 'marketplace.json');
  if (!isFile(market) || isFile(join(root, '.claude-plugin', 'plugin.json'))) return [await readOne(root)];
  const problems: string[] = [];
  const listed = marketplace.safeParse(await readJson(market, problems)).data;
  if (!listed)
    return [{ ...(await readOne(root)), problems: [...problems, `${market} names no list of plugins.`] }];
  const entries = listed.plugins.flatMap((entry) => {
    const read = z.looseObject({ name: z.string(), source: z.string() }).safeParse(entry).data;
    if (!read) return [];
    const [path] = pluginPaths(root, 'plugins', [read.source], problems);
    return path === undefined ? [] : [{ path, more: read }];
  });
  const plugins = await Promise.all(entries.map(({ path, more }) => readOne(path, more)));
  const [first, ...rest] = plugins;
  return first
    ? [{ ...first, problems: [...problems, ...first.problems] }, ...rest]
    : { refused: `${market} names no plugin that lies in this folder. ${problems.join(' ')}`.trim() };
};
