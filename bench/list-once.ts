/** For a process of its own: milliseconds until a task list was read for the first time, or (`raw`) all its files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStores } from '../src/store/open-stores.ts';

const [home = '', list = '', how] = process.argv.slice(2);
const { tasks } = await openStores({ home, project: home, version: '0.0.0', scratch: home });
const began = performance.now();
if (how === 'raw') {
  const folder = join(home, 'tasks', list);
  const read = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  if (read.length === 0) throw new Error(`There are no tasks in ${folder}.`);
} else {
  const listing = await tasks.list(list);
  if ('failed' in listing || listing.tasks.length === 0) throw new Error(JSON.stringify(listing));
}
process.stdout.write(JSON.stringify(performance.now() - began));
