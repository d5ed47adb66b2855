/**
 * `npm run bench`: measures Coppice beside floors that do the least that could be done, in turns, and prints a
 * table. `--quick` measures little, `--only NAME` one row (repeatable), `--list` names them. The figures and the
 * facts of the machine go to bench/results/ as JSON. Linux only: processor and memory come from /proc.
 */
import '../scripts/node-version.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './machine.ts';
import { model } from './model.ts';
import { place } from './place.ts';
import type { Bench, Measurement, Row } from './row.ts';
import { agents } from './rows/agents.ts';
import { checkpoints } from './rows/checkpoints.ts';
import { definitions } from './rows/definitions.ts';
import { bashRounds, hooks, oneShot, parallelBash, readRounds } from './rows/headless.ts';
import { mailbox } from './rows/mailbox.ts';
import { requests } from './rows/requests.ts';
import { firstRequest, rest, start, version } from './rows/start.ts';
import { burst, steady } from './rows/stream.ts';
import { tasks } from './rows/tasks.ts';
import { turns } from './rows/turns.ts';
import { watching } from './rows/watching.ts';
import { worktree } from './rows/worktree.ts';
import { table, verdict } from './table.ts';

const ALL: readonly Measurement[] = [
  start,
  firstRequest,
  version,
  rest,
  definitions,
  oneShot,
  bashRounds,
  readRounds,
  parallelBash,
  hooks,
  burst,
  steady,
  turns,
  agents,
  watching,
  mailbox,
  worktree,
  checkpoints,
  tasks,
  requests,
];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const wanted = values.only.flatMap((names) => names.split(','));
const unknown = wanted.find((name) => !ALL.some((one) => one.name === name));
if (values.list || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no row "${unknown}". These are:`);
  for (const { name, about } of ALL) console.error(`  ${name.padEnd(14)} ${about}`);
  process.exit(unknown === undefined ? 0 : 2);
}

const results = join(import.meta.dirname, 'results');
const floor = (name: string): string => join(results, 'floors', `${name}.mjs`);
await using server = await model();
using somewhere = place(server.url);
const bench: Bench = {
  place: somewhere,
  model: server,
  floors: { raw: floor('raw'), ink: floor('ink'), sdk: floor('sdk'), spawn: floor('spawn') },
  coppice: [process.execPath, resolve(import.meta.dirname, '../bin/coppice.js')],
  node: process.execPath,
  quick: values.quick,
};

const rows: Row[] = [];
for (const one of ALL.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  process.stderr.write(`${one.name}: ${one.about}\n`);
  try {
    rows.push(...(await one.run(bench)));
  } catch (failure) {
    process.stderr.write(`  ${one.name} failed: ${failure instanceof Error ? failure.message : failure}\n`);
    process.exitCode = 1;
  }
}
console.log(table(rows));

mkdirSync(results, { recursive: true });
const time = new Date().toISOString();
const file = join(results, `${time.replaceAll(/[:.]/g, '-')}.json`);
const report = {
  time,
  quick: values.quick,
  machine: machine(),
  rows: rows.map((row) => ({ ...row, reached: verdict(row) })),
};
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
console.error(`written to ${file}`);
