/** Reads server entries as people write them: wrapped in `mcpServers` or bare; what is wrong costs only itself. */
import * as z from 'zod';
import type { ServerConfig } from '../contract/server.ts';

type Env = Readonly<Record<string, string | undefined>>;

const strings = z.record(
  z.string(),
  z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]),
);
const entry = z.looseObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.union([z.string(), z.number().transform(String)])).optional(),
  env: strings.optional(),
  cwd: z.string().optional(),
  url: z.string().min(1).optional(),
  headers: strings.optional(),
  timeout: z.number().positive().optional(),
  disabled: z.boolean().optional(),
});

export interface ReadServers {
  readonly servers: readonly ServerConfig[];
  /** Sentences that name file, server, what was found and what was expected. */
  readonly problems: readonly string[];
}

/** `${VAR}`, `${VAR:-default}` and `${env:VAR}`; an unset one stays as it is, with a warning. */
const expand = (text: string, env: Env, missing: (name: string) => void): string =>
  text.replace(
    /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback?: string) => {
      const value = env[name];
      if (value !== undefined && value !== '') return value;
      if (fallback !== undefined) return fallback;
      missing(name);
      return whole;
    },
  );

const record = z.record(z.string(), z.unknown());

/** Entries by name as written, notes left out; undefined for what holds none. `value` as for `readServers`. */
export const serverEntries = (value: unknown): Readonly<Record<string, unknown>> | undefined => {
  const object = record.safeParse(value).data;
  if (!object) return undefined;
  const inner = record.safeParse(object.mcpServers).data ?? (object.mcpServers === undefined ? object : {});
  return Object.fromEntries(
    Object.entries(inner).filter(([name]) => !name.startsWith('$') && !name.startsWith('//')),
  );
};

/** `value`: parsed JSON of a file, a setting or `--mcp-config`. */
export const readServers = (
  value: unknown,
  from: { readonly source: string; readonly scope: ServerConfig['scope'] },
  env: Env,
): ReadServers => {
  const problems: string[] = [];
  const servers: ServerConfig[] = [];
  const entries = serverEntries(value);
  if (!entries)
    return {
      servers,
      problems: [`${from.source}: found no object of servers; expected {"mcpServers": {"name": {...}}}.`],
    };
  for (const [name, raw] of Object.entries(entries)) {
    const parsed = entry.safeParse(raw);
    const place = `${from.source}: server ${name}`;
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      problems.push(
        `${place}: ${issue?.path.join('.') || 'the entry'} is wrong (${issue?.message ?? 'unknown'}). It is skipped.`,
      );
      continue;
    }
    const config = configOf(name, parsed.data, from, env, (variable) =>
      problems.push(
        `${place} uses \${${variable}}, which is not set${/^anthropic_/i.test(variable) ? ' for servers (the setting passCredentials names what they get)' : ''}.`,
      ),
    );
    if (typeof config === 'string') problems.push(`${place}: ${config}`);
    else servers.push(parsed.data.disabled ? { ...config, held: 'disabled' } : config);
  }
  return { servers, problems };
};

const configOf = (
  name: string,
  data: z.infer<typeof entry>,
  from: { readonly source: string; readonly scope: ServerConfig['scope'] },
  env: Env,
  missing: (name: string) => void,
): ServerConfig | string => {
  const fill = (text: string) => expand(text, env, missing);
  const filled = (map: Readonly<Record<string, string>> | undefined) =>
    Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, fill(value)]));
  const common = { name, ...from, ...(data.timeout ? { timeoutMs: data.timeout } : {}) };
  if (data.command !== undefined && (data.type === undefined || data.type === 'stdio'))
    return {
      ...common,
      type: 'stdio',
      command: fill(data.command),
      args: (data.args ?? []).map(fill),
      env: filled(data.env),
      ...(data.cwd ? { cwd: fill(data.cwd) } : {}),
    };
  if (data.url !== undefined && data.type !== 'stdio') {
    const url = fill(data.url);
    if (!URL.canParse(url))
      return `url is "${url}", expected an address such as https://host/mcp. It is skipped.`;
    return { ...common, type: data.type === 'sse' ? 'sse' : 'http', url, headers: filled(data.headers) };
  }
  return 'it has neither a command nor a url. It is skipped.';
};

/** What runs or is spoken to, literally. */
export const targetOf = (config: ServerConfig): string =>
  config.type === 'stdio' ? [config.command, ...config.args].join(' ') : config.url;
