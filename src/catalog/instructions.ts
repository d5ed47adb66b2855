/** Instruction files: what a person and a project want every session to know (conventions 11, ruling 11). */
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import picomatch from 'picomatch';
import {
  type Compatibility,
  downTo,
  type InstructionPlace,
  isInside,
  type MemoryType,
  placesIn,
  placesOfHome,
} from './instruction-places.ts';
import { importsIn, splitHead, withoutComments } from './instruction-text.ts';
import { readInstruction } from './read-instruction.ts';

export interface InstructionFile {
  readonly path: string;
  readonly memoryType: MemoryType;
  readonly loadReason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
  /** Without comments; imported files follow as files of their own. */
  readonly text: string;
  readonly globs?: readonly string[];
  /** The file that imports this one. */
  readonly parent?: string;
  /** The file whose reading brought this one in. */
  readonly trigger?: string;
}

export interface LoadedInstructions {
  readonly files: readonly InstructionFile[];
  /** Sentences about what was left out and why. */
  readonly notes: readonly string[];
  /** Files outside the project that project files ask for: not read until a person agrees. */
  readonly external: readonly { readonly path: string; readonly from: string }[];
}

export interface InstructionsWanted {
  readonly project: string;
  readonly cwd: string;
  readonly homes: { readonly own?: string; readonly foreign?: string; readonly user?: string };
  readonly managed?: { readonly own: string; readonly foreign: string };
  readonly compatibility: Compatibility;
  /** `claudeMdExcludes`: absolute or project-relative globs. */
  readonly excludes: readonly string[];
  /** Whether a person agreed to imports from outside the project: to all, to none yet, or to these real paths. */
  readonly externalImports: 'allowed' | 'not yet' | readonly string[];
}

export interface Instructions {
  /** Everything that counts from the start; forgets what was told before. */
  load(reason: 'session_start' | 'compact'): Promise<LoadedInstructions>;
  /** What reading or changing this file brings in for the first time: nested files, rules with matching `paths`. */
  touched(file: string): Promise<LoadedInstructions>;
}

const MAX_HOPS = 4;
const MAX_TOTAL = 512 * 1024;

interface Rule {
  readonly place: InstructionPlace;
  readonly globs: readonly string[];
  readonly matches: (path: string) => boolean;
}

/** Keeps in mind what a session was told already. */
export const instructions = (wanted: InstructionsWanted): Instructions => {
  const { project, cwd, homes, compatibility } = wanted;
  const managed = wanted.managed ?? { own: '/etc/coppice', foreign: '/etc/claude-code' };
  const foreign = compatibility === 'with foreign';
  const agreed = (path: string): boolean =>
    typeof wanted.externalImports === 'string'
      ? wanted.externalImports === 'allowed'
      : wanted.externalImports.includes(path);
  const excluded = excluder(wanted);
  let known = new Set<string>();
  let visited = new Set<string>();
  let rules: Rule[] = [];
  let total = 0;
  let owners = ownersOf(project);

  interface Batch extends LoadedInstructions {
    readonly files: InstructionFile[];
    readonly notes: string[];
    readonly external: { readonly path: string; readonly from: string }[];
  }
  const batch = (): Batch => ({ files: [], notes: [], external: [] });
  type Why = Pick<InstructionFile, 'loadReason' | 'trigger'>;

  const take = async (into: Batch, place: InstructionPlace, why: Why): Promise<void> => {
    if (excluded(place.path)) return;
    const read = await readInstruction(
      place.path,
      place.type === 'Managed' || place.type === 'User' ? new Set() : await owners,
    );
    if (!('text' in read)) {
      if ('refused' in read && read.refused) into.notes.push(read.refused);
      return;
    }
    if (
      place.type !== 'User' &&
      place.type !== 'Managed' &&
      !agreed(read.real) &&
      isInside(place.path, project) &&
      !isInside(read.real, await real(project))
    ) {
      into.external.push({ path: read.real, from: place.path });
      return;
    }
    const { body, ...head } = splitHead(read.text);
    const globs = place.rule ? head.globs : undefined;
    if (globs && why.loadReason !== 'path_glob_match') {
      rules.push({ place, globs, matches: picomatch([...globs], { dot: true }) });
      return;
    }
    await add(into, { place, why, body, real: read.real, cut: read.cut, globs, chain: [read.real] });
  };

  interface Found {
    readonly place: InstructionPlace;
    readonly why: Why;
    readonly body: string;
    readonly real: string;
    readonly cut?: number;
    readonly globs?: readonly string[];
    /** Real paths from the first file down to this one. */
    readonly chain: readonly string[];
    readonly parent?: string;
  }

  const add = async (into: Batch, found: Found): Promise<void> => {
    const text = withoutComments(found.body);
    const sum = createHash('sha256').update(text).digest('hex');
    if (known.has(found.real) || (text !== '' && known.has(sum))) return;
    known.add(found.real);
    if (text === '') return;
    known.add(sum);
    const { path, type } = found.place;
    if (total + text.length > MAX_TOTAL) {
      into.notes.push(
        `${path} was left out: instruction files hold more than ${MAX_TOTAL / 1024} KB together.`,
      );
      return;
    }
    total += text.length;
    if (found.cut !== undefined)
      into.notes.push(
        `${path} is long: the last ${found.cut} bytes were left out. Move details into files that are read when needed.`,
      );
    into.files.push({
      path,
      memoryType: type,
      ...found.why,
      text,
      ...(found.globs ? { globs: found.globs } : {}),
      ...(found.parent === undefined ? {} : { parent: found.parent }),
    });
    for (const wish of importsIn(text, path, homes.user)) await include(into, wish, found);
  };

  const include = async (into: Batch, path: string, from: Found): Promise<void> => {
    if (excluded(path)) return;
    const read = await readInstruction(path, new Set());
    if (!('text' in read)) {
      // A word after @ is often no file at all: a person, a package.
      if (path.endsWith('.md'))
        into.notes.push(
          `${from.place.path} imports ${path}, which ${'missing' in read ? 'does not exist' : 'could not be read'}.`,
        );
      return;
    }
    if (from.chain.includes(read.real)) {
      into.notes.push(
        `Imports go in a circle: ${[...from.chain.slice(from.chain.indexOf(read.real)), read.real].join(' -> ')}. The last step was left out.`,
      );
      return;
    }
    if (from.chain.length > MAX_HOPS) {
      into.notes.push(
        `${from.place.path} imports ${path}, which is more than ${MAX_HOPS} imports deep and was left out.`,
      );
      return;
    }
    const own = from.place.type === 'User' || from.place.type === 'Managed';
    if (!own && !agreed(read.real) && !isInside(read.real, await real(project))) {
      into.external.push({ path: read.real, from: from.place.path });
      return;
    }
    const { body } = splitHead(read.text);
    await add(into, {
      place: { ...from.place, path, rule: false },
      why: { ...from.why, loadReason: 'include' },
      body,
      real: read.real,
      cut: read.cut,
      chain: [...from.chain, read.real],
      parent: from.place.path,
    });
  };

  return {
    load: async (reason) => {
      known = new Set();
      visited = new Set(downTo(cwd));
      rules = [];
      total = 0;
      owners = ownersOf(project);
      const into = batch();
      const places = [
        ...placesOfHome(managed.own, ['AGENTS.md'], 'Managed', project),
        ...(foreign ? placesOfHome(managed.foreign, ['CLAUDE.md'], 'Managed', project) : []),
        ...(homes.own === undefined ? [] : placesOfHome(homes.own, ['AGENTS.md'], 'User', project)),
        ...(foreign && homes.foreign !== undefined
          ? placesOfHome(homes.foreign, ['CLAUDE.md'], 'User', project)
          : []),
        ...downTo(cwd).flatMap((dir) => placesIn(dir, compatibility, isInside(dir, project) ? project : dir)),
      ];
      for (const place of places) await take(into, place, { loadReason: reason });
      return into;
    },

    touched: async (file) => {
      const into = batch();
      if (!isInside(file, project) && !isInside(file, cwd)) return into;
      const fresh = downTo(dirname(file)).filter(
        (dir) =>
          !visited.has(dir) &&
          (isInside(dir, project) || isInside(dir, cwd)) &&
          !/(^|\/)(node_modules|\.git)(\/|$)/.test(relative(project, dir)),
      );
      for (const dir of fresh) visited.add(dir);
      for (const dir of fresh)
        for (const place of placesIn(dir, compatibility, project))
          await take(into, place, { loadReason: 'nested_traversal', trigger: file });
      const due = rules.filter((rule) => rule.matches(relative(rule.place.base, file)));
      rules = rules.filter((rule) => !due.includes(rule));
      for (const rule of due) await take(into, rule.place, { loadReason: 'path_glob_match', trigger: file });
      return into;
    },
  };
};

const real = async (path: string): Promise<string> => await realpath(path).catch(() => path);

/** Files above and in a project count when they belong to us, to root, or to whom the project belongs. */
const ownersOf = async (project: string): Promise<ReadonlySet<number>> => {
  const me = process.getuid?.();
  if (me === undefined) return new Set();
  const owner = (await stat(project).catch(() => undefined))?.uid;
  return new Set([0, me, ...(owner === undefined ? [] : [owner])]);
};

const excluder = ({ excludes, project, homes }: InstructionsWanted): ((path: string) => boolean) => {
  if (excludes.length === 0) return () => false;
  const matches = picomatch(
    excludes.map((glob) =>
      glob.startsWith('~/') && homes.user
        ? join(homes.user, glob.slice(2))
        : glob.startsWith('/') || glob.startsWith('**')
          ? glob
          : join(project, glob),
    ),
    { dot: true },
  );
  return (path) => matches(path);
};
