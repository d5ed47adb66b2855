import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../model.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, median } from '../stats.ts';

const FOLDERS = 250;

/** A repository of `files` small files, in place of the usual one. */
const large = ({ place }: Bench, files: number) => {
  const repository = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-large-')));
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(repository, `part-${folder}`));
    for (let file = 0; file < files / FOLDERS; file++)
      writeFileSync(join(repository, `part-${folder}`, `file-${file}.ts`), `export const n = ${file};\n`);
  }
  const git = (...args: string[]): void =>
    void execFileSync('git', args, { cwd: repository, env: place.env, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  return { repository, git, [Symbol.dispose]: () => rmSync(repository, { recursive: true, force: true }) };
};

/** Making a worktree of a large repository, beside git itself. */
export const worktree: Measurement = {
  name: 'worktree',
  about: 'a worktree of a repository of 50,000 files',
  async run(bench) {
    using there = large(bench, bench.quick ? 5_000 : 50_000);
    const place = { ...bench.place, repository: there.repository };
    let serial = 0;
    const plain = async (): Promise<number> => {
      const began = performance.now();
      there.git('worktree', 'add', '-q', '-b', `plain-${++serial}`, `.git/plain-${serial}`);
      return performance.now() - began;
    };
    const entered = async (): Promise<number> => {
      const name = `ours-${++serial}`;
      bench.model.play(
        (request): Answer => ({
          blocks: [
            request === 0
              ? { type: 'tool_use', name: 'EnterWorktreeTool', json: JSON.stringify({ name }) }
              : { type: 'text', text: 'Done.' },
          ],
        }),
      );
      await runProgram(place, [...bench.coppice, '-p', 'hi', '--allowed-tools', 'EnterWorktreeTool']);
      const [first, second] = bench.model.asked;
      if (!second?.body.includes('worktreePath')) throw new Error(`No worktree was made: ${second?.body}`);
      return second.at - (first?.answered ?? 0);
    };
    const runs = await alternate(bench.quick ? 1 : 5, { git: plain, ours: entered });
    return [
      {
        what: 'make a worktree of 50,000 files',
        unit: 'ms',
        floors: { git: median(runs.git) },
        ours: median(runs.ours),
        foundation: { times: 1.5 },
        target: { times: 1.15 },
      },
    ];
  },
};
