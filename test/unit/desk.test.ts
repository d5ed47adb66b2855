import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDesk } from '../../src/agents/desk.ts';
import { memoryMailbox } from '../../src/store/memory.ts';

test('a desk that could not hear once hears what comes after, and nobody who waits for it fails', async () => {
  const mailbox = memoryMailbox();
  const said: string[] = [];
  const desk = (pid: number) =>
    createDesk({
      mailbox,
      stamp: { pid, start: '1' },
      newId: randomUUID,
      trouble: (text) => said.push(text),
    });
  const [one, other] = [desk(1), desk(2)];
  const heard: string[] = [];
  let failures = 1;
  await one.open('t', async (notes) => {
    if (failures-- > 0) throw new Error('the team file cannot be read');
    for (const { note } of notes) if (note.type === 'wake') heard.push(note.member);
  });
  await other.open('t', async () => undefined);
  await other.post({ type: 'wake', member: 'first' });
  await one.catchUp();
  await other.post({ type: 'wake', member: 'second' });
  await one.catchUp();
  expect([heard, said]).toEqual([
    ['second'],
    ['What others said was not read: the team file cannot be read'],
  ]);
  one.close();
  other.close();
});
