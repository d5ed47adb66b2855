/** Pipes and devices in the place of files that git reads: git would wait for them for ever. */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRegularSync } from '../lib/regular-file.ts';
import { GitFailed } from './run.ts';

interface Kind {
  isFIFO(): boolean;
  isCharacterDevice(): boolean;
}

const waits = (found: Kind): boolean => found.isFIFO() || found.isCharacterDevice();

/** Read at the top of a checkout before anything is known of it. */
const AT_TOP = ['.git', '.gitignore', '.gitattributes', '.gitmodules'];

/** Throws a sentence that names the first one around a place. */
export const refusePipes = (at: string): void => {
  const path = pipeAround(at);
  if (path !== undefined)
    throw new GitFailed(
      `${path} is a pipe or a device where git expects a file, and git would wait for it for ever. Take it away.`,
      1,
    );
};

const pipeAround = (at: string): string | undefined => {
  for (let folder = resolve(at); ; folder = dirname(folder)) {
    const entry = lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (entry) {
      const top = AT_TOP.map((name) => join(folder, name)).find(isPipe);
      return top ?? gitFolders(folder).flatMap(pipesIn)[0];
    }
    if (dirname(folder) === folder) return undefined;
  }
};

const isPipe = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && waits(found);
};

/** Git's own folder of a checkout and the one it shares, with what is read in every call. */
const gitFolders = (checkout: string): readonly string[] => {
  const entry = join(checkout, '.git');
  const own = resolve(checkout, said(entry, /^gitdir: (.+)$/m) ?? '.git');
  const common = isPipe(join(own, 'commondir'))
    ? own
    : resolve(own, said(join(own, 'commondir'), /(.+)/) ?? '.');
  return [...new Set([own, common])].flatMap((folder) =>
    ['.', 'info', 'logs', 'objects/info'].map((name) => join(folder, name)),
  );
};

const said = (file: string, form: RegExp): string | undefined => {
  try {
    return form.exec(readRegularSync(file).toString('utf8'))?.[1]?.trim();
  } catch {
    return undefined;
  }
};

const pipesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      waits(entry) ? [join(folder, entry.name)] : [],
    );
  } catch {
    return [];
  }
};
