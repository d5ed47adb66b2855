/** A process that opens a session once, says how that went, and keeps it until its input ends. */
import type { SessionId } from '../../src/contract/ids.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';

const [home = '', session = '', project = ''] = process.argv.slice(2);
process.stdin.once('data', async () => {
  const open = await fileTranscripts(home, '1.0.0').open(session as SessionId, project);
  process.stdout.write('append' in open ? 'won\n' : 'refused' in open ? 'refused\n' : `${open.failed}\n`);
});
process.stdin.once('end', () => process.exit());
process.stdout.write('ready\n');
