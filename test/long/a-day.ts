/** A process that records turns, takes mail, sets a setting and types; says on standard output what it has accepted. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../src/contract/ids.ts';
import { setSetting } from '../../src/settings/write.ts';
import { openStores } from '../../src/store/open-stores.ts';

const [home = '', session = ''] = process.argv.slice(2);
const id = session as SessionId;
const stores = await openStores({ home, project: '/p', version: '1.0.0', scratch: '/tmp' });
const open = await stores.transcripts.open(id, '/p');
if (!('append' in open)) throw new Error('refused');
for (let turn = 0; turn < 6; turn++) {
  const text = `prompt ${turn}`;
  stores.drafts.save(id, '/p', text);
  const place = await stores.mailbox.send(session, { id: text, text, origin: { kind: 'person' } });
  writeSync(1, `mail ${place}\n`);
  stores.drafts.save(id, '/p', '');
  const stamp = { uuid: `u${turn}`, parentUuid: null, timestamp: new Date().toISOString() };
  await open.append(
    { type: 'user', content: [{ type: 'text', text }], origin: { kind: 'person' }, ...stamp },
    { cwd: '/p' },
  );
  writeSync(1, `entry u${turn}\n`);
  await open.sync();
  await stores.history.add(text, { project: '/p', session: id });
  const set = await setSetting(join(home, 'settings.json'), 'theme', `theme ${turn}`);
  if ('written' in set) writeSync(1, `theme ${turn}\n`);
}
await open.close();
