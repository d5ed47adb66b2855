import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDesk } from '../../src/agents/desk.ts';
import { readNote } from '../../src/agents/desk-notes.ts';
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

test('a question of choices comes through with all that the contract knows of it', () => {
  const note = {
    type: 'asked',
    ask: 'a1',
    session: 's1',
    agent: 'ann',
    question: {
      kind: 'choice',
      questions: [
        {
          question: 'Which?',
          header: 'Which',
          options: [{ label: 'One', description: 'd', preview: 'p' }],
          multiSelect: true,
          mayBeEmpty: true,
        },
      ],
      call: 'c1',
    },
  };
  expect(readNote(JSON.stringify({ run: 'r', pid: 1, start: '1', note }))?.note).toEqual(note);
});
