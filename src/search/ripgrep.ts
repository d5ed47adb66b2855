import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, normalize, resolve } from 'node:path';
import type { Found, FoundLine, GrepRequest, Search } from '../contract/search.ts';
import { startFault } from '../lib/start-fault.ts';

const MAX_FILES = 20_000;
const MAX_NAMES = 500_000;
const TIME_LIMIT_MS = 60_000;
/** Address space of a search, most of it never used; KB. */
const MEMORY_KB = 2 * 1024 ** 2;
const MAX_COLUMNS = 500;
const STDERR_CHARS = 2_000;
const NUL = '\0';

/** Hidden files count, histories do not; a person's own ripgrep settings change nothing. */
const ALWAYS = ['--no-config', '--color=never', '--hidden', '--no-require-git'];
const HISTORIES = ['.git', '.hg', '.svn', '.jj'].map((name) => `--glob=!${name}`);
/** Below `/`: what the system makes up, which never ends or never answers. */
const MADE_UP = ['proc', 'sys', 'dev'].map((name) => `--glob=!/${name}`);
const leftOut = (cwd: string): readonly string[] => (cwd === '/' ? [...HISTORIES, ...MADE_UP] : HISTORIES);

export interface RipgrepOptions {
  /** Environment for ripgrep, also where it is looked for when the bundled one is missing. */
  readonly env: Readonly<Record<string, string>>;
}

/** The binary is looked for when the first search is made, not when the program starts. */
export const ripgrep = (options: RipgrepOptions): Search => {
  let binary: Promise<string> | undefined;
  const run = async <One>(ask: Ask<One>): Promise<Found<One>> => {
    binary ??= ripgrepProgram();
    return collect(await binary, options, ask);
  };
  return {
    files: async ({ root, glob, signal }) => {
      const place = placeOf(root, glob);
      const args = [
        ...ALWAYS,
        '--files',
        '--null',
        ...globArgs(place.glob, undefined),
        ...leftOut(place.root),
      ];
      const parse = (name: string) => resolve(place.root, name);
      const ask = { args, cwd: place.root, signal, end: NUL, max: MAX_FILES, parse };
      return newestFirst(await run(ask));
    },
    names: async ({ root, ignored, signal }) => {
      const args = [...ALWAYS, '--files', '--null', ...(ignored ? ['--no-ignore'] : []), ...leftOut(root)];
      return run({ args, cwd: root, signal, end: NUL, max: MAX_NAMES, parse: (name) => name });
    },
    filesWith: async (request) => {
      const ask = asking(request, ['--files-with-matches']);
      return newestFirst(
        await run({ ...ask, end: NUL, max: MAX_FILES, parse: (record) => ask.pathOf(record) }),
      );
    },
    counts: async (request) => {
      const ask = asking(request, ['--count']);
      const parse = (record: string) => {
        const [name = '', count] = record.split(NUL);
        const path = ask.pathOf(name);
        return path === undefined ? undefined : { path, count: Number(count) };
      };
      return byPath(await run({ ...ask, end: '\n', max: MAX_FILES, parse }));
    },
    lines: async (request, max) => {
      const shown = [
        '--line-number',
        `--before-context=${request.before}`,
        `--after-context=${request.after}`,
      ];
      const long = [`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview', '--no-context-separator'];
      const ask = asking(request, [...shown, ...long]);
      return byPath(await run({ ...ask, end: '\n', max, parse: lineIn(ask.pathOf) }));
    },
  };
};

interface Ask<One> {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What ends a record. */
  readonly end: string;
  readonly max: number;
  parse(record: string): One | undefined;
}

/** Globs are tied to the folder ripgrep runs in: the root, or the folder of the one file that is searched. */
const asking = (request: GrepRequest, mode: readonly string[]) => {
  const isFile = statSync(request.root, { throwIfNoEntry: false })?.isFile() === true;
  const cwd = isFile ? dirname(request.root) : request.root;
  const pathOf = (name: string) => (wanted(request, normalize(name)) ? resolve(cwd, name) : undefined);
  return {
    args: argsOf(request, mode, isFile ? basename(request.root) : '.', leftOut(cwd)),
    cwd,
    signal: request.signal,
    pathOf,
  };
};

const argsOf = (
  request: GrepRequest,
  mode: readonly string[],
  operand: string,
  left: readonly string[],
): readonly string[] => [
  ...ALWAYS,
  ...mode,
  '--null',
  '--with-filename',
  '--no-heading',
  ...(request.ignoreCase ? ['--ignore-case'] : []),
  ...(request.multiline ? ['--multiline', '--multiline-dotall'] : []),
  ...globArgs(request.glob, request.type),
  ...left,
  `--regexp=${request.pattern}`,
  '--',
  operand,
];

/**
 * `--glob` brings back files that git ignores, or that are of another type; a type does not. So a glob that only
 * looks at names becomes a type, and beside a type a glob is left to `wanted`.
 */
const globArgs = (glob: string | undefined, type: string | undefined): readonly string[] => {
  if (type !== undefined) return [`--type=${type}`, ...(glob?.startsWith('!') ? [`--glob=${glob}`] : [])];
  if (glob === undefined) return [];
  const name = glob.replace(/^(?:\*\*\/)+/, '');
  return name.includes('/') || name.startsWith('!')
    ? [`--glob=${glob}`]
    : [`--type-add=wanted:${name}`, '--type=wanted'];
};

const wanted = ({ glob, type }: GrepRequest, path: string): boolean => {
  if (glob === undefined || type === undefined || glob.startsWith('!')) return true;
  return matchesGlob(path, glob.includes('/') ? glob : `**/${glob}`);
};

/** The fixed beginning of a pattern is a place to start at: `src/deep/*.ts` looks into `src/deep` alone. */
const placeOf = (root: string, glob: string): { readonly root: string; readonly glob: string } => {
  const parts = glob.split('/');
  const magic = parts.findIndex((part) => /[*?[\]{}!\\]/.test(part));
  const fixed = parts.slice(0, magic === -1 ? parts.length - 1 : Math.min(magic, parts.length - 1));
  if (fixed.length === 0) return { root, glob };
  const rest = parts.slice(fixed.length).join('/');
  // A leading slash ties the name to this folder, as the pattern did.
  return { root: join(root, ...fixed), glob: rest.includes('/') ? rest : `/${rest}` };
};

const lineIn =
  (pathOf: (name: string) => string | undefined) =>
  (record: string): FoundLine | undefined => {
    const at = record.indexOf(NUL);
    const parts = /^(\d+)([:-])(.*)$/s.exec(record.slice(at + 1).replace(/\r$/, ''));
    const path = at < 0 ? undefined : pathOf(record.slice(0, at));
    if (path === undefined || !parts) return undefined;
    const [, line, mark, text = ''] = parts;
    return { path, line: Number(line), text, matches: mark === ':' };
  };

/** The package throws where its binary for this platform was not installed. */
export const ripgrepProgram = async (): Promise<string> => {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return 'rg';
  }
};

const collect = <One>(binary: string, { env }: RipgrepOptions, ask: Ask<One>): Promise<Found<One>> =>
  new Promise((settle) => {
    const found: One[] = [];
    let rest = '';
    let errors = '';
    let cut = false;
    const limit = AbortSignal.any([ask.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
    // Without descriptors to spare it has no pipes, and tells so with its error.
    const child: ChildProcess = spawn(...bounded(binary, ask.args), {
      cwd: ask.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: limit,
    });
    child.stdout?.setEncoding('utf8');
    child.stderr?.setEncoding('utf8');
    child.stdout?.on('data', (text: string) => {
      const records = (rest + text).split(ask.end);
      rest = records.pop() ?? '';
      for (const record of records) {
        const one = ask.parse(record);
        if (one === undefined) continue;
        if (found.length >= ask.max) cut = true;
        else found.push(one);
      }
      if (cut) child.kill();
    });
    child.stderr?.on('data', (text: string) => {
      errors = (errors + text).slice(0, STDERR_CHARS);
    });
    child.on('error', (error) => {
      if (ask.signal.aborted) settle({ problem: 'Interrupted.' });
      else if (limit.aborted) settle(found.length > 0 ? { found, cut: true } : { problem: tooLong });
      else settle({ problem: notFound(error, ask.cwd) });
    });
    child.on('close', (code, signal) => {
      if (signal === 'SIGABRT') settle(found.length > 0 ? { found, cut: true } : { problem: tooMuch });
      else if (code === NOT_THERE) settle({ problem: noProgram(ask.cwd) });
      else if (code === 2 && found.length === 0) settle({ problem: refusal(errors) });
      else settle({ found, cut });
    });
  });

const tooLong = `The search found nothing in ${TIME_LIMIT_MS / 1000} s and was stopped. Search in a smaller folder, or with a narrower pattern.`;

const tooMuch = `The search needed more than ${MEMORY_KB / 1024 ** 2} GB of memory and was stopped: an ignore file, or a line that it matched, never ends.`;

/** What a shell says of a program that it does not find. */
const NOT_THERE = 127;

/** An ignore file that leads to a device never ends, and is read whole. */
const bounded = (binary: string, args: readonly string[]): [string, string[]] =>
  process.platform === 'linux'
    ? ['/bin/sh', ['-c', `ulimit -v ${MEMORY_KB} 2>/dev/null; exec "$0" "$@"`, binary, ...args]]
    : [binary, [...args]];

const notFound = (error: Error, cwd: string): string =>
  'code' in error && error.code === 'ENOENT'
    ? noProgram(cwd)
    : `ripgrep could not be started: ${startFault(error) ?? error.message}.`;

const noProgram = (cwd: string): string =>
  `ripgrep could not be started in ${cwd}: either this folder does not exist, or neither the ripgrep that comes with Coppice nor an rg on PATH is there. Reinstall Coppice or install ripgrep.`;

const refusal = (errors: string): string =>
  errors.replace(/^rg: /gm, '').trim() || 'ripgrep failed without a word.';

const byPath = <One extends { readonly path: string }>(result: Found<One>): Found<One> =>
  'problem' in result
    ? result
    : { ...result, found: result.found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)) };

const newestFirst = async (result: Found<string>): Promise<Found<string>> => {
  if ('problem' in result) return result;
  const dated = await Promise.all(
    result.found.map(async (path) => ({
      path,
      time: await stat(path).then(
        (file) => file.mtimeMs,
        () => 0,
      ),
    })),
  );
  dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
  return { ...result, found: dated.map(({ path }) => path) };
};
