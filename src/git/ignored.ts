/** Ignored files that exist nowhere else: not in folders of dependencies or builds, not the same in the main checkout. */
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const inDisposable = (path: string, names: ReadonlySet<string>): boolean =>
  path.split('/').some((part) => names.has(part));

/** Every file below a folder, links not followed; `skip` leaves folders of a name out. */
export const filesBelow = async (
  top: string,
  folder: string,
  skip: ReadonlySet<string>,
): Promise<readonly string[]> => {
  const entries = await readdir(join(top, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = `${folder.replace(/\/$/, '')}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!skip.has(entry.name)) found.push(...(await filesBelow(top, path, skip)));
    } else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
  }
  return found;
};

const sameFile = async (a: string, b: string): Promise<boolean> => {
  const [x, y] = await Promise.all([a, b].map((path) => lstat(path).catch(() => undefined)));
  if (!x || !y) return false;
  if (x.isSymbolicLink() || y.isSymbolicLink())
    return x.isSymbolicLink() && y.isSymbolicLink() && (await readlink(a)) === (await readlink(b));
  if (!x.isFile() || !y.isFile() || x.size !== y.size) return false;
  return sameBytes(a, b);
};

const PIECE = 64 * 1024;

/** Piece by piece: some files are larger than memory. */
const sameBytes = async (a: string, b: string): Promise<boolean> => {
  await using left = await open(a);
  await using right = await open(b);
  const pieces = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)] as const;
  for (;;) {
    const [x, y] = await Promise.all([left.read(pieces[0]), right.read(pieces[1])]);
    if (x.bytesRead !== y.bytesRead || pieces[0].compare(pieces[1], 0, y.bytesRead, 0, x.bytesRead) !== 0)
      return false;
    if (x.bytesRead === 0) return true;
  }
};

/** Folders without anything in them, below a folder. */
export const emptyBelow = async (top: string, folder: string): Promise<readonly string[]> => {
  const path = folder.replace(/\/$/, '');
  const entries = await readdir(join(top, path), { withFileTypes: true });
  if (entries.length === 0) return [path];
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => emptyBelow(top, `${path}/${name}`));
  return (await Promise.all(below)).flat();
};

/** Files that are compared side by side. */
const AT_ONCE = 32;

export const onlyHere = async (
  top: string,
  main: string,
  ignored: readonly string[],
  disposable: readonly string[],
): Promise<readonly string[]> => {
  const names = new Set(disposable);
  const kept: string[] = [];
  for (const path of ignored) {
    if (inDisposable(path, names)) continue;
    const files = path.endsWith('/') ? await filesBelow(top, path, names) : [path];
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE);
      const same = await Promise.all(some.map((file) => sameFile(join(top, file), join(main, file))));
      kept.push(...some.filter((_, index) => !same[index]));
    }
  }
  return kept;
};
