/** What the files of a usual repository say of it, so that git need not be asked. Whatever is unusual is for git to answer. */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRegularSync } from '../lib/regular-file.ts';

export interface PlainPlace {
  readonly checkout: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** The same with the commits of its refs, undefined where there is none. */
export interface PlainFacts extends PlainPlace {
  readonly head: string | undefined;
  readonly originHead: string | undefined;
  readonly tip: string | undefined;
}

/** Words without which a configuration names no program, no other file, no other folder and no other form of refs. */
const UNUSUAL =
  /include|filter|driver|textconv|command|mergeoptions|gpg|hook|extensions|worktree|bare(?!\s*=\s*false\s)/i;

const seen = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

const textOf = (path: string): string | undefined => {
  try {
    return readRegularSync(path, undefined, lstatSync(path)).toString('utf8');
  } catch {
    return undefined;
  }
};

const ours = (stats: Stats): boolean => stats.uid === process.geteuid?.();

/**
 * Where git stands for a folder, and that nothing in the configuration of the repository could start a program;
 * undefined where only git can tell.
 */
export const plainPlace = (at: string): PlainPlace | undefined => {
  try {
    const start = realpathSync(at);
    const device = lstatSync(start).dev;
    for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
      const around = lstatSync(folder);
      const entry = seen(join(folder, '.git'));
      // A bare repository lies in the way, or another disk: git has rules for both.
      if (around.dev !== device || (!entry && seen(join(folder, 'HEAD')))) return undefined;
      if (entry) return ours(around) && ours(entry) ? placeAt(folder, entry) : undefined;
    }
  } catch {
    // A folder that is gone, or may not be entered.
  }
  return undefined;
};

const placeAt = (checkout: string, entry: Stats): PlainPlace | undefined => {
  const pointer = join(checkout, '.git');
  const target = entry.isFile() ? /^gitdir: (.+)\n?$/.exec(textOf(pointer) ?? '')?.[1] : undefined;
  if (!entry.isDirectory() && target === undefined) return undefined;
  const gitDir = target === undefined ? pointer : realpathSync(resolve(checkout, target));
  const shared = seen(join(gitDir, 'commondir')) && textOf(join(gitDir, 'commondir'))?.trim();
  // Of the two only a linked worktree shares what it has.
  if ((target === undefined) !== (shared === undefined)) return undefined;
  const commonDir = shared === undefined ? gitDir : realpathSync(resolve(gitDir, shared));
  const config = textOf(join(commonDir, 'config'));
  const whole =
    config !== undefined &&
    !UNUSUAL.test(`${config}\n`) &&
    ours(lstatSync(gitDir)) &&
    ['objects', 'refs'].every((name) => seen(join(commonDir, name))?.isDirectory()) &&
    HEAD.test(textOf(join(gitDir, 'HEAD')) ?? '');
  return whole ? { checkout, gitDir, commonDir } : undefined;
};

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const HEAD = /^(ref: refs\/heads\/(?!.*\.\.)\S+|[0-9a-f]{40,64})\n?$/;
const SYMBOLIC = /^ref: (refs\/(?!.*\.\.)\S+)$/;

/** The same with the commits that HEAD, the default branch of origin and a branch stand for. */
export const plainFacts = (at: string, branch?: string): PlainFacts | undefined => {
  const place = plainPlace(at);
  if (!place) return undefined;
  const { gitDir, commonDir } = place;
  try {
    const known = refsOf(commonDir);
    return {
      ...place,
      head: known(textOf(join(gitDir, 'HEAD'))?.trim() ?? ''),
      originHead: known('ref: refs/remotes/origin/HEAD'),
      tip: branch === undefined ? undefined : known(`ref: refs/heads/${branch}`),
    };
  } catch {
    return undefined;
  }
};

/** Answers the commit that the text of a ref leads to, undefined where nothing is there yet; throws where it is odd. */
const refsOf = (commonDir: string) => {
  const follow = (text: string, steps: number): string | undefined => {
    if (COMMIT.test(text)) return text;
    const ref = SYMBOLIC.exec(text)?.[1];
    if (ref === undefined || steps === 0) throw new Error(`${text} is no ref.`);
    const loose = seen(join(commonDir, ref));
    if (loose && !loose.isDirectory()) return follow(textOf(join(commonDir, ref))?.trim() ?? '', steps - 1);
    // Read after the loose one was missing, as git does: a ref that is packed meanwhile is found.
    const packed = textOf(join(commonDir, 'packed-refs'));
    const end = packed?.indexOf(` ${ref}\n`) ?? -1;
    return end < 0 || packed === undefined
      ? undefined
      : follow(packed.slice(packed.lastIndexOf('\n', end) + 1, end), 0);
  };
  return (text: string): string | undefined => follow(text, 3);
};
