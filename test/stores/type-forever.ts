/** A process that types until it is killed; one dot on standard output for each letter that is kept. */
import type { SessionId } from '../../src/contract/ids.ts';
import { fileDrafts } from '../../src/store/draft.ts';

const [home = '', session = ''] = process.argv.slice(2);
process.stdout.on('error', () => undefined);
const drafts = fileDrafts(home);
for (let text = 'ä'; ; text += 'ä') {
  drafts.save(session as SessionId, '/p', text);
  process.stdout.write('.');
  await new Promise((resolve) => setImmediate(resolve));
}
