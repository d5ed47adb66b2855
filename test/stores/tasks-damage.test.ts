import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freeFor } from '../../src/contract/task.ts';
import type { Disk } from '../../src/store/disk.ts';
import { realDisk } from '../../src/store/disk.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { tempHome } from './entries.ts';
import { actor, made } from './tasks-conformance.ts';

const [alice, lead] = [actor('alice'), actor('team-lead', 'lead')];
const open = async () => {
  const temp = await tempHome();
  const dir = join(temp.home, 'tasks', 'list');
  return {
    store: taskStore(fileShelf(temp.home)),
    home: temp.home,
    dir,
    file: (id: string) => join(dir, `${id}.json`),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};
const listed = async (store: Awaited<ReturnType<typeof open>>['store']) => {
  const listing = await store.list('list');
  if (!('tasks' in listing)) throw new Error(JSON.stringify(listing));
  return listing;
};

it.each<[string, (text: string) => string, RegExp]>([
  ['truncated', (text) => text.slice(0, 40), /not whole JSON/],
  ['empty', () => '', /is empty/],
  ['not an object', () => '[]', /not a readable task/],
  [
    'of a newer layout',
    (text) => text.replace('{', '{"format": 9,'),
    /newer version of Coppice \(format 9\)/,
  ],
  ['with a state of a newer version', (text) => text.replace('"pending"', '"paused"'), /status/],
  ['of another number', (text) => text.replace('"2"', '"7"'), /says id "7"/],
  ['with edges that are no list', (text) => text.replace('"blocks": []', '"blocks": "1"'), /blocks/],
])('a task file that is %s is one clear problem, and the others are unharmed', async (_, damage, said) => {
  await using here = await open();
  for (let n = 0; n < 3; n += 1) await made(here.store);
  const text = damage(await readFile(here.file('2'), 'utf8'));
  await writeFile(here.file('2'), text);
  const { tasks, problems } = await listed(here.store);
  expect(tasks.map((task) => task.id)).toEqual(['1', '3']);
  expect(problems).toEqual([expect.stringMatching(said)]);
  expect(problems[0]).toContain(here.file('2'));
  expect(await here.store.update('list', '2', { subject: 'x' }, lead)).toMatchObject({
    why: 'damaged',
    refused: expect.stringMatching(said),
  });
  expect(await here.store.claim('list', '1', alice)).toMatchObject({ owner: 'alice' });
  expect(await made(here.store)).toMatchObject({ id: '4' });
  expect(await readFile(here.file('2'), 'utf8')).toBe(text);
});

it.each<[string, (path: string) => Promise<unknown>, RegExp]>([
  ['a pipe', async (path) => execFileSync('mkfifo', [path]), /2\.json: it is a pipe or a device/],
  ['a link to a device', (path) => symlink('/dev/zero', path), /2\.json: it is a pipe or a device/],
  ['a link to itself', (path) => symlink(path, path), /2\.json: .*links form a circle/],
  ['a folder', (path) => mkdir(path), /2\.json: it is a directory/],
])('%s in the place of a task is one clear problem, and holds nobody up', async (_, put, said) => {
  await using here = await open();
  for (let n = 0; n < 3; n += 1) await made(here.store);
  await listed(here.store);
  await unlink(here.file('2'));
  await put(here.file('2'));
  for (let n = 0; n < 2; n += 1) {
    const { tasks, problems } = await listed(here.store);
    expect([tasks.map((task) => task.id), problems]).toEqual([['1', '3'], [expect.stringMatching(said)]]);
  }
  expect(await here.store.claim('list', '2', alice)).toMatchObject({ refused: expect.stringMatching(said) });
  expect(await made(here.store)).toMatchObject({ id: '4' });
});

it('what waits for a task that cannot be read goes on waiting, and is offered to nobody', async () => {
  await using here = await open();
  for (let n = 0; n < 2; n += 1) await made(here.store);
  await here.store.update('list', '1', { addBlocks: ['2'] }, lead);
  await writeFile(here.file('1'), '');
  const listing = await listed(here.store);
  expect([listing.unreadable, freeFor('alice', listing)]).toEqual([['1'], []]);
  expect(await here.store.claimNext('list', alice)).toBeUndefined();
});

it('an edit by hand counts, keeps its unknown fields, and what it left out has a default', async () => {
  await using here = await open();
  await made(here.store);
  await listed(here.store);
  await writeFile(
    here.file('1'),
    JSON.stringify({ id: '1', subject: 'By hand', status: 'pending', colour: 'red' }),
  );
  expect((await listed(here.store)).tasks).toMatchObject([
    { subject: 'By hand', description: '', blocks: [], version: 0 },
  ]);
  await here.store.claim('list', '1', alice);
  expect(JSON.parse(await readFile(here.file('1'), 'utf8'))).toMatchObject({
    colour: 'red',
    owner: 'alice',
    version: 1,
  });
});

it.each(['', 'x', '1', '-3'])('a high-water mark of %j gives no id twice', async (mark) => {
  await using here = await open();
  for (let n = 0; n < 3; n += 1) await made(here.store);
  await writeFile(join(here.dir, '.highwatermark'), mark);
  expect(await made(here.store)).toMatchObject({ id: '4' });
});

it('a list that became a link is refused and what it points to is left alone', async () => {
  await using here = await open();
  await made(here.store);
  const elsewhere = join(here.home, 'elsewhere');
  await rename(here.dir, elsewhere);
  await symlink(elsewhere, here.dir);
  for (const answer of [
    await here.store.create('list', { subject: 'S', description: 'D' }),
    await here.store.list('list'),
    await here.store.drop('list'),
  ])
    expect(answer).toMatchObject({ failed: expect.stringContaining('symbolic link') });
  expect(await readdir(elsewhere)).toContain('1.json');
});

it('other files in the folder are passed over', async () => {
  await using here = await open();
  await made(here.store);
  for (const name of ['notes.md', 'a.json', '01.json', '.lock.old'])
    await writeFile(join(here.dir, name), 'x');
  await mkdir(join(here.dir, '9.json.d'));
  expect(await listed(here.store)).toMatchObject({ tasks: [{ id: '1' }], problems: [] });
});

it('the task of an owner that died is pending again, with a note, for everybody', async () => {
  await using here = await open();
  await made(here.store);
  await here.store.claim('list', '1', alice);
  const file = JSON.parse(await readFile(here.file('1'), 'utf8'));
  await writeFile(here.file('1'), JSON.stringify({ ...file, lease: { ...file.lease, start: '1' } }));
  expect((await listed(here.store)).tasks).toMatchObject([
    { status: 'pending', note: expect.stringContaining('its owner alice ended') },
  ]);
  expect(await here.store.claim('list', '1', actor('bob'))).toMatchObject({
    owner: 'bob',
    status: 'in_progress',
  });
});

it('a session that comes back in another process keeps what nobody took', async () => {
  await using here = await open();
  for (let n = 0; n < 2; n += 1) {
    await made(here.store);
    await here.store.claim('list', String(n + 1), alice);
    const file = JSON.parse(await readFile(here.file(String(n + 1)), 'utf8'));
    await writeFile(
      here.file(String(n + 1)),
      JSON.stringify({ ...file, lease: { ...file.lease, start: '1' } }),
    );
  }
  await here.store.claim('list', '2', actor('bob'));
  expect(await here.store.reclaim('list', alice)).toMatchObject([{ id: '1', owner: 'alice' }]);
  expect((await listed(here.store)).tasks.map(({ owner, status }) => [owner, status])).toEqual([
    ['alice', 'in_progress'],
    ['bob', 'in_progress'],
  ]);
});

it('a full disk changes nothing and says so; with space again it goes on', async () => {
  await using here = await open();
  await made(here.store);
  const full: Disk = {
    ...realDisk,
    writeNew: () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
  const store = taskStore(fileShelf(here.home, { disk: full }));
  for (const answer of [
    await store.claim('list', '1', alice),
    await store.create('list', { subject: 'S', description: 'D' }),
  ])
    expect(answer).toMatchObject({ failed: expect.stringContaining('no space left'), code: 'ENOSPC' });
  expect((await listed(here.store)).tasks).toMatchObject([{ id: '1', status: 'pending' }]);
  expect(await here.store.claim('list', '1', alice)).toMatchObject({ owner: 'alice' });
  expect((await readdir(here.dir)).sort()).toEqual(['.highwatermark', '1.json']);
});

it('a file that vanished is a deleted task', async () => {
  await using here = await open();
  await made(here.store);
  await listed(here.store);
  await unlink(here.file('1'));
  expect((await listed(here.store)).tasks).toEqual([]);
  expect(await here.store.get('list', '1')).toMatchObject({ why: 'deleted' });
});
