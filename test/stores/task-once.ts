/** Another process that makes one change to a list, taking over any lock that sits still; says how it went. */
import type { SessionId } from '../../src/contract/ids.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';

const [home = '', id = '', patch = '{}'] = process.argv.slice(2);
const store = taskStore(fileShelf(home, { staleMs: 30 }));
const by = { name: 'other', session: 'other' as SessionId, role: 'lead' } as const;
const done =
  id === 'new'
    ? await store.create('list', { subject: 'by the other', description: 'D' })
    : await store.update('list', id, JSON.parse(patch), by);
process.stdout.write(JSON.stringify(done));
