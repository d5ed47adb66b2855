/** Server entries in files: changed one at a time, everything else in the file stays. */
import { dirname } from 'node:path';
import * as z from 'zod';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { parseJson } from '../settings/read-file.ts';
import { writeRecord } from '../store/record.ts';

const record = z.record(z.string(), z.unknown());

/** `edit` answers the new map, or undefined to leave the file alone. A sentence when the file cannot be changed. */
export const changeServers = async (
  file: string,
  edit: (servers: Record<string, unknown>) => Record<string, unknown> | undefined,
): Promise<string | undefined> => {
  const text = await readRegularText(file).catch(() => undefined);
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
  await ensureFolder(dirname(file));
  const failed = await writeRecord(
    file,
    `${JSON.stringify(bare ? after : { ...whole, mcpServers: after }, null, 2)}\n`,
    { mode: file.endsWith('.mcp.json') ? 0o644 : 0o600 },
  );
  return failed?.failed;
};
