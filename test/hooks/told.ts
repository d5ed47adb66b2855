/** A place whose hooks write what they are told into one file, outside the repository. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import type { Step } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { type Ran, runCoppice } from '../support/run-binary.ts';

export type Told = Readonly<Record<string, unknown>>;

/** A hook that keeps its input as one line, written at once: hooks of several agents run side by side. */
export const told = {
  type: 'command',
  command: `line=$(cat); printf '%s\\n' "$line" >> "$TMPDIR/told"`,
} as const;

export interface WithHooks extends AsyncDisposable {
  readonly server: Awaited<ReturnType<typeof modelServer>>;
  readonly repo: TempRepo;
  readonly log: string;
  told(): readonly Told[];
  ask(prompt: string, ...flags: string[]): Promise<Ran>;
}

export const withHooks = async (
  hooks: unknown,
  script: readonly Step<Received>[],
  files: Readonly<Record<string, string>> = {},
): Promise<WithHooks> => {
  const server = await modelServer(script);
  const repo = await tempRepo({
    server,
    files: { '.claude/settings.json': JSON.stringify({ hooks }), ...files },
  });
  const log = join(repo.tmp, 'told');
  return {
    server,
    repo,
    log,
    told: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Told),
    ask: (prompt, ...flags) => runCoppice(repo, ['-p', prompt, '--trust', ...flags]),
    async [Symbol.asyncDispose]() {
      await repo.dispose();
      await server.close();
    },
  };
};

/** Resolves once it holds; rejects after ten seconds. */
export const until = async (holds: () => boolean): Promise<void> => {
  const end = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`This never held: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Writes a file again, one space longer, until somebody who may not watch it yet has seen it. */
export const writeUntil = async (
  repo: TempRepo,
  path: string,
  content: string,
  seen: () => boolean,
): Promise<void> => {
  for (let spaces = 0; !seen() && spaces < 10; spaces += 1) {
    await repo.write(path, `${content}${' '.repeat(spaces)}`);
    for (let ticks = 0; !seen() && ticks < 50; ticks += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (!seen()) throw new Error(`Nobody saw ${path}.`);
};
