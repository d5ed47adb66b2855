/** Plugin folders as people publish them: `.claude-plugin/plugin.json` or the plain layout (conventions 3, 14). */

import { existsSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { readRegularText } from '../lib/regular-file.ts';
import type { PluginParts } from './places.ts';

/** What one folder brings. `hooks` and `servers` are as written, with the file they stand in. */
export interface Plugin extends PluginParts {
  readonly version?: string;
  readonly description?: string;
  readonly hooks: readonly { readonly path: string; readonly value: unknown }[];
  readonly servers: readonly { readonly source: string; readonly value: unknown }[];
  /** Sentences that name file, key, what was found and what was expected. */
  readonly problems: readonly string[];
}

const paths = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const manifest = z.looseObject({
  name: z.string().min(1).optional(),
  version: z.union([z.string(), z.number().transform(String)]).optional(),
  description: z.string().optional(),
  skills: paths.optional().catch(undefined),
  agents: paths.optional().catch(undefined),
  commands: paths.optional().catch(undefined),
  hooks: z.unknown().optional(),
  mcpServers: z.unknown().optional(),
});

const readJson = async (path: string, problems: string[]): Promise<unknown> => {
  const text = await readRegularText(path).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    problems.push(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};

/** Paths of a manifest stay inside the plugin; a glob stands for the folder before its first star. */
const inside = (root: string, path: string, problems: string[], key: string): string | undefined => {
  const plain = path.replace(/\*.*$/, '').replace(/\$\{CLAUDE_PLUGIN_ROOT\}/g, root);
  const full = resolve(root, plain);
  if (relative(root, full).startsWith('..')) {
    problems.push(`${root}: ${key} names ${path}, which lies outside the plugin. It is skipped.`);
    return undefined;
  }
  return existsSync(full) ? full : undefined;
};

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)];

export const readPlugin = async (dir: string): Promise<Plugin | { readonly refused: string }> => {
  const root = resolve(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    return { refused: `The plugin folder ${root} does not exist.` };
  const problems: string[] = [];
  const file = [join(root, '.claude-plugin', 'plugin.json'), join(root, 'plugin.json')].find((path) =>
    existsSync(path),
  );
  const raw = file === undefined ? {} : ((await readJson(file, problems)) ?? {});
  const parsed = manifest.safeParse(raw);
  if (!parsed.success)
    problems.push(
      `${file}: ${parsed.error.issues[0]?.path.join('.') ?? ''} is wrong (${parsed.error.issues[0]?.message ?? ''}); the plain layout is read.`,
    );
  const facts = parsed.data ?? {};
  const named = (key: 'skills' | 'agents' | 'commands') =>
    unique([key, ...(facts[key] ?? [])].flatMap((path) => inside(root, path, problems, key) ?? []));
  const hookFiles = [
    join('hooks', 'hooks.json'),
    ...(typeof facts.hooks === 'string'
      ? [facts.hooks]
      : Array.isArray(facts.hooks)
        ? facts.hooks.filter((one) => typeof one === 'string')
        : []),
  ];
  // A plugin that names its usual file does not load it twice.
  const hookPaths = unique(hookFiles.flatMap((path) => inside(root, path, problems, 'hooks') ?? [])).filter(
    (path) => statSync(path).isFile(),
  );
  const hooks = await Promise.all(
    hookPaths.map(async (path) => ({ path, value: await readJson(path, problems) })),
  );
  const inline =
    typeof facts.hooks === 'object' && facts.hooks !== null && !Array.isArray(facts.hooks)
      ? [{ path: file ?? root, value: facts.hooks as unknown }]
      : [];
  const serverFile =
    typeof facts.mcpServers === 'string'
      ? inside(root, facts.mcpServers, problems, 'mcpServers')
      : inside(root, '.mcp.json', problems, '.mcp.json');
  const fromFile =
    serverFile === undefined ? [] : [{ source: serverFile, value: await readJson(serverFile, problems) }];
  const given =
    typeof facts.mcpServers === 'object' && facts.mcpServers !== null
      ? [{ source: file ?? root, value: facts.mcpServers as unknown }]
      : [];
  return {
    name: facts.name ?? basename(root),
    root,
    ...(facts.version ? { version: facts.version } : {}),
    ...(facts.description ? { description: facts.description } : {}),
    skills: named('skills'),
    agents: named('agents'),
    commands: named('commands'),
    hooks: [...hooks, ...inline].filter((one) => one.value !== undefined),
    servers: [...fromFile, ...given].filter((one) => one.value !== undefined),
    problems,
  };
};
