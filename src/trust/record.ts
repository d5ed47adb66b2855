/** Which folders the user trusts, by real path; kept in `trust.json` of the user home (rulings 1 and 13a). */
import { createHash } from 'node:crypto';
import { isAbsolute, relative } from 'node:path';
import * as z from 'zod';

const recordSchema = z.object({
  path: z.string(),
  trustedAt: z.string(),
  fingerprint: z.string(),
  /** What could run when it was trusted, a line each, so that a change can be shown. */
  parts: z.array(z.string()).catch([]),
  /** What definitions in other folders than those of the root could run, as far as it was accepted since. */
  more: z.array(z.string()).catch([]),
});
export type TrustRecord = z.infer<typeof recordSchema>;
const fileSchema = z.object({ trusted: z.array(recordSchema.or(z.unknown())) });

/** Reads and replaces one small file. `write` is atomic and private (0600); it throws a sentence when it cannot. */
export interface TrustFile {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** One word for all that can run in a folder. */
export const fingerprintOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const covers = (record: TrustRecord, path: string): boolean => {
  const inside = relative(record.path, path);
  return inside === '' || (!inside.startsWith('..') && !isAbsolute(inside));
};

/** Told by the path alone: what lies in `.git` is the repository's to write. */
const isWorktree = (record: TrustRecord, path: string): boolean =>
  /^\.(?:coppice|claude)\/worktrees\/[^/]+$/.test(relative(record.path, path));

export type TrustState =
  | { readonly state: 'trusted'; readonly record: TrustRecord }
  /** Trusted once, there or above, but what can run there is another thing. */
  | {
      readonly state: 'changed';
      readonly record: TrustRecord;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly state: 'unknown' };

export interface Trust {
  /**
   * `path` is the real path of the project root. The nearest record at or above it counts; of what a folder below
   * can run, a worktree's must be among what was accepted there, and another repository's has a record of its own.
   */
  look(path: string, parts: readonly string[]): Promise<TrustState>;
  /** Home and `/` are never trusted as a tree: answers a sentence then. */
  grant(
    path: string,
    parts: readonly string[],
    now: Date,
    more?: readonly string[],
  ): Promise<string | undefined>;
  revoke(path: string): Promise<boolean>;
  list(): Promise<readonly TrustRecord[]>;
}

export const createTrust = (file: TrustFile, home: string | undefined): Trust => {
  const list = async (): Promise<readonly TrustRecord[]> => {
    const text = await file.read();
    if (text === undefined) return [];
    try {
      const parsed = fileSchema.parse(JSON.parse(text));
      return parsed.trusted.flatMap((one) => recordSchema.safeParse(one).data ?? []);
    } catch {
      return [];
    }
  };
  const save = (records: readonly TrustRecord[]) =>
    file.write(`${JSON.stringify({ trusted: records }, null, 2)}\n`);
  return {
    list,
    async look(path, parts) {
      const above = (await list()).filter((record) => covers(record, path));
      const record = above.toSorted((a, b) => b.path.length - a.path.length)[0];
      if (!record) return { state: 'unknown' };
      const own = record.path === path;
      const known = own || isWorktree(record, path) ? record.parts : [];
      const added = parts.filter((part) => !known.includes(part));
      const removed = own ? record.parts.filter((part) => !parts.includes(part)) : [];
      // A worktree may run what was accepted above, with its own scripts; another repository's are another's.
      if (own ? record.fingerprint !== fingerprintOf(parts) : added.length > 0)
        return { state: 'changed', record, added, removed };
      return { state: 'trusted', record };
    },
    async grant(path, parts, now, more = []) {
      if (path === home || path === '/')
        return `${path} is never trusted as a whole: everything below it would be. Trust a project folder instead.`;
      const all = await list();
      const before = all.find((record) => record.path === path)?.more ?? [];
      await save([
        ...all.filter((record) => record.path !== path),
        {
          path,
          trustedAt: now.toISOString(),
          fingerprint: fingerprintOf(parts),
          parts: [...parts],
          more: [...new Set([...before, ...more])],
        },
      ]);
      return undefined;
    },
    async revoke(path) {
      const records = await list();
      const rest = records.filter((record) => record.path !== path);
      if (rest.length === records.length) return false;
      await save(rest);
      return true;
    },
  };
};
