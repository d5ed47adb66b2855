/** A key pasted by the person: 0600 in the user home, never anywhere else. */
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Homes } from '../settings/home.ts';
import { readRecord, writeRecord } from '../store/record.ts';

const schema = z.object({ apiKey: z.string().min(1) });

const fileOf = (homes: Homes): string | undefined =>
  homes.own ? join(homes.own, 'credentials.json') : undefined;

export const readKey = async (homes: Homes): Promise<string | undefined> => {
  const file = fileOf(homes);
  const text = file ? await readRecord(file) : undefined;
  if (typeof text !== 'string') return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data?.apiKey;
  } catch {
    return undefined;
  }
};

/** A sentence when it could not be kept. */
export const keepKey = async (homes: Homes, apiKey: string): Promise<string | undefined> => {
  const file = fileOf(homes);
  if (!file) return 'There is no home directory to keep the key in; set HOME or COPPICE_CONFIG_DIR.';
  return (await writeRecord(file, `${JSON.stringify({ apiKey }, null, 2)}\n`))?.failed;
};

/** True when there was one. */
export const forgetKey = async (homes: Homes): Promise<boolean> => {
  const file = fileOf(homes);
  if (!file) return false;
  return unlink(file).then(
    () => true,
    () => false,
  );
};
