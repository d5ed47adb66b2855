/** One file as a definition: its name, what it is for, what was repaired and what is wrong. */
import type { Stats } from 'node:fs';
import type { Definition } from '../contract/catalog.ts';
import { problemsOf } from './checks.ts';
import { normalise, pick, pickText, plainKey } from './fields.ts';
import type { Place } from './places.ts';
import { type ReadFile, readFile } from './read-already.ts';
import { type Head, readHead } from './read-head.ts';
import { slug } from './slug.ts';
import type { Candidate } from './walk.ts';

/** A definition with what finding and calling it needs. */
export interface Found extends Definition {
  readonly place: Place;
  readonly real: string;
  readonly bytes: number;
  readonly folders: readonly string[];
  /** What it is called without its folders, for telling equal names apart. */
  readonly stem: string;
  /** Has a longer name of its own beside a stronger one of the same name. */
  readonly qualified?: boolean;
}

/** Files beside definitions that are about them. */
const about = /^(?:readme|claude|agents|license|changelog|contributing|index|template)\.md$/i;

/** The first paragraph that is no heading, mark or comment: what a reader would quote. */
const firstParagraph = (body: string): string => {
  const paragraphs = body
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/^[ \t]*(?=(`{3,}|~{3,}))\1.*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|$(?![\s\S]))/gm, '\n')
    .split(/\n\s*\n/)
    .map((part) =>
      part
        .split('\n')
        .filter((row) => !/^(?:#{1,6}\s|-{3,}\s*$|={3,}\s*$|```)/.test(row.trim()))
        .map((row) => row.trim())
        .join(' ')
        .trim(),
    );
  const heading = /^#{1,6}\s+(.+)$/m.exec(body)?.[1]?.trim();
  return paragraphs.find((part) => part !== '') ?? heading ?? '';
};

const unread = (why: string): Head => ({ text: '', bytes: 0, repairs: [], problems: [why] });

/** Reads what a candidate begins with, or says why it cannot be read. */
export const readCandidate = (
  { path, real, left }: Candidate,
  buffer: Uint8Array,
  seen?: Stats,
): ReadFile => {
  if (left !== undefined) return readFile(unread(left));
  try {
    return readFile(readHead(real, buffer, seen));
  } catch (error) {
    return readFile(
      unread(`${path} could not be read: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
};

/** The name that the file system gives: the folder of a skill, the file of everything else. */
const stemOf = ({ place, folders, file }: Candidate): string => {
  const bare = file.replace(/\.md$/i, '');
  const folder = folders.at(-1) ?? place.path.split('/').at(-1);
  return place.kind === 'skill' && bare.toLowerCase() === 'skill' ? (folder ?? bare) : bare;
};

/** What is typed; commands carry their folders, plugins their name. */
const slashOf = ({ place, folders }: Candidate, stem: string, name: string): string => {
  const own = place.kind === 'agent' ? slug(name) || slug(stem) : slug(stem) || slug(name) || 'unnamed';
  const withFolders = place.kind === 'command' || (place.kind === 'agent' && place.plugin);
  const parts = [
    ...(place.plugin ? [slug(place.plugin.name)] : []),
    ...(withFolders ? folders.map(slug) : []),
    own,
  ];
  return parts.filter((part) => part !== '').join(':');
};

const documented = (names: string): ReadonlyMap<string, string> =>
  new Map(names.split(' ').map((name): [string, string] => [plainKey(name), name]));

const documentedKeys = {
  agent: documented(
    'disallowedTools permissionMode maxTurns mcpServers initialPrompt name description tools model',
  ),
  skill: documented(
    'allowed-tools disallowed-tools argument-hint user-invocable disable-model-invocation when_to_use name description model',
  ),
};

/** Keys that authors spell another way than they are documented. */
const respelled = (
  fields: Readonly<Record<string, unknown>>,
  kind: Definition['kind'],
): readonly string[] => {
  const known = documentedKeys[kind === 'agent' ? 'agent' : 'skill'];
  return Object.keys(fields).flatMap((key) => {
    const plain = plainKey(key);
    if (kind === 'agent' && plain === 'allowedtools' && fields.tools === undefined)
      return [`${key} was read as tools.`];
    if (kind === 'skill' && plain === 'globs' && fields.paths === undefined)
      return [`${key} was read as paths.`];
    const meant = known.get(plain);
    return meant === undefined || meant === key || fields[meant] !== undefined
      ? []
      : [`${key} was read as ${meant}.`];
  });
};

/** Undefined for files that are no definitions: notes beside them, loose texts without a head. */
export const definitionOf = (candidate: Candidate, file: ReadFile): Found | undefined => {
  const { place, folders } = candidate;
  const { kind } = place;
  const { head } = file;
  const matter = file.matter();
  const isSkillFile = kind === 'skill' && candidate.file.toLowerCase() === 'skill.md';
  if (
    !matter.found &&
    head.problems.length === 0 &&
    !isSkillFile &&
    (about.test(candidate.file) || kind === 'skill')
  )
    return undefined;
  const { fields, repairs: mended, problems } = normalise(matter.fields, matter.written);
  const stem = stemOf(candidate);
  const name = pickText(fields, 'name') ?? stem;
  const written = pickText(fields, 'description');
  const description = written ?? firstParagraph(matter.body);
  const missing = (key: string) => pick(fields, key) === undefined || pickText(fields, key) === undefined;
  const repairs = [
    ...head.repairs,
    ...matter.repairs,
    ...(matter.found
      ? [
          ...(kind !== 'command' && missing('name')
            ? [`There is no name; the ${isSkillFile ? 'folder' : 'file'}'s is taken: ${stem}.`]
            : []),
          ...(written === undefined && description !== ''
            ? ['There is no description; the first paragraph is taken.']
            : []),
        ]
      : head.problems.length > 0
        ? []
        : [
            `There is no frontmatter; the name is the ${isSkillFile ? 'folder' : 'file'}'s and the description the first paragraph.`,
          ]),
    ...mended,
    ...respelled(fields, kind),
  ];
  const empty =
    description === '' && head.problems.length === 0
      ? ['There is no description, so nobody knows when to use it.']
      : [];
  return {
    name,
    kind,
    description,
    path: candidate.path,
    source: place.source,
    fields,
    repairs,
    problems: [...head.problems, ...matter.problems, ...problems, ...empty, ...problemsOf(kind, fields)],
    slash: slashOf(candidate, stem, name),
    place,
    real: candidate.real,
    bytes: head.bytes,
    folders,
    stem,
  };
};
