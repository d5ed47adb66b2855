/** The list of what was done, one line each, beside the store. A line is written before a call runs and one after. */
import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { ensureFolder } from '../lib/ensure-folder.ts';

const fileState = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    blob: z.string(),
    executable: z.boolean(),
    mode: z.number().optional(),
  }),
  z.object({ kind: z.literal('link'), blob: z.string() }),
  z.object({ kind: z.literal('folder') }),
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('unsaved'), why: z.string() }),
]);

const begun = z.object({
  type: z.literal('begin'),
  id: z.string(),
  at: z.number(),
  session: z.string(),
  agent: z.string(),
  tool: z.string(),
  subject: z.string(),
  checkout: z.string(),
  /** The one file, as it was. */
  file: z.object({ path: z.string(), before: fileState }).optional(),
  /** The whole checkout, as it was. */
  tree: z.string().optional(),
});
const ended = z.object({
  type: z.literal('end'),
  id: z.string(),
  changes: z.array(z.object({ path: z.string(), before: fileState, after: fileState.optional() })),
});
const line = z.discriminatedUnion('type', [begun, ended]);
export type Begun = z.infer<typeof begun>;
export type JournalLine = z.infer<typeof line>;

export interface Journal {
  add(entry: JournalLine): Promise<void>;
  all(): readonly JournalLine[];
}

/** Reads what an earlier run of the session left; a torn last line is skipped. */
export const openJournal = async (path: string): Promise<Journal> => {
  const text = await readFile(path, 'utf8').catch(() => '');
  const known: JournalLine[] = text.split('\n').flatMap((one) => {
    if (one === '') return [];
    try {
      return [line.parse(JSON.parse(one))];
    } catch {
      return [];
    }
  });
  let torn = text !== '' && !text.endsWith('\n');
  let made = text !== '';
  return {
    all: () => known,
    async add(entry) {
      if (!made) await ensureFolder(dirname(path), 0o700);
      made = true;
      await appendFile(path, `${torn ? '\n' : ''}${JSON.stringify(entry)}\n`, { mode: 0o600 });
      known.push(entry);
      torn = false;
    },
  };
};
