import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelServer } from './model-server.ts';
import { leftovers } from './processes.ts';
import type { Received } from './received.ts';
import type { TempRepo } from './repo.ts';
import type { Ran } from './run-binary.ts';
import { leftOn } from './stream-modes.ts';
import type { Exit } from './terminal.ts';

/** What a scenario leaves to be judged; only the parts that are given are checked. */
export interface Aftermath {
  readonly place: Pick<TempRepo, 'state' | 'path' | 'tag'>;
  readonly server?: Pick<ModelServer, 'violations'>;
  /** Texts that must be in a transcript: prompts taken in, and blocks seen complete. */
  readonly kept?: readonly string[];
  /** The first request after a resume, which must hold the kept texts too. */
  readonly resumed?: Pick<Received, 'body'>;
  /** A terminal that has ended, with its stream. */
  readonly terminal?: { readonly raw: () => string; readonly exit: Exit };
  /** How the run ended: cleanly (no temporary files or locks may be left) or killed. */
  readonly ending?: 'clean' | 'killed';
  /** A run that was meant to fail, and a word its one-line cause must name. */
  readonly failure?: { readonly ran: Ran; readonly names: string | RegExp };
  /** Milliseconds that processes have to end (default 5,000). */
  readonly patience?: number;
  /** The secret that must have gone nowhere (default `CANARY`). */
  readonly canary?: string;
}

/** Every promise that was broken, one sentence each; a sound scenario gives an empty list. */
export const breaches = async (after: Aftermath): Promise<string[]> => [
  ...lost(after),
  ...(after.server?.violations ?? []).map((one) => `The protocol was broken: ${one}`),
  ...(await leftovers(after.place.tag, after.patience)).map(
    ({ pid, command }) => `Process ${pid} still runs: ${command}`,
  ),
  ...(after.terminal ? terminalBreaches(after.terminal) : []),
  ...fileBreaches(after.place.state, after.ending ?? 'clean'),
  ...(after.failure ? errorBreaches(after.failure) : []),
  ...leaks([after.place.state, after.place.path], after.canary ?? 'CANARY'),
  ...(after.terminal?.raw().includes(after.canary ?? 'CANARY')
    ? ['The secret was shown on the terminal.']
    : []),
];

/** Texts that no transcript holds, or that the first request after a resume forgot. */
const lost = ({ place, kept = [], resumed }: Aftermath): string[] => {
  const written = filesOf(place.state)
    .filter((path) => path.endsWith('.jsonl'))
    .flatMap((path) => linesOf(path).flatMap((line) => strings(parsed(line))));
  const sent = resumed && strings(resumed.body);
  return kept.flatMap((text) => [
    ...(written.some((one) => one.includes(text)) ? [] : [`No transcript holds "${text}".`]),
    ...(!sent || sent.some((one) => one.includes(text)) ? [] : [`The resumed request lacks "${text}".`]),
  ]);
};

/** Terminal modes and line settings that a program did not put back. */
export const terminalBreaches = ({ raw, exit }: { raw: () => string; exit: Exit }): string[] => [
  ...leftOn(raw()).map((mode) => `The terminal was left with ${mode}.`),
  ...(exit.termios.after === exit.termios.before
    ? []
    : [`The line settings were left as ${exit.termios.after}, not ${exit.termios.before}.`]),
];

/** Broken JSON, stray temporary files and locks, and files that others may read, below a state folder. */
export const fileBreaches = (state: string, ending: 'clean' | 'killed'): string[] => [
  ...filesOf(state).flatMap((path) => {
    if (path.endsWith('.json') && parsed(readFileSync(path, 'utf8')) === undefined)
      return [`${path} does not parse.`];
    if (path.endsWith('.jsonl')) {
      const broken = linesOf(path).findIndex(
        (line, at, all) => at < all.length - 1 && parsed(line) === undefined,
      );
      if (broken >= 0) return [`Line ${broken + 1} of ${path} does not parse.`];
    }
    const stray = /\.tmp|\.lock$|(^|\/)lock$/.test(path.slice(state.length));
    return ending === 'clean' && stray ? [`${path} was left behind.`] : [];
  }),
  ...[state, ...entriesOf(state)].flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && (stat.mode & 0o077) !== 0 ? [`${path} has mode ${(stat.mode & 0o777).toString(8)}.`] : [];
  }),
];

/** A failure that exits 0, does not name its cause, or shows a bare stack trace. */
export const errorBreaches = ({ ran, names }: { ran: Ran; names: string | RegExp }): string[] => {
  const told = [...ran.stderr.split('\n'), ...ran.stdout.trimEnd().split('\n').slice(-1)];
  const named = told.some((line) => (typeof names === 'string' ? line.includes(names) : names.test(line)));
  return [
    ...(ran.code === 0 ? ['A failed run ended with exit code 0.'] : []),
    ...(named ? [] : [`No line of the error names ${names}: ${ran.stderr.trim() || ran.stdout.slice(-300)}`]),
    ...(/^\s+at .+:\d+:\d+\)?$/m.test(ran.stderr) ? [`The error is a bare stack trace: ${ran.stderr}`] : []),
  ];
};

/** Files below the folders that hold the secret. */
const leaks = (folders: readonly string[], canary: string): string[] =>
  folders.flatMap((folder) =>
    filesOf(folder)
      .filter((path) => readFileSync(path).includes(canary))
      .map((path) => `The secret stands in ${path}.`),
  );

/** Everything below a folder; git's own stores are left out, for git decides what they look like. */
const entriesOf = (folder: string): string[] => {
  const entries = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder, { withFileTypes: true })
    : [];
  const names = entries.map(({ name }) => name);
  if (names.includes('HEAD') && names.includes('objects')) return [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...entriesOf(path)] : entry.isFile() ? [path] : [];
  });
};

const filesOf = (folder: string): string[] => entriesOf(folder).filter((path) => statSync(path).isFile());

const linesOf = (path: string): string[] => {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
};
