/** The whole checkout as a tree in the private store: only what changed since the last time is read. */
import { createHash } from 'node:crypto';
import { copyFile, lstat, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FileChange, FileState, RunGit } from '../contract/checkpoint.ts';
import { MOST_BYTES } from './file-state.ts';
import type { ObjectStore } from './store.ts';

export interface Trees {
  /** Undefined where a checkout is not recorded: no git, too many files, git failed. */
  take(checkout: string): Promise<string | undefined>;
  between(checkout: string, before: string, after: string): Promise<readonly FileChange[]>;
}

export interface TreeDeps {
  readonly store: ObjectStore;
  readonly git: RunGit;
  /** Folders that are never recorded whole: the home directory, the root. */
  readonly never: readonly string[];
  /** Said once per checkout. */
  trouble(text: string): void;
}

/** Outside a repository nothing says what to leave out: beyond this the folder is not recorded. */
const MOST_LOOSE_FILES = 20_000;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Git's folder for a checkout and the one it shares; undefined outside a repository. */
const gitDirs = async (
  checkout: string,
): Promise<{ readonly own: string; readonly common: string } | undefined> => {
  const entry = join(checkout, '.git');
  const found = await lstat(entry).catch(() => undefined);
  if (found?.isDirectory()) return { own: entry, common: entry };
  if (!found?.isFile()) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec(await readFile(entry, 'utf8'))?.[1];
  if (!pointer) return undefined;
  const own = resolve(checkout, pointer.trim());
  const common = await readFile(join(own, 'commondir'), 'utf8').catch(() => '.');
  return { own, common: resolve(own, common.trim()) };
};

export const createTrees = ({ store, git, never, trouble }: TreeDeps): Trees => {
  const last = new Map<string, string>();
  const off = new Set<string>();
  const seeded = new Set<string>();

  const indexOf = (checkout: string) =>
    join(store.dir, `index-${createHash('sha1').update(checkout).digest('hex').slice(0, 12)}`);
  const envOf = (checkout: string) => ({
    GIT_DIR: store.dir,
    GIT_WORK_TREE: checkout,
    GIT_INDEX_FILE: indexOf(checkout),
  });

  const give = (checkout: string, why: string): undefined => {
    off.add(checkout);
    trouble(`What commands change in ${checkout} is not recorded for /rewind: ${why}.`);
    return undefined;
  };

  /** The person's own index knows all files already: a copy spares reading them. Not where it holds other bytes than the disk. */
  const seed = async (checkout: string): Promise<void> => {
    const dirs = await gitDirs(checkout);
    const objects = dirs && join(dirs.common, 'objects');
    await store.ready(objects && (await isSha1(dirs.common)) ? objects : undefined);
    const index = indexOf(checkout);
    if (!dirs || (await exists(index)) || !(await isSha1(dirs.common))) return;
    const exclude = await readFile(join(dirs.common, 'info', 'exclude'), 'utf8').catch(() => '');
    await store.exclude(exclude);
    await copyFile(join(dirs.own, 'index'), index).catch(() => undefined);
    const listed = await git(checkout, ['ls-files', '-z', '--', '*.gitattributes', '.gitattributes'], {
      env: envOf(checkout),
    });
    const converted =
      listed.code !== 0 ||
      (await converts(checkout, dirs.common, listed.stdout.toString('utf8').split('\0')));
    if (converted) await rm(index, { force: true });
  };

  const take = async (checkout: string): Promise<string | undefined> => {
    if (off.has(checkout)) return undefined;
    if (never.includes(checkout)) return give(checkout, 'it is too wide a folder');
    if (!seeded.has(checkout)) {
      await seed(checkout);
      seeded.add(checkout);
    }
    const env = envOf(checkout);
    const listed = await git(checkout, ['ls-files', '-z', '-m', '-o', '--exclude-standard'], { env });
    if (listed.code !== 0) return give(checkout, listed.stderr.trim().split('\n')[0] ?? 'git failed');
    const paths = [...new Set(listed.stdout.toString('utf8').split('\0'))].filter(
      (path) => path !== '' && !path.endsWith('/'),
    );
    if (paths.length > MOST_LOOSE_FILES && !(await exists(join(checkout, '.git'))))
      return give(checkout, `it holds ${paths.length} files and is no git repository`);
    const wanted = await recordable(checkout, paths);
    const known = last.get(checkout);
    if (wanted.length === 0 && known !== undefined) return known;
    if (wanted.length > 0) {
      const added = await git(
        checkout,
        ['update-index', '--add', '--remove', '--replace', '--ignore-skip-worktree-entries', '-z', '--stdin'],
        {
          env,
          input: wanted.map((path) => `${path}\0`).join(''),
        },
      );
      if (added.code !== 0) return give(checkout, added.stderr.trim().split('\n')[0] ?? 'git failed');
    }
    const written = await git(checkout, ['write-tree'], { env });
    if (written.code !== 0) return give(checkout, written.stderr.trim().split('\n')[0] ?? 'git failed');
    const tree = written.stdout.toString('utf8').trim();
    last.set(checkout, tree);
    return tree;
  };

  return {
    take,
    async between(checkout, before, after) {
      if (before === after) return [];
      const done = await git(
        checkout,
        ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', before, after],
        { env: envOf(checkout) },
      );
      if (done.code !== 0) return [];
      const parts = done.stdout.toString('utf8').split('\0');
      const changes: FileChange[] = [];
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const [, oldMode = '', newMode = '', oldBlob = '', newBlob = ''] =
          /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) \w/.exec(parts[at] ?? '') ?? [];
        if (oldMode === '160000' || newMode === '160000') continue;
        changes.push({
          path: join(checkout, parts[at + 1] ?? ''),
          before: state(oldMode, oldBlob),
          after: state(newMode, newBlob),
        });
      }
      return changes;
    },
  };
};

const state = (mode: string, blob: string): FileState => {
  if (/^0+$/.test(mode)) return { kind: 'none' };
  return mode === '120000' ? { kind: 'link', blob } : { kind: 'file', blob, executable: mode === '100755' };
};

/** Plain files and links of a fair size; what is gone counts as well. */
const recordable = async (checkout: string, paths: readonly string[]): Promise<readonly string[]> => {
  const found = await Promise.all(
    paths.map(async (path) => {
      const at = await lstat(join(checkout, path)).catch(() => undefined);
      return !at || at.isSymbolicLink() || (at.isFile() && at.size <= MOST_BYTES) ? [path] : [];
    }),
  );
  return found.flat();
};

const isSha1 = async (common: string): Promise<boolean> =>
  !/objectformat\s*=\s*sha256/i.test(await readFile(join(common, 'config'), 'utf8').catch(() => ''));

/** Whether git stores other bytes than lie on disk: line ends, filters. */
const converts = async (
  checkout: string,
  common: string,
  attributes: readonly string[],
): Promise<boolean> => {
  const config = await readFile(join(common, 'config'), 'utf8').catch(() => '');
  if (/autocrlf|\beol\b|safecrlf/i.test(config)) return true;
  const files = [
    join(common, 'info', 'attributes'),
    ...attributes.filter((path) => path !== '').map((path) => join(checkout, path)),
  ];
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts.some((text) => /\b(text|eol|crlf|filter|ident|working-tree-encoding)\b/.test(text));
};
