/** Finds definition files in a folder. Reads the disk synchronously, in pieces that the caller spaces out. */
import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Folder, type FolderEntry, foldersBelow, realOf } from '../lib/folders-below.ts';
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
  /** Why it is not read: it stands for what was left out. */
  readonly left?: string;
}

const material: ReadonlySet<string> = new Set(['references', 'scripts', 'assets', 'resources']);

const isSkillFile = ({ name }: FolderEntry): boolean => name.toLowerCase() === 'skill.md';
const isMarkdown = ({ name }: FolderEntry): boolean => extname(name).toLowerCase() === '.md';

/** One skill file a folder, the upper-case spelling first; loose files count at the top of a skills folder alone. */
const wanted = (place: Place, { names, entries }: Folder): readonly FolderEntry[] => {
  const files = entries.filter(({ shape }) => shape === 'file');
  if (place.kind !== 'skill') return files.filter(isMarkdown);
  const skill = files.find(({ name }) => name === 'SKILL.md') ?? files.find(isSkillFile);
  const loose = names.length > 0 ? [] : files.filter((file) => isMarkdown(file) && !isSkillFile(file));
  return [...(skill ? [skill] : []), ...loose];
};

/** Yields candidates shallow before deep, by name; `undefined` marks a good moment to pause. Circles of links end. */
export function* walk(place: Place, foldersOf = foldersBelow): Generator<Candidate | undefined> {
  const root = realOf(place.path);
  if (root === undefined) return;
  const parts = place.path.split('/');
  const itself = {
    place,
    path: place.path,
    real: root,
    folders: parts.slice(-2, -1),
    file: parts.at(-1) ?? '',
  };
  if (statSync(root, { throwIfNoEntry: false })?.isFile()) {
    yield itself;
    return;
  }
  /** A skill's own material holds no further skills. */
  const passed = new Set<string>();
  const below = foldersOf(place.path);
  for (;;) {
    const { done, value } = below.next();
    if (done) {
      const left = `${place.path} holds more files and folders than are looked through; the rest was not read.`;
      if (value) yield { ...itself, left };
      return;
    }
    yield undefined;
    const { path, names, entries } = value;
    const files = passed.has(path) ? [] : wanted(place, value);
    const isSkill = place.kind === 'skill' && files.some(isSkillFile);
    for (const { name } of entries)
      if (passed.has(path) || (isSkill && material.has(name))) passed.add(join(path, name));
    for (const entry of files) {
      const real = entry.real();
      if (real !== undefined)
        yield { place, path: join(path, entry.name), real, folders: names, file: entry.name };
    }
  }
}
