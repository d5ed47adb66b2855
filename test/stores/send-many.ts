/** A process that sends numbered letters to one box. */
import { join } from 'node:path';
import { fileMailbox } from '../../src/store/mailbox.ts';

const [home = '', name = '', count = '0'] = process.argv.slice(2);
const mailbox = fileMailbox((box) => join(home, box, 'mailbox.jsonl'), console.error);
for (let index = 0; index < Number(count); index++)
  await mailbox.send('box', {
    id: `${name}${index}`,
    text: 'ä'.repeat(3000),
    origin: { kind: 'agent', name },
  });
