/** The first index of a checkout in the private store. */
import { copyFile, lstat, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RunGit } from '../contract/checkpoint.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { exists, type ObjectStore } from './store.ts';

/**
 * The person's own index knows all files already: a copy spares reading them. Answers whether it has to go again
 * since it holds other bytes than the disk, which is found out while others use it.
 */
export const seed = async (
  checkout: string,
  { store, git, index }: { readonly store: ObjectStore; readonly git: RunGit; readonly index: string },
): Promise<{ readonly wrong: Promise<boolean> }> => {
  const dirs = await usable(await gitDirs(checkout));
  const sha1 = dirs !== undefined && (await isSha1(dirs.common));
  await store.ready(sha1 ? join(dirs.common, 'objects') : undefined);
  if (!sha1 || (await exists(index))) return { wrong: Promise.resolve(false) };
  await Promise.all([
    readRegularText(join(dirs.common, 'info', 'exclude')).then(store.exclude, () => undefined),
    copyIndex(dirs.own, index, store.dir).catch(() => undefined),
  ]);
  return { wrong: converts(checkout, dirs, git) };
};

interface GitDirs {
  readonly own: string;
  readonly common: string;
}

/** Undefined where a pipe stands for a file that git reads: the private store does without. */
const usable = async (dirs: GitDirs | undefined): Promise<GitDirs | undefined> => {
  const read = dirs && [
    ...['index', 'HEAD'].map((name) => join(dirs.own, name)),
    ...['config', 'info/attributes', 'objects/info/alternates'].map((name) => join(dirs.common, name)),
  ];
  const found = await Promise.all((read ?? []).map((path) => stat(path).catch(() => undefined)));
  return found.some((one) => one && !one.isFile()) ? undefined : dirs;
};

/** Git's folder for a checkout and the one it shares; undefined outside a repository. */
const gitDirs = async (checkout: string): Promise<GitDirs | undefined> => {
  const entry = join(checkout, '.git');
  const found = await lstat(entry).catch(() => undefined);
  if (found?.isDirectory()) return { own: entry, common: entry };
  if (!found?.isFile()) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec(await readRegularText(entry))?.[1];
  if (!pointer) return undefined;
  const own = resolve(checkout, pointer.trim());
  const common = await readRegularText(join(own, 'commondir')).catch(() => '.');
  return { own, common: resolve(own, common.trim()) };
};

/** With the files that a split index is based on. */
const copyIndex = async (own: string, index: string, to: string): Promise<void> => {
  const shared = (await readdir(own, { withFileTypes: true })).flatMap((entry) =>
    entry.isFile() && entry.name.startsWith('sharedindex.') ? [entry.name] : [],
  );
  await Promise.all(shared.map((name) => copyFile(join(own, name), join(to, name))));
  await copyFile(join(own, 'index'), index);
};

const isSha1 = async (common: string): Promise<boolean> =>
  !/objectformat\s*=\s*sha256/i.test(await readRegularText(join(common, 'config')).catch(() => ''));

/** Whether git stores other bytes than lie on disk: line ends, filters. */
const converts = async (checkout: string, { own, common }: GitDirs, git: RunGit): Promise<boolean> => {
  const [listed, settings] = await Promise.all([
    git(checkout, ['ls-files', '-z', '--', '*.gitattributes', '.gitattributes'], {
      env: { GIT_DIR: own, GIT_INDEX_FILE: join(own, 'index') },
    }),
    git(checkout, ['config', '--list', '-z'], {}),
  ]);
  if (listed.code !== 0 || settings.code !== 0) return true;
  const parts = ({ stdout }: { readonly stdout: Buffer }) =>
    stdout
      .toString('utf8')
      .split('\0')
      .filter((part) => part !== '');
  if (parts(settings).some((one) => /^core\.(autocrlf\n(?!false)|eol\n|attributesfile\n)/.test(one)))
    return true;
  const files = [join(common, 'info', 'attributes'), ...parts(listed).map((path) => join(checkout, path))];
  const texts = await Promise.all(files.map((path) => readRegularText(path).catch(() => '')));
  return texts.some((text) => /\b(text|eol|crlf|filter|ident|working-tree-encoding)\b/.test(text));
};
