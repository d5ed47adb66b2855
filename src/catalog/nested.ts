/** Homes in folders below the start directory. A whole look is for lists; a session waits until a file there is touched. */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, placesOf, type Whereabouts } from './places.ts';

const DEEPEST = 6;
/** Folders looked into: a list should not take longer than a glance. */
const MOST = 3000;

const never: ReadonlySet<string> = new Set(
  'node_modules bower_components vendor dist build out target coverage venv __pycache__ Pods'.split(' '),
);
const homes: ReadonlySet<string> = new Set(['.coppice', '.claude', '.agents']);

const foldersIn = (path: string): readonly Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
};

/** Nearest folders first, by name; hidden ones, installed packages and built output are passed by. */
export const placesBelow = (where: Pick<Whereabouts, 'cwd' | 'compatibility'>): readonly Place[] => {
  const found: Place[] = [];
  let level: readonly string[] = [''];
  let seen = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const below of level) {
      if (seen >= MOST) return found;
      seen += 1;
      const names = foldersIn(join(where.cwd, below))
        .map((entry) => entry.name)
        .sort();
      if (below !== '' && names.some((name) => homes.has(name)))
        found.push(
          ...placesOf(join(where.cwd, below), where.compatibility).map((place) => ({ ...place, below })),
        );
      next.push(
        ...names.flatMap((name) =>
          name.startsWith('.') || never.has(name) ? [] : [below === '' ? name : `${below}/${name}`],
        ),
      );
    }
    level = next;
  }
  return found;
};
