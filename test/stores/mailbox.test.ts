import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mailbox } from '../../src/contract/store.ts';
import { fileMailbox } from '../../src/store/mailbox.ts';
import { memoryMailbox } from '../../src/store/memory.ts';
import { tempHome } from './entries.ts';

const person = { kind: 'person' } as const;
const forever = new AbortController().signal;
const inFiles = (home: string): Mailbox =>
  fileMailbox((box) => join(home, box, 'mailbox.jsonl'), expect.unreachable);

describe.each([
  ['files', inFiles],
  ['memory', (): Mailbox => memoryMailbox()],
])('mail in %s', (_name, make) => {
  it('is read in order from any place on, again and again', async () => {
    await using temp = await tempHome();
    const mailbox = make(temp.home);
    const places = [];
    for (const text of ['a', 'b', 'c'])
      places.push(await mailbox.send('box', { id: text, text, origin: person }));
    expect(places).toEqual([1, 2, 3]);
    const texts = async (after: number): Promise<readonly string[]> =>
      (await mailbox.read('box', after)).map((mail) => mail.text);
    expect(await texts(0)).toEqual(['a', 'b', 'c']);
    expect(await texts(2)).toEqual(['c']);
    expect(await texts(1)).toEqual(['b', 'c']);
    expect(await texts(3)).toEqual([]);
    expect(await mailbox.read('other', 0)).toEqual([]);
  });

  it('that a person typed can be taken back until it is read; other mail stays', async () => {
    await using temp = await tempHome();
    const mailbox = make(temp.home);
    await mailbox.send('box', { id: 'a', text: 'a', origin: person });
    await mailbox.send('box', { id: 'b', text: 'b', origin: { kind: 'hook', label: 'h' } });
    await mailbox.send('box', { id: 'c', text: 'c', origin: person });
    expect(await mailbox.withdraw('box', 1)).toMatchObject([{ text: 'c', withdrawn: true }]);
    expect((await mailbox.read('box', 0)).map((mail) => mail.text)).toEqual(['a', 'b']);
    await mailbox.send('box', { id: 'd', text: 'd', origin: person });
    expect((await mailbox.read('box', 1)).map((mail) => mail.text)).toEqual(['b', 'd']);
  });

  it('wakes who waits; an ended wait resolves too', async () => {
    await using temp = await tempHome();
    const mailbox = make(temp.home);
    const waiting = mailbox.wait('box', 0, forever);
    await mailbox.send('box', { id: 'a', text: 'a', origin: person });
    await waiting;
    await mailbox.wait('box', 0, forever);
    const end = new AbortController();
    const ended = mailbox.wait('box', 1, end.signal);
    end.abort();
    await ended;
    await mailbox.wait('box', 1, end.signal);
  });
});

it('mail of many processes arrives whole, and wakes a waiting reader', async () => {
  await using temp = await tempHome();
  const mailbox = inFiles(temp.home);
  const waiting = mailbox.wait('box', 0, forever);
  const script = join(import.meta.dirname, 'send-many.ts');
  const senders = ['x', 'y', 'z'].map((name) =>
    spawn(process.execPath, [script, temp.home, name, '100'], { stdio: 'inherit' }),
  );
  const ends = senders.map((sender) => once(sender, 'exit'));
  await waiting;
  await Promise.all(ends);
  const mails = await mailbox.read('box', 0);
  // Who sees another's line half written begins a fresh one: places may be left out, never shared.
  const places = mails.map((mail) => mail.place);
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
  expect(mails).toHaveLength(300);
  for (const name of ['x', 'y', 'z'])
    expect(mails.filter((mail) => mail.id.startsWith(name)).map((mail) => mail.id)).toEqual(
      Array.from({ length: 100 }, (_, index) => `${name}${index}`),
    );
}, 20_000);

it('places stay the same beside damaged lines, and a letter glued to a torn line is found', async () => {
  await using temp = await tempHome();
  const file = join(temp.home, 'box', 'mailbox.jsonl');
  const told: string[] = [];
  const telling = () =>
    fileMailbox(
      (box) => join(temp.home, box, 'mailbox.jsonl'),
      (text) => told.push(text),
    );
  const mailbox = telling();
  await mailbox.send('box', { id: 'a', text: 'a', origin: person });
  await appendFile(file, 'rubbish\n{"mail":{"id":"torn","te');
  expect(await mailbox.send('box', { id: 'b', text: 'b', origin: person })).toBe(4);
  await appendFile(
    file,
    '{"mail":{"id":"torn","te{"mail":{"id":"c","text":"c","origin":{"kind":"person"},"at":"t"}}\n',
  );
  const again = telling();
  for (let times = 0; times < 2; times += 1)
    expect((await again.read('box', 0)).map(({ place, text }) => [place, text])).toEqual([
      [1, 'a'],
      [4, 'b'],
      [5, 'c'],
    ]);
  expect(told).toEqual(
    [2, 3].map(
      (line) => `Line ${line} of ${file} is not a readable letter and was left out; the others count.`,
    ),
  );
  // What was taken in is not told again.
  expect((await telling().read('box', 3)).map(({ text }) => text)).toEqual(['b', 'c']);
  expect(told).toHaveLength(2);
  expect(await readFile(file, 'utf8')).toContain('rubbish');
});

it('mail that the disk refuses is kept for the reader here, and never pretended to another', async () => {
  await using temp = await tempHome();
  const told: string[] = [];
  const mailbox = fileMailbox(
    (box) => join(temp.home, box, 'mailbox.jsonl'),
    (text) => told.push(text),
  );
  await mkdir(dirname(temp.home), { recursive: true });
  await appendFile(temp.home, 'a file where a directory should be');
  await expect(mailbox.send('other', { id: 'a', text: 'a', origin: person })).rejects.toThrow(
    /^Nothing was sent\. .*other.*not a directory/,
  );
  expect(await mailbox.read('mine', 0)).toEqual([]);
  const place = await mailbox.send('mine', { id: 'b', text: 'b', origin: person });
  expect(place).toBeGreaterThan(0);
  expect(place).toBeLessThan(1);
  const next = await mailbox.send('mine', { id: 'c', text: 'c', origin: person });
  expect((await mailbox.read('mine', 0)).map((mail) => mail.text)).toEqual(['b', 'c']);
  expect((await mailbox.read('mine', place)).map((mail) => mail.place)).toEqual([next]);
  // No place is given twice, also where letters were taken back.
  await mailbox.withdraw('mine', place);
  await mailbox.send('mine', { id: 'd', text: 'd', origin: person });
  expect((await mailbox.read('mine', next)).map((mail) => mail.text)).toEqual(['d']);
  expect(new Set(told).size).toBe(told.length);
});

it.each(['teams/crew/inboxes/ann', 'teams/crew/desk'])(
  'a box of a team that was deleted (%s) takes nothing, and of one made again by that name everything',
  async (box) => {
    await using temp = await tempHome();
    const team = join(temp.home, 'teams', 'crew');
    const mailbox = fileMailbox((box) => join(temp.home, `${box}.jsonl`), expect.unreachable);
    const send = (id: string) => mailbox.send(box, { id, text: id, origin: person });
    await mkdir(team, { recursive: true });
    await send('a');
    await rm(team, { recursive: true });
    await expect(send('b')).rejects.toThrow(/^Nothing was sent\. .*crew/);
    expect(existsSync(team)).toBe(false);
    await mkdir(team);
    expect(await send('c')).toBe(1);
    expect((await mailbox.read(box, 0)).map(({ text }) => text)).toEqual(['c']);
  },
);

it('a pipe in the place of a box is said to be one, and waited for by nobody', async () => {
  await using temp = await tempHome();
  const told: string[] = [];
  const mailbox = fileMailbox(
    (box) => join(temp.home, `${box}.jsonl`),
    (text) => told.push(text),
  );
  await mkdir(temp.home, { recursive: true });
  execFileSync('mkfifo', [join(temp.home, 'ann.jsonl')]);
  await expect(mailbox.send('ann', { id: 'a', text: 'a', origin: person })).rejects.toThrow(
    /^Nothing was sent\. .*ann\.jsonl: it is a pipe/,
  );
  expect(await mailbox.read('ann', 0)).toEqual([]);
  expect(told).toEqual([expect.stringMatching(/ann\.jsonl: it is a pipe/)]);
});

it('a box in a folder that became a link takes nothing', async () => {
  await using temp = await tempHome();
  const elsewhere = join(temp.home, 'elsewhere');
  await mkdir(elsewhere, { recursive: true });
  await mkdir(join(temp.home, 'teams'));
  await symlink(elsewhere, join(temp.home, 'teams', 'crew'));
  const mailbox = fileMailbox((box) => join(temp.home, `${box}.jsonl`), expect.unreachable);
  await expect(
    mailbox.send('teams/crew/inboxes/ann', { id: 'a', text: 'a', origin: person }),
  ).rejects.toThrow(/symbolic link/);
  expect(await readdir(elsewhere)).toEqual([]);
});
