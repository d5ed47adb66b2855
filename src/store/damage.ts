/** Damaged parts of a transcript are copied beside it before anybody goes on; the transcript itself is never rewritten. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { storeFailed } from './failure.ts';

/** A stretch of bytes that is no entry. */
export interface Damage {
  readonly start: number;
  readonly end: number;
  /** At the end of the file: a write that was cut off. */
  readonly tail: boolean;
}

const MAX_COPIES = 50;

/** Copies what has no copy yet and answers one sentence for it; none for damage that was told before. */
export const keepDamage = async (path: string, damages: readonly Damage[]): Promise<readonly string[]> => {
  if (damages.length === 0) return [];
  const known = await knownCopies(path);
  const copies: string[] = [];
  const said: Damage[] = [];
  const failures: string[] = [];
  let next = known.next;
  for (const damage of damages) {
    const size = damage.end - damage.start;
    const sum = known.sizes.has(size) || copies.length >= MAX_COPIES ? await sumOf(path, damage) : undefined;
    if (sum !== undefined && known.sums.has(sum)) continue;
    said.push(damage);
    if (copies.length >= MAX_COPIES || failures.length > 0) continue;
    const copy = `${stem(path)}.damaged-${next}`;
    try {
      await pipeline(
        createReadStream(path, { start: damage.start, end: damage.end - 1 }),
        createWriteStream(copy, { flags: 'wx', mode: 0o600 }),
      );
      copies.push(copy);
      next++;
    } catch (error) {
      failures.push(storeFailed('keep a copy of the damaged part in', copy, error).failed);
    }
  }
  return said.length === 0 ? [] : [[sentence(path, said, copies), ...failures].join(' ')];
};

const sentence = (path: string, said: readonly Damage[], copies: readonly string[]): string => {
  const bytes = said.reduce((sum, damage) => sum + damage.end - damage.start, 0);
  const what =
    said.length === 1 && said[0]?.tail
      ? `A damaged tail of ${bytes} bytes was skipped in ${path}`
      : `${said.length} damaged ${said.length === 1 ? 'line' : 'lines'} (${bytes} bytes) ${said.length === 1 ? 'was' : 'were'} skipped in ${path}`;
  const [first] = copies;
  if (first === undefined) return `${what}; the bytes are still there.`;
  return `${what}; a copy is in ${first}${copies.length > 1 ? ` and ${copies.length - 1} more beside it` : ''}.`;
};

const stem = (path: string): string => path.replace(/\.jsonl$/, '');

/** Copies of an earlier reading: their sizes, sums, and the next free number. */
const knownCopies = async (
  path: string,
): Promise<{
  readonly sizes: ReadonlySet<number>;
  readonly sums: ReadonlySet<string>;
  readonly next: number;
}> => {
  const prefix = `${basename(stem(path))}.damaged-`;
  const sizes = new Set<number>();
  const sums = new Set<string>();
  let next = 1;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const copy = join(dirname(path), name);
    const size = (await stat(copy)).size;
    next = Math.max(next, (Number.parseInt(name.slice(prefix.length), 10) || 0) + 1);
    sizes.add(size);
    sums.add(await sumOf(copy, { start: 0, end: size, tail: false }));
  }
  return { sizes, sums, next };
};

const sumOf = async (path: string, part: Damage): Promise<string> => {
  const hash = createHash('sha256');
  if (part.end > part.start)
    for await (const piece of createReadStream(path, { start: part.start, end: part.end - 1 }))
      hash.update(piece);
  return hash.digest('hex');
};

/** Everything that belongs to a session's damage, for removal. */
export const damageCopies = async (path: string): Promise<readonly string[]> => {
  const prefix = `${basename(stem(path))}.damaged-`;
  return (await readdir(dirname(path)))
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(dirname(path), name));
};
