import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './row.ts';

const FOLDERS = 250;

/** A repository of many small files, in place of the usual one: 50,000, or fewer where little is measured. */
export const large = ({ place, quick }: Bench) => {
  const files = quick ? 5_000 : 50_000;
  const repository = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-large-')));
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(repository, `part-${folder}`));
    for (let file = 0; file < files / FOLDERS; file++)
      writeFileSync(join(repository, `part-${folder}`, `file-${file}.ts`), `export const n = ${file};\n`);
  }
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'Begin'],
  ])
    execFileSync('git', args, { cwd: repository, env: place.env, stdio: 'pipe' });
  return {
    ...place,
    repository,
    [Symbol.dispose]: () => rmSync(repository, { recursive: true, force: true }),
  };
};
