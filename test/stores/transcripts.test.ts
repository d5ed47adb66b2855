import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TranscriptStore } from '../../src/contract/store.ts';
import { memoryTranscripts } from '../../src/store/memory.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { answered, entry, newSession, opened, said, tempHome } from './entries.ts';
import { facts, project, record, turns, writer } from './recording.ts';

describe.each([
  ['files', (home: string): TranscriptStore => fileTranscripts(home, '1.2.3')],
  ['memory', (home: string): TranscriptStore => memoryTranscripts(dirname(home))],
])('transcripts in %s', (_name, make) => {
  it('give back what was recorded', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const entries = turns(3);
    const path = await record(store, newSession(), entries);
    expect(await store.load(path)).toEqual({ entries, repairs: [] });
  });

  it('go on where an earlier writer stopped', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const session = newSession();
    const [first, second] = [turns(1), turns(2)];
    await record(store, session, first);
    const path = await record(store, session, second);
    expect((await store.load(path)).entries).toEqual([...first, ...second]);
  });

  it('refuse a second writer and name the process that has the session', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const session = newSession();
    const open = await writer(store, session);
    const second = await store.open(session, project);
    expect(second).toMatchObject({
      pid: process.pid,
      refused: expect.stringContaining(`process ${process.pid}`),
    });
    await open.close();
    await (await writer(store, session)).close();
  });

  it('keep a child beside its root', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const child = { root: newSession(), name: 'a1' };
    const open = await store.open(newSession(), project, child);
    if (!('append' in open)) throw new Error('refused');
    await open.append(said('look'), facts);
    await open.close();
    expect(open.path).toBe(store.locate(newSession(), project, child));
    expect(open.path.endsWith(join(child.root, 'subagents', 'agent-a1.jsonl'))).toBe(true);
    expect((await store.load(open.path)).entries).toHaveLength(1);
    expect(await store.list(project)).toEqual([]);
  });

  it('list newest first with title, prompt and flags, and find by id and by name', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const [old, fresh, other] = [newSession(), newSession(), newSession()];
    await record(store, old, [
      opened(project, { headless: true }),
      said('fix the roof\nsoon'),
      answered('ok'),
    ]);
    const title = entry({ type: 'title', title: 'Paint', byPerson: true });
    await record(store, fresh, [opened(project), said('paint it'), title]);
    const elsewhere = await store.open(other, '/srv/other');
    if (!('append' in elsewhere)) throw new Error('refused');
    await elsewhere.append(opened('/srv/other'), facts);
    await elsewhere.append(said('elsewhere'), facts);
    await elsewhere.close();
    expect(await store.list(project)).toMatchObject([
      { id: fresh, title: 'Paint', firstPrompt: 'paint it', headless: false, messages: 1, branch: 'main' },
      { id: old, title: 'Fix the roof', firstPrompt: 'fix the roof\nsoon', headless: true, messages: 2 },
    ]);
    expect((await store.list()).map((each) => each.id)).toContain(other);
    expect((await store.find(old, '/srv/other'))?.id).toBe(old);
    expect((await store.find('paint', project))?.id).toBe(fresh);
    expect(await store.find('nothing', project)).toBeUndefined();
  });

  it('a made title stays behind one a person gave, and the last entries are there at once', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const session = newSession();
    const made = entry({ type: 'title', title: 'Made', byPerson: false });
    const filler = Array.from({ length: 40 }, () => answered('x'.repeat(16 * 1024)));
    await record(store, session, [opened(project), said('make it'), made, ...filler]);
    expect((await store.list(project))[0]?.title).toBe('Made');
    const given = entry({ type: 'title', title: 'Given', byPerson: true });
    await record(store, session, [given, ...filler, said('the end')]);
    const [summary] = await store.list(project);
    expect(summary?.title).toBe('Given');
    const latest = await store.latest(summary?.path ?? '');
    expect(latest.at(-1)).toMatchObject({ content: [{ text: 'the end' }] });
    expect(latest.length).toBeGreaterThan(5);
    const { entries } = await store.load(summary?.path ?? '');
    expect(entries.filter(({ type }) => type === 'title')).toHaveLength(2);
  });

  it('delete a session that nobody has open', async () => {
    await using temp = await tempHome();
    const store = make(temp.home);
    const session = newSession();
    const open = await writer(store, session);
    await open.append(said('x'), facts);
    expect(await store.remove(session, project)).toMatchObject({ pid: process.pid });
    await open.close();
    expect(await store.remove(session, project)).toBeUndefined();
    expect(await store.list(project)).toEqual([]);
  });

  it('make a private directory for outputs', async () => {
    await using temp = await tempHome();
    const dir = await make(temp.home).outputs(newSession(), project);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });
});

it('a session in which nobody speaks leaves nothing behind, though its mailbox was waited on', async () => {
  await using temp = await tempHome();
  const stores = await openStores({ home: temp.home, project, version: '1.0.0', scratch: '/tmp' });
  const session = newSession();
  const open = await writer(stores.transcripts, session);
  const end = new AbortController();
  const waited = stores.mailbox.wait(session, 0, end.signal);
  end.abort();
  await waited;
  await open.close();
  expect(await readdir(dirname(open.path))).toEqual([]);
});
