/** A process that records until it is killed; prints one dot for each line that is in the file. */
import { randomUUID } from 'node:crypto';
import type { SessionId } from '../../src/contract/ids.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';

const [home = '', session = '', project = ''] = process.argv.slice(2);
process.stdout.on('error', () => undefined);
const open = await fileTranscripts(home, '1.0.0').open(session as SessionId, project);
if (!('append' in open)) throw new Error('refused');
for (;;) {
  const text = 'ä'.repeat(Math.round(Math.random() * 20_000));
  await open.append(
    {
      type: 'user',
      content: [{ type: 'text', text }],
      origin: { kind: 'person' },
      uuid: randomUUID(),
      parentUuid: null,
      timestamp: new Date().toISOString(),
    },
    { cwd: project },
  );
  process.stdout.write('.');
}
