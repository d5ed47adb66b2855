/** Where instruction files may lie: by directory, by home, and in folders of rules. */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

export type MemoryType = 'Managed' | 'User' | 'Project' | 'Local';

export interface InstructionPlace {
  readonly path: string;
  readonly type: MemoryType;
  /** A file of a rules folder: its `paths` are heeded. */
  readonly rule: boolean;
  /** What `paths` are relative to. */
  readonly base: string;
}

/** Whether files of the foreign convention are read beside ours. */
export type Compatibility = 'with foreign' | 'own only';

/** Of one directory in or above the project: ours first, local ones last. */
export const placesIn = async (
  dir: string,
  compatibility: Compatibility,
  base: string,
): Promise<readonly InstructionPlace[]> => {
  const foreign = compatibility === 'with foreign';
  const named = (names: readonly string[], type: MemoryType): readonly InstructionPlace[] =>
    names.map((name) => ({ path: join(dir, name), type, rule: false, base }));
  return [
    ...named(
      [
        'AGENTS.md',
        join('.coppice', 'AGENTS.md'),
        ...(foreign ? ['CLAUDE.md', join('.claude', 'CLAUDE.md')] : []),
      ],
      'Project',
    ),
    ...(await rulesIn(join(dir, '.coppice', 'rules'), 'Project', base)),
    ...(foreign ? await rulesIn(join(dir, '.claude', 'rules'), 'Project', base) : []),
    ...named(['AGENTS.local.md', ...(foreign ? ['CLAUDE.local.md'] : [])], 'Local'),
  ];
};

/** Of a user home (`~/.coppice`, `~/.claude`) or of the managed directory. */
export const placesOfHome = async (
  home: string,
  names: readonly string[],
  type: MemoryType,
  base: string,
): Promise<readonly InstructionPlace[]> => [
  ...names.map((name) => ({ path: join(home, name), type, rule: false, base })),
  ...(await rulesIn(join(home, 'rules'), type, base)),
];

const MAX_DEPTH = 8;

/** `*.md` below a rules folder, by name; links are followed, circles are not. */
const rulesIn = async (dir: string, type: MemoryType, base: string): Promise<readonly InstructionPlace[]> => {
  const found: string[] = [];
  const seen = new Set<string>();
  const walk = async (inside: string, depth: number): Promise<void> => {
    const real = await realpath(inside).catch(() => undefined);
    if (real === undefined || seen.has(real) || depth > MAX_DEPTH) return;
    seen.add(real);
    const entries = await readdir(inside, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(inside, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && !entry.name.endsWith('.md')))
        await walk(path, depth + 1);
      else if (entry.name.toLowerCase().endsWith('.md')) found.push(path);
    }
  };
  await walk(dir, 0);
  return found.map((path) => ({ path, type, rule: true, base }));
};

/** From the top of the file system down to a directory, both included. */
export const downTo = (dir: string): readonly string[] =>
  dir === dirname(dir) ? [dir] : [...downTo(dirname(dir)), dir];

export const isInside = (path: string, dir: string): boolean => {
  const way = relative(dir, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
};
