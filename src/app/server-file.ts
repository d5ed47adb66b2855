/** Server entries in files: changed one at a time, everything else in the file stays. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { ServerConfig } from '../contract/server.ts';
import { readServers } from '../servers/config.ts';
import { parseJson } from '../settings/read-file.ts';
import { writeRecord } from '../store/record.ts';
import type { Place } from './sub/place.ts';

const record = z.record(z.string(), z.unknown());

/** `edit` answers the new map, or undefined to leave the file alone. A sentence when the file cannot be changed. */
export const changeServers = async (
  file: string,
  edit: (servers: Record<string, unknown>) => Record<string, unknown> | undefined,
): Promise<string | undefined> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const parsed = text === undefined || text.trim() === '' ? { value: {} } : parseJson(text);
  if (!('value' in parsed))
    return `${file}: found ${parsed.wrong.found}, expected ${parsed.wrong.expected}. Nothing was changed.`;
  const whole = record.safeParse(parsed.value).data;
  if (!whole) return `${file} holds no object; nothing was changed.`;
  // A bare map of servers, as some people write `.mcp.json`, stays bare.
  const bare = file.endsWith('.mcp.json') && whole.mcpServers === undefined && Object.keys(whole).length > 0;
  const before = bare ? whole : (record.safeParse(whole.mcpServers).data ?? {});
  const after = edit(before);
  if (!after) return undefined;
  await mkdir(dirname(file), { recursive: true });
  const failed = await writeRecord(
    file,
    `${JSON.stringify(bare ? after : { ...whole, mcpServers: after }, null, 2)}\n`,
    { mode: file.endsWith('.mcp.json') ? 0o644 : 0o600 },
  );
  return failed?.failed;
};

/** As a run here would see them; those of an untrusted project are left out. */
export const configuredServers = async (
  place: Place,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly configs: readonly ServerConfig[]; readonly problems: readonly string[] }> => {
  const found = place.loaded.layers.flatMap((layer) =>
    layer.settings.mcpServers === undefined
      ? []
      : [readServers(layer.settings.mcpServers, { source: layer.file, scope: layer.scope }, env)],
  );
  const file = join(place.project, '.mcp.json');
  const text = place.trusted ? await readFile(file, 'utf8').catch(() => undefined) : undefined;
  const parsed = text === undefined ? undefined : parseJson(text);
  const project =
    parsed && 'value' in parsed ? [readServers(parsed.value, { source: file, scope: 'project' }, env)] : [];
  const wrong =
    parsed && 'wrong' in parsed
      ? [`${file}: found ${parsed.wrong.found}, expected ${parsed.wrong.expected}.`]
      : [];
  const all = [...found, ...project];
  return {
    configs: all.flatMap((one) => one.servers),
    problems: [...wrong, ...all.flatMap((one) => one.problems)],
  };
};
