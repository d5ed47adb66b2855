/** Where instruction files may lie: by directory, by home, and in folders of rules. */
import { dirname, join, relative, sep } from 'node:path';
import { type FolderEntry, foldersBelow } from '../lib/folders-below.ts';

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
export const placesIn = (
  dir: string,
  compatibility: Compatibility,
  base: string,
): readonly InstructionPlace[] => {
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
    ...rulesIn(join(dir, '.coppice', 'rules'), 'Project', base),
    ...(foreign ? rulesIn(join(dir, '.claude', 'rules'), 'Project', base) : []),
    ...named(['AGENTS.local.md', ...(foreign ? ['CLAUDE.local.md'] : [])], 'Local'),
  ];
};

/** Of a user home (`~/.coppice`, `~/.claude`) or of the managed directory. */
export const placesOfHome = (
  home: string,
  names: readonly string[],
  type: MemoryType,
  base: string,
): readonly InstructionPlace[] => [
  ...names.map((name) => ({ path: join(home, name), type, rule: false, base })),
  ...rulesIn(join(home, 'rules'), type, base),
];

/** `*.md` below a rules folder; links are followed, circles are not. */
const rulesIn = (dir: string, type: MemoryType, base: string): readonly InstructionPlace[] => {
  const paths = [...foldersBelow(dir)].flatMap(({ path, entries }) =>
    entries.filter(isRule).map(({ name }) => join(path, name)),
  );
  return paths.sort().map((path) => ({ path, type, rule: true, base }));
};

const isRule = ({ name, shape }: FolderEntry): boolean =>
  shape !== 'folder' && name.toLowerCase().endsWith('.md');

/** From the top of the file system down to a directory, both included. */
export const downTo = (dir: string): readonly string[] =>
  dir === dirname(dir) ? [dir] : [...downTo(dirname(dir)), dir];

export const isInside = (path: string, dir: string): boolean => {
  const way = relative(dir, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
};
