/** Walks the folders below a place that anybody may have made: links are followed once, and a link to everything ends. */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** People keep thousands of skills; a link to the root of the disk leads to far more. */
const MOST_FOLDERS = 5_000;
const MOST_ENTRIES = 50_000;

/** People nest definitions eight folders deep; two more cost nothing. */
const DEEPEST = 10;

/** What the system shows of itself is never a person's folder. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['/proc', '/sys', '/dev']);

/** Nobody keeps definitions there. */
const NEVER: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);

export interface FolderEntry {
  readonly name: string;
  readonly shape: 'file' | 'folder' | 'nothing';
  /** Where links lead: the identity of what is there; undefined for what leads nowhere. */
  real(): string | undefined;
}

export interface Folder {
  readonly path: string;
  /** Names of the folders between the start and this one. */
  readonly names: readonly string[];
  /** By name. */
  readonly entries: readonly FolderEntry[];
}

const targetOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

/** Undefined for what leads nowhere, in a circle, or to what may not be seen. */
export const realOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

const shapeOf = (entry: Dirent, folder: string): FolderEntry['shape'] => {
  const target = entry.isSymbolicLink() ? targetOf(join(folder, entry.name)) : entry;
  return target?.isFile() ? 'file' : target?.isDirectory() ? 'folder' : 'nothing';
};

/** A folder that is not there or may not be read holds nothing. */
const entriesOf = (path: string, real: string): readonly FolderEntry[] => {
  try {
    return readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => ({
        name: entry.name,
        shape: shapeOf(entry, path),
        real: () => (entry.isSymbolicLink() ? realOf(join(path, entry.name)) : join(real, entry.name)),
      }));
  } catch {
    return [];
  }
};

/**
 * The start and what lies below it, shallow before deep, by name; each real folder once. Reads synchronously, a folder
 * at a time. Returns true when there was more than it would look at. Whoever judges what may run and whoever reads it
 * later walk the same way, so that neither sees what the other does not.
 */
export function* foldersBelow(start: string): Generator<Folder, boolean> {
  const root = realOf(start);
  if (root === undefined || OF_THE_SYSTEM.has(root)) return false;
  const visited = new Set([root]);
  let level: { path: string; real: string; names: readonly string[] }[] = [
    { path: start, real: root, names: [] },
  ];
  let folders = 0;
  let seen = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { path, real, names } of level) {
      if (folders === MOST_FOLDERS || seen > MOST_ENTRIES) return true;
      const folder: Folder = { path, names, entries: entriesOf(path, real) };
      folders += 1;
      seen += folder.entries.length;
      yield folder;
      for (const entry of folder.entries) {
        if (entry.shape !== 'folder' || entry.name.startsWith('.') || NEVER.has(entry.name)) continue;
        const target = entry.real();
        if (target === undefined || visited.has(target) || OF_THE_SYSTEM.has(target)) continue;
        visited.add(target);
        next.push({ path: join(path, entry.name), real: target, names: [...names, entry.name] });
      }
    }
    level = next;
  }
  return false;
}
