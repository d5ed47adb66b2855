/** A whole scenario from outside: a scripted server, a repository, and the built program between them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Aftermath, breaches } from './invariants.ts';
import { type Line, type ModelServer, type ModelServerOptions, modelServer } from './model-server.ts';
import { FAKE_KEY, type TempRepo, type TempRepoOptions, tempRepo } from './repo.ts';
import {
  jsonLines,
  type Ran,
  type Running,
  type RunOptions,
  runCoppice,
  startCoppice,
} from './run-binary.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

export interface Scene extends AsyncDisposable {
  readonly server: ModelServer;
  readonly repo: TempRepo;
  /** `coppice -p PROMPT FLAGS` to its end. */
  ask(prompt: string, ...flags: string[]): Promise<Ran>;
  /** Any arguments, to the end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Any arguments, still running. */
  start(args: readonly string[], options?: RunOptions): Running;
  /** The program on a screen, its folder trusted. Ready for keys when it resolves. */
  screen(args?: readonly string[], options?: TerminalOptions): Promise<Terminal>;
  /** Messages of a request as one JSON text; negative counts from the end. */
  sent(at: number): string;
  /** Paths of all transcripts, children's included. */
  transcripts(): readonly string[];
  /** Every promise that was broken so far (I1 to I8). */
  breaches(more?: Omit<Aftermath, 'place' | 'server'>): Promise<string[]>;
}

export const scene = async (
  script: readonly Line[] = [],
  options: Omit<TempRepoOptions, 'server'> & { readonly server?: ModelServerOptions } = {},
): Promise<Scene> => {
  const server = await modelServer(script, { key: FAKE_KEY, ...options.server });
  const repo = await tempRepo({ ...options, server });
  const run = (args: readonly string[], more?: RunOptions) => runCoppice(repo, args, more);
  return {
    server,
    repo,
    run,
    ask: (prompt, ...flags) => run(['-p', prompt, ...flags]),
    start: (args, more) => startCoppice(repo, args, more),
    async screen(args = [], more = {}) {
      const terminal = await openTerminal(repo, ['--trust', ...args], more);
      await terminal.ready();
      return terminal;
    },
    sent: (at) => JSON.stringify(server.requests.at(at)?.body.messages ?? null),
    transcripts: () => under(repo.state).filter((path) => isTranscript(path)),
    breaches: (more = {}) => breaches({ place: repo, server, ...more }),
    async [Symbol.asyncDispose]() {
      await repo.dispose();
      await server.close();
    },
  };
};

/** The last line of a `json` or `stream-json` run. */
export const resultOf = (ran: Pick<Ran, 'stdout' | 'stderr'>): Readonly<Record<string, unknown>> => {
  const last = jsonLines(ran.stdout).at(-1);
  if (last?.type !== 'result') throw new Error(`There is no result.\n${ran.stdout}\n${ran.stderr}`);
  return last;
};

/** Resolves when the condition holds; rejects after `patience` ms with what was waited for. */
export const until = async (what: string, holds: () => boolean, patience = 20_000): Promise<void> => {
  const end = performance.now() + patience;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`${what} did not come within ${patience} ms.`);
    await sleep(10);
  }
};

/** Resolves when a file is there and, where a text is given, holds it. */
export const untilFile = (path: string, text = ''): Promise<void> =>
  until(`${path} with "${text}"`, () => existsSync(path) && readFileSync(path, 'utf8').includes(text));

/** Entries of a transcript; its lines must all parse. */
export const entriesOf = (path: string): readonly Readonly<Record<string, unknown>>[] =>
  jsonLines(readFileSync(path, 'utf8'));

const isTranscript = (path: string): boolean =>
  path.endsWith('.jsonl') && path.includes('/projects/') && !path.endsWith('mailbox.jsonl');

const under = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
    : [];
