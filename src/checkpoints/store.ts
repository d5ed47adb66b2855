/** A private git object store beside a session: blobs are written by hand (no process, a millisecond), trees by git. */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { RunGit } from '../contract/checkpoint.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';

export interface ObjectStore {
  /** The folder, as GIT_DIR. */
  readonly dir: string;
  /** Variables by which git works in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Saves bytes; answers their id. */
  put(bytes: Buffer): Promise<string>;
  get(id: string): Promise<Buffer | undefined>;
  /** Made ready for git: alternates to the objects of a repository, attributes that leave bytes alone. */
  ready(objects: string | undefined): Promise<void>;
  /** What a repository leaves out beside its .gitignore files. */
  exclude(text: string): Promise<void>;
  /** For a repository inside: the same objects, with what is excluded and an index of its own. */
  below(name: string): ObjectStore;
}

const pack = (bytes: Buffer): Promise<Buffer> => promisify(deflate)(bytes, { level: 1 });
const unpack = (bytes: Buffer): Promise<Buffer> => promisify(inflate)(bytes);

export const blobId = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** Files that a sparse checkout leaves out count once they are there. A split index: a large checkout writes what changed, not five megabytes twice for each command. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = false
\tautocrlf = false
\tfilemode = true
\tsplitIndex = true
[splitIndex]
\tsharedIndexExpire = never
`;

/** Bytes go in and come out as they are: no line ends, filters, keywords, encodings. */
const ATTRIBUTES = '* -text -filter -ident !working-tree-encoding\n';

const EXCLUDE = '/.coppice/worktrees/\n.git/\n';

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Why a call of git failed, in one line. */
export const gitTrouble = ({ code, stderr }: Pick<Awaited<ReturnType<RunGit>>, 'code' | 'stderr'>): string =>
  stderr.trim().split('\n')[0] || `git ended with code ${code}`;

export const objectStore = (dir: string, git: RunGit | undefined): ObjectStore => {
  let made: Promise<void> | undefined;
  let linked = '';
  const env = { GIT_DIR: dir };
  const make = async (): Promise<void> => {
    await ensureFolder(join(dir, 'objects', 'info'), 0o700);
    await Promise.all(['refs', 'info'].map((name) => ensureFolder(join(dir, name), 0o700)));
    await Promise.all([
      writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
      writeFile(join(dir, 'config'), CONFIG),
      writeFile(join(dir, 'info', 'attributes'), ATTRIBUTES),
      writeFile(join(dir, 'info', 'exclude'), EXCLUDE),
    ]);
  };
  const begin = (): Promise<void> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  const place = (id: string) => join(dir, 'objects', id.slice(0, 2), id.slice(2));
  const whole: ObjectStore = {
    dir,
    env,
    async put(bytes) {
      await begin();
      const id = blobId(bytes);
      const path = place(id);
      if (await exists(path)) return id;
      const head = Buffer.from(`blob ${bytes.length}\0`);
      const packed = await pack(Buffer.concat([head, bytes]));
      await ensureFolder(join(dir, 'objects', id.slice(0, 2)), 0o700);
      const temp = `${path}.${randomUUID()}.tmp`;
      await writeFile(temp, packed, { flag: 'wx', mode: 0o400 });
      await rename(temp, path);
      return id;
    },
    async get(id) {
      const loose = await readFile(place(id)).catch(() => undefined);
      if (loose) {
        const bytes = await unpack(loose);
        return bytes.subarray(bytes.indexOf(0) + 1);
      }
      const done = await git?.(dir, ['cat-file', 'blob', id], { env });
      return done?.code === 0 ? done.stdout : undefined;
    },
    async exclude(text) {
      await begin();
      await writeFile(join(dir, 'info', 'exclude'), `${EXCLUDE}${text}\n`);
    },
    async ready(objects) {
      await begin();
      if (objects === undefined || linked.split('\n').includes(objects)) return;
      linked += `${objects}\n`;
      await writeFile(join(dir, 'objects', 'info', 'alternates'), linked);
    },
    below(name) {
      const own = objectStore(join(dir, name), git);
      return {
        ...whole,
        dir: own.dir,
        env: { GIT_DIR: own.dir, GIT_OBJECT_DIRECTORY: join(dir, 'objects') },
        async ready(objects) {
          await Promise.all([own.ready(undefined), whole.ready(objects)]);
        },
        exclude: own.exclude,
        below: (deeper) => whole.below(`${name}-${deeper}`),
      };
    },
  };
  return whole;
};
