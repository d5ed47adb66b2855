/** Runs a bundled program together with the code that V8 made of it in earlier runs: to compile it anew is half of a short run. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { createRequire, getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/**
 * When what is kept is compared with what a run used: soon after it was written, for most runs use more than a first one
 * did, then after as long again as it has stood, and at last once an hour.
 */
const COMPARED_MS = 3600_000;
const COMPARED_FIRST_MS = 30_000;
/** So many times larger, it is worth writing again: commands alone need three parts in a hundred. */
const GROWN = 1.01;
/** Of all builds and ways, each a few megabytes. */
const MOST_FILES = 6;
const PREFIX = 'code-';
const OTHERS_WRITE = 0o022;

export interface Program<Exports> {
  readonly exports: Exports;
  /** Keeps the code of all functions that ran so far for the next run, unless most of it is kept already. */
  keep(): void;
}

/** The build wraps a program into a function of this form. */
type Bundle<Exports> = (require: NodeJS.Require, filename: string, dirname: string, url: string) => Exports;

/** The file carries its content in its name; ways to use it that need other parts do not share code. */
export const runKept = <Exports>(file: string, way: string): Program<Exports> => {
  const folder = getCompileCacheDir();
  const kept = folder === undefined ? undefined : join(folder, `${PREFIX}${way}-${basename(file)}`);
  // A bundle is ASCII.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: kept === undefined ? undefined : contentOf(kept),
  });
  const bundle: Bundle<Exports> = script.runInThisContext();
  return {
    exports: bundle(lateRequire(createRequire(file)), file, dirname(file), pathToFileURL(file).href),
    keep: () => {
      if (kept !== undefined) keep(script, kept);
    },
  };
};

/** Modules of Node that many runs never need: loaded when something of theirs is asked for. */
const LATE: ReadonlySet<string> = new Set(
  [
    'child_process',
    'crypto',
    'dns',
    'dns/promises',
    'http',
    'https',
    'net',
    'readline',
    'readline/promises',
    'tls',
    'worker_threads',
    'zlib',
  ].flatMap((name) => [name, `node:${name}`]),
);

/** A bundle begins with all imports of all its modules: each of these stands for its module until it is used. */
const lateRequire = (require: NodeJS.Require): NodeJS.Require =>
  Object.assign(
    (name: string): unknown => (LATE.has(name) ? later(() => require(name)) : require(name)),
    require,
  );

const later = (load: () => object): object => {
  let loaded: object | undefined;
  const module = (): object => {
    loaded ??= load();
    return loaded;
  };
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(module(), key),
      set: (_, key, value) => Reflect.set(module(), key, value),
      has: (_, key) => Reflect.has(module(), key),
      ownKeys: () => Reflect.ownKeys(module()),
      getOwnPropertyDescriptor: (_, key) => {
        const found = Reflect.getOwnPropertyDescriptor(module(), key);
        return found && { ...found, configurable: true };
      },
    },
  );
};

/** V8 runs what it is given without another look: only what nobody else could have written is given to it. */
const contentOf = (path: string): Buffer | undefined => {
  try {
    return isOurs(dirname(path)) && isOurs(path) ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
};

const isOurs = (path: string): boolean => {
  const { uid, mode } = statSync(path);
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_WRITE) === 0);
};

const keep = (script: Script, path: string): void => {
  try {
    const before = statSync(path, { throwIfNoEntry: false });
    const usable = before !== undefined && script.cachedDataRejected === false;
    if (usable && Date.now() - before.mtimeMs < standsFor(before)) return;
    const code = script.createCachedData();
    if (usable && code.length < before.size * GROWN) utimesSync(path, new Date(), new Date());
    else {
      write(path, code);
      prune(dirname(path));
    }
  } catch {
    // The next run compiles anew.
  }
};

/** From the last comparison on. */
const standsFor = ({ birthtimeMs, mtimeMs }: Stats): number =>
  Math.min(COMPARED_MS, Math.max(COMPARED_FIRST_MS, mtimeMs - birthtimeMs));

/** Never half a file under the name, not even after a power cut: V8 trusts what it gets. */
const write = (path: string, code: Buffer): void => {
  // A process of the same id may have been killed while it wrote.
  const draft = `${path}.${process.pid}-${process.hrtime.bigint()}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    for (let at = 0; at < code.length; ) at += writeSync(file, code, at);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
};

/** Earlier builds leave theirs behind. */
const prune = (folder: string): void => {
  const files = readdirSync(folder)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(folder, name))
    .map((path) => ({ path, usedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of files.slice(MOST_FILES)) rmSync(path, { force: true });
};
