/** Finds definition files in a folder. Reads the disk synchronously, in pieces that the caller spaces out. */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Place } from './places.ts';

/** A file that may hold a definition. */
export interface Candidate {
  readonly place: Place;
  readonly path: string;
  /** Where links lead: the identity of the file. */
  readonly real: string;
  /** Names of the folders between the place and the file. */
  readonly folders: readonly string[];
  readonly file: string;
}

/** People nest skills eight folders deep; two more cost nothing. */
const DEEPEST = 10;
const material: ReadonlySet<string> = new Set(['references', 'scripts', 'assets', 'resources']);
const never: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);

type Shape = 'file' | 'folder' | 'nothing';

const shapeOf = (entry: Dirent, path: string): Shape => {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return 'nothing';
  const target = targetOf(path);
  return target?.isFile() ? 'file' : target?.isDirectory() ? 'folder' : 'nothing';
};

/** What a link leads to; undefined where it leads nowhere, in a circle or to what may not be seen. */
const targetOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

/** The entries by name; a folder that is not there or may not be read holds nothing. */
const entriesOf = (path: string): readonly Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
};

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

const isSkillFile = (name: string): boolean => name.toLowerCase() === 'skill.md';
const isMarkdown = (name: string): boolean => extname(name).toLowerCase() === '.md';

/** One skill file a folder, the upper-case spelling first; loose files count at the top of a skills folder alone. */
const wanted = (place: Place, names: readonly string[], depth: number): readonly string[] => {
  if (place.kind !== 'skill') return names.filter(isMarkdown);
  const skill = names.find((name) => name === 'SKILL.md') ?? names.find(isSkillFile);
  return depth === 0
    ? [...(skill ? [skill] : []), ...names.filter((name) => isMarkdown(name) && !isSkillFile(name))]
    : skill
      ? [skill]
      : [];
};

/** Yields candidates shallow before deep, by name; `undefined` marks a good moment to pause. Circles of links end. */
export function* walk(place: Place): Generator<Candidate | undefined> {
  const root = realOf(place.path);
  if (root === undefined) return;
  if (targetOf(root)?.isFile()) {
    const parts = place.path.split('/');
    yield { place, path: place.path, real: root, folders: parts.slice(-2, -1), file: parts.at(-1) ?? '' };
    return;
  }
  const visited = new Set([root]);
  let level: { path: string; real: string; folders: readonly string[] }[] = [
    { path: place.path, real: root, folders: [] },
  ];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { path, real, folders } of level) {
      yield undefined;
      const entries = entriesOf(path).filter((entry) => !never.has(entry.name));
      const shapes = new Map(entries.map((entry) => [entry.name, shapeOf(entry, join(path, entry.name))]));
      const linked = new Set(entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])));
      const at = (name: string) => (linked.has(name) ? realOf(join(path, name)) : join(real, name));
      const files = wanted(
        place,
        entries.flatMap((entry) => (shapes.get(entry.name) === 'file' ? [entry.name] : [])),
        depth,
      );
      for (const file of files) {
        const target = at(file);
        if (target !== undefined) yield { place, path: join(path, file), real: target, folders, file };
      }
      const isSkill = place.kind === 'skill' && files.some(isSkillFile);
      for (const { name } of entries) {
        if (shapes.get(name) !== 'folder' || name.startsWith('.') || (isSkill && material.has(name)))
          continue;
        const target = at(name);
        if (target === undefined || visited.has(target)) continue;
        visited.add(target);
        next.push({ path: join(path, name), real: target, folders: [...folders, name] });
      }
    }
    level = next;
  }
}
