/** Every program started and every connection opened from the first instruction to the trust question. Needs strace. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Bait, layBait, openBait } from '../support/hostile.ts';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { COPPICE, startCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

const strace = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'strace'))
  .find((path) => existsSync(path));
if (!strace)
  process.stderr.write('SKIPPED: strace is missing, so starts are not traced (.ci/run installs it).\n');

const traced = (file: string, ...args: string[]): readonly [string, ...string[]] => [
  strace ?? 'strace',
  ...['-f', '-qq', '-s', '300', '-e', 'trace=execve,connect', '-o', file],
  process.execPath,
  COPPICE,
  ...args,
];

/** Programs by absolute path, and addresses; failed attempts count too. */
const told = (file: string) => {
  const lines = readFileSync(file, 'utf8').split('\n');
  return {
    started: [...new Set(lines.flatMap((line) => /execve\("([^"]*)"/.exec(line)?.[1] ?? []))].toSorted(),
    connected: lines.flatMap((line) => /connect\(\d+, (\{[^}]*\})/.exec(line)?.[1] ?? []),
  };
};

const withBait = async (
  work: (repo: TempRepo, bait: Bait, trace: string) => Promise<void>,
): Promise<void> => {
  await using server = await modelServer([say('done')]);
  await using repo = await tempRepo({ server });
  await using bait = await openBait(repo);
  await layBait(repo, bait);
  await work(repo, bait, join(repo.root, 'trace'));
};

it.skipIf(!strace)(
  'up to the question in a terminal nothing but our own Node runs and nothing is connected to',
  () =>
    withBait(async (repo, bait, trace) => {
      await using terminal = await openTerminal(repo, [], { command: traced(trace), rows: 50, columns: 160 });
      await terminal.waitFor('Do you trust this folder?', 60_000);
      await terminal.settle(500);
      expect(told(trace)).toEqual({ started: [process.execPath], connected: [] });
      expect(await bait.fired()).toEqual([]);
    }),
);

it.skipIf(!strace)(
  'a run without a person connects to the model alone, and starts nothing of the project',
  () =>
    withBait(async (repo, bait, trace) => {
      const running = startCoppice(repo, [], { command: traced(trace, '-p', 'hello'), timeout: 60_000 });
      running.endInput();
      expect((await running.ended).stdout).toBe('done\n');
      const { started, connected } = told(trace);
      const port = new URL(repo.env.ANTHROPIC_BASE_URL ?? '').port;
      expect(connected.filter((address) => !address.includes(`htons(${port})`))).toEqual([]);
      expect(started.filter((path) => path !== process.execPath)).toEqual([]);
      expect(await bait.fired()).toEqual([]);
    }),
);
