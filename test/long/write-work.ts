/** `node write-work.ts FOLDER SEED LIST`: writes every kind of work, and a line into the list for each as soon as it is there. */
import { appendFileSync } from 'node:fs';
import { writeWork } from '../support/worktree-work.ts';

const [folder = '', seed = '', list = ''] = process.argv.slice(2);
writeWork(process.env as Record<string, string>, folder, Number(seed), (what, blob) =>
  appendFileSync(list, `${JSON.stringify([what, blob])}\n`),
);
