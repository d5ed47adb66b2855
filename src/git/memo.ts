/** What we write down about a worktree, beside git's own files for it. */
import { join } from 'node:path';
import * as z from 'zod';
import { readRegularText } from '../lib/regular-file.ts';
import { writeWhole } from '../lib/whole-file.ts';

const memo = z.object({
  name: z.string(),
  createdAt: z.string(),
  base: z.string().optional(),
  branch: z.string().optional(),
  /** Links to folders of the main checkout, by path in the worktree. */
  links: z.record(z.string(), z.string()).default({}),
  /** Set when its removal has begun and all work in it was safe: a crash is finished, not examined. */
  removing: z.boolean().default(false),
});
export type Memo = z.infer<typeof memo>;

/** A file that is there while the worktree of a name is being made: after a crash it tells that it is not whole. */
export const markOf = (commonDir: string, name: string): string =>
  join(commonDir, 'coppice', `${name}.creating`);

const FILE = 'coppice.json';

/** Undefined for worktrees that somebody else made. */
export const readMemo = async (admin: string): Promise<Memo | undefined> => {
  const text = await readRegularText(join(admin, FILE)).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return memo.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

export const writeMemo = async (admin: string, value: Memo): Promise<void> => {
  await writeWhole(join(admin, FILE), JSON.stringify(value), { mode: 0o600, flush: 'fast' });
};
