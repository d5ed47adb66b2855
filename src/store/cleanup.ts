import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_WAIT } from '../lib/regular-file.ts';
import { removeDir } from './folder.ts';
import { projectsDir } from './places.ts';
import { removeSession } from './transcripts.ts';

const DAY = 86_400_000;
const SESSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A conversation begins with what it works on; a copy carries the lines of the first. */
const HEAD_BYTES = 64 * 1024;

/**
 * Deletes sessions that nobody wrote to for so many days (`cleanupPeriodDays`), with all that belongs to them: also what
 * a deletion that was cut off left, and their task lists once no session uses them. Open sessions stay. Answers how many
 * went.
 */
export const cleanup = async (
  home: string,
  days: number,
  now: number,
): Promise<{ readonly removed: number }> => {
  const old = (changedMs: number | undefined): boolean =>
    changedMs !== undefined && now - changedMs >= days * DAY;
  const left: string[] = [];
  let removed = 0;
  for (const project of await entriesOf(projectsDir(home))) {
    const dir = join(projectsDir(home), project);
    const names = await entriesOf(dir);
    const orphans = names.filter((name) => SESSION.test(name) && !names.includes(`${name}.jsonl`));
    for (const stem of orphans) if (old(await changed(join(dir, stem)))) await removeSession(join(dir, stem));
    for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
      const path = join(dir, name);
      const gone = old((await stat(path).catch(() => undefined))?.mtimeMs);
      if (gone && (await removeSession(path.replace(/\.jsonl$/, ''))) === undefined) removed++;
      else left.push(path);
    }
  }
  await dropLists(join(home, 'tasks'), left, old);
  return { removed };
};

const dropLists = async (
  tasks: string,
  sessions: readonly string[],
  old: (changedMs: number | undefined) => boolean,
): Promise<void> => {
  const lists: string[] = [];
  for (const name of await entriesOf(tasks))
    if (SESSION.test(name) && old(await changed(join(tasks, name)))) lists.push(name);
  if (lists.length === 0) return;
  const used = new Set<string>();
  for (const path of sessions) {
    const head = await headOf(path);
    for (const list of lists) if (path.includes(list) || head.includes(list)) used.add(list);
  }
  for (const list of lists) if (!used.has(list)) await removeDir(join(tasks, list));
};

/** The latest time of a folder and of what lies right in it. */
const changed = async (dir: string): Promise<number | undefined> => {
  const times = await Promise.all(
    [dir, ...(await entriesOf(dir)).map((name) => join(dir, name))].map(
      async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0,
    ),
  );
  return Math.max(...times);
};

const headOf = async (path: string): Promise<string> => {
  await using file = await open(path, NO_WAIT);
  if (!(await file.stat()).isFile()) return '';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.toString('latin1', 0, bytesRead);
};

/** Bytes under the home, for the status page. */
export const diskUse = async (home: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (entry.isFile())
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
};

const entriesOf = async (dir: string): Promise<readonly string[]> => await readdir(dir).catch(() => []);
