/** What was chosen when a start without a key asked for a model: under the cursor at the next one. */
import { join } from 'node:path';
import * as z from 'zod';
import { readRecord, writeRecord } from '../store/record.ts';
import type { World } from './world.ts';

const schema = z.object({ choice: z.string() });

const fileOf = ({ homes, stores }: World): string | undefined =>
  homes.own && !stores.memoryOnly ? join(homes.own, 'model-choice.json') : undefined;

/** `key`, `practice` or the address of a local server; undefined where nothing was chosen or it cannot be read. */
export const lastChoice = async (world: World): Promise<string | undefined> => {
  const file = fileOf(world);
  const text = file ? await readRecord(file) : undefined;
  if (typeof text !== 'string') return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data?.choice;
  } catch {
    // A broken file costs a key press, not the start.
    return undefined;
  }
};

/** A sentence when it could not be kept. */
export const keepChoice = async (world: World, choice: string): Promise<string | undefined> => {
  const file = fileOf(world);
  return file && (await writeRecord(file, `${JSON.stringify({ choice })}\n`, { flush: 'fast' }))?.failed;
};
