/** What every task store promises; run on each shelf. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { Task, TaskActor, TaskPatch, TaskStatus, TaskStore } from '../../src/contract/task.ts';

export const actor = (name: string, role: TaskActor['role'] = 'agent'): TaskActor => ({
  name,
  session: `session-${name}` as SessionId,
  role,
});
const [alice, bob, lead, person] = [
  actor('alice'),
  actor('bob'),
  actor('team-lead', 'lead'),
  actor('you', 'person'),
];
const L = 'list';

export const made = async (store: TaskStore, subject = 'S'): Promise<Task> => {
  const task = await store.create(L, { subject, description: 'D' });
  if (!('subject' in task)) throw new Error(JSON.stringify(task));
  return task;
};
const shown = async (store: TaskStore, id: string) => {
  const task = await store.get(L, id);
  if (!('subject' in task)) throw new Error(JSON.stringify(task));
  return task;
};
const all = async (store: TaskStore) => {
  const listing = await store.list(L);
  if (!('tasks' in listing)) throw new Error(JSON.stringify(listing));
  return listing.tasks;
};
const ids = async (store: TaskStore) => (await all(store)).map((task) => task.id);

/** Puts a fresh task into a state, by alice where somebody must have done it. */
const into = async (store: TaskStore, status: TaskStatus): Promise<Task> => {
  const { id } = await made(store);
  if (status === 'cancelled') await store.cancel(L, id, person);
  else if (status !== 'pending') await store.update(L, id, { status }, alice);
  return shown(store, id);
};

export const conforms = (name: string, open: () => Promise<{ store: TaskStore } & AsyncDisposable>): void => {
  describe(`tasks on ${name}`, () => {
    it('gives ids from 1 and keeps what it was given', async () => {
      await using here = await open();
      const { store } = here;
      const task = await store.create(L, {
        subject: 'Fix it',
        description: 'All of it',
        activeForm: 'Fixing it',
        metadata: { area: 'ui', deep: { a: [1] }, gone: null },
      });
      expect(task).toMatchObject({
        id: '1',
        subject: 'Fix it',
        description: 'All of it',
        activeForm: 'Fixing it',
        status: 'pending',
        blocks: [],
        blockedBy: [],
        metadata: { area: 'ui', deep: { a: [1] } },
        version: 1,
      });
      expect(await shown(store, '1')).toEqual(JSON.parse(JSON.stringify(task)));
      expect(await made(store)).toMatchObject({ id: '2' });
    });

    it('never gives an id twice, reserved and deleted ones included', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      expect(await store.reserve(L)).toBe('2');
      expect(await made(store)).toMatchObject({ id: '3' });
      expect(await store.create(L, { subject: 'late', description: 'D' }, '2')).toMatchObject({ id: '2' });
      await store.update(L, '3', { status: 'deleted' }, lead);
      expect(await made(store)).toMatchObject({ id: '4' });
      expect(await ids(store)).toEqual(['1', '2', '4']);
      expect(await store.get(L, '3')).toMatchObject({
        why: 'deleted',
        refused: expect.stringContaining('not used again'),
      });
    });

    it('lists by number, empty lists too', async () => {
      await using here = await open();
      const { store } = here;
      expect(await all(store)).toEqual([]);
      for (let n = 0; n < 12; n += 1) await made(store);
      expect(await ids(store)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']);
    });

    it.each(['', '0', '01', '-1', '1.5', '../1', '99', 'abc', '1e3', '9'.repeat(300)])(
      'knows no task %j',
      async (id) => {
        await using here = await open();
        const { store } = here;
        await made(store);
        for (const answer of [
          await store.get(L, id),
          await store.update(L, id, { subject: 'x' }, lead),
          await store.claim(L, id, alice),
          await store.cancel(L, id, person),
          await store.update(L, '1', { addBlocks: [id] }, lead),
        ])
          expect(answer).toMatchObject({ why: 'unknown' });
        expect(await shown(store, '1')).toMatchObject({ version: 1 });
      },
    );

    it('merges metadata: null deletes a key, nested objects replace, other keys stay', async () => {
      await using here = await open();
      const { store } = here;
      await store.create(L, { subject: 'S', description: 'D', metadata: { a: 1, b: { x: 1, y: 2 }, c: 3 } });
      const updated = await store.update(
        L,
        '1',
        { metadata: { a: null, b: { x: 9 }, d: [4], nope: null } },
        lead,
      );
      expect(updated).toMatchObject({ fields: ['metadata'], task: { version: 2 } });
      expect((await shown(store, '1')).metadata).toEqual({ b: { x: 9 }, c: 3, d: [4] });
    });

    it('says which fields changed, and that nothing did', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      const patch: TaskPatch = { subject: 'T', description: 'E', activeForm: 'F', owner: 'bob' };
      expect(await store.update(L, '1', patch, lead)).toMatchObject({
        fields: ['owner', 'subject', 'description', 'activeForm'],
      });
      expect(await store.update(L, '1', patch, lead)).toMatchObject({ fields: [], task: { version: 2 } });
      expect(await store.update(L, '1', { owner: '' }, lead)).toMatchObject({ fields: ['owner'] });
      expect((await shown(store, '1')).owner).toBeUndefined();
    });

    describe('moves', () => {
      const from: readonly TaskStatus[] = ['pending', 'in_progress', 'completed', 'cancelled'];
      const to = ['pending', 'in_progress', 'completed', 'deleted'] as const;
      it.each(from.flatMap((a) => to.map((b) => [a, b] as const)))('%s to %s', async (a, b) => {
        await using here = await open();
        const { store } = here;
        const { id } = await into(store, a);
        const moved = await store.update(L, id, { status: b }, alice);
        expect(moved).toMatchObject(a === b ? { fields: [] } : { change: { from: a, to: b } });
        if (b === 'deleted') expect(await store.get(L, id)).toMatchObject({ why: 'deleted' });
        else expect(await shown(store, id)).toMatchObject({ status: b });
      });

      it.each(from)('a person cancels %s', async (status) => {
        await using here = await open();
        const { store } = here;
        const { id } = await into(store, status);
        const answer = await store.cancel(L, id, person);
        if (status === 'completed' || status === 'cancelled') expect(answer).toMatchObject({ why: 'closed' });
        else expect(await shown(store, id)).toMatchObject({ status: 'cancelled' });
      });

      it('an agent cancels nothing', async () => {
        await using here = await open();
        await made(here.store);
        expect(await here.store.cancel(L, '1', alice)).toHaveProperty('refused');
        expect(await shown(here.store, '1')).toMatchObject({ status: 'pending' });
      });
    });

    it('starting without an owner makes the caller owner, with a lease', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      expect(await store.update(L, '1', { status: 'in_progress' }, alice)).toMatchObject({
        fields: ['status', 'owner'],
        task: { owner: 'alice', lease: { owner: 'alice', session: 'session-alice' } },
      });
      await store.update(L, '1', { status: 'completed' }, alice);
      const done = await shown(store, '1');
      expect(done).toMatchObject({ status: 'completed', owner: 'alice', endedAt: expect.any(String) });
      expect(done.lease).toBeUndefined();
    });

    it.each<[string, TaskPatch]>([
      ['status', { status: 'completed' }],
      ['owner', { owner: 'bob' }],
      ['claim', { status: 'in_progress', owner: 'bob' }],
      ['bare claim', { status: 'in_progress' }],
      ['deletion', { status: 'deleted' }],
      ['back', { status: 'pending' }],
      ['status with other fields', { status: 'completed', subject: 'mine now', metadata: { a: 1 } }],
    ])('what a living owner works on is not taken: %s', async (_, patch) => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.claim(L, '1', alice);
      const before = await shown(store, '1');
      for (const by of [bob, lead, person]) {
        expect(await store.update(L, '1', patch, by)).toMatchObject({
          why: 'held',
          by: 'alice',
          refused: expect.stringContaining('under alice'),
        });
      }
      expect(await store.update(L, '1', patch, bob, { force: true })).toMatchObject({ why: 'held' });
      expect(await shown(store, '1')).toEqual(before);
      expect(await store.update(L, '1', patch, lead, { force: true })).toHaveProperty('fields');
    });

    it('other fields of a held task are free', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.claim(L, '1', alice);
      expect(await store.update(L, '1', { metadata: { note: 'hi' }, subject: 'T' }, bob)).toMatchObject({
        fields: ['subject', 'metadata'],
        task: { owner: 'alice', status: 'in_progress', lease: { session: 'session-alice' } },
      });
    });

    it('two sessions of one name do not share a claim', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.claim(L, '1', { ...alice, session: 'one' as SessionId });
      expect(await store.claim(L, '1', { ...alice, session: 'two' as SessionId })).toMatchObject({
        why: 'held',
      });
    });

    it('a task started for another is that one’s and the starter’s', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.update(L, '1', { status: 'in_progress', owner: 'alice' }, lead);
      expect(await store.update(L, '1', { status: 'completed' }, bob)).toMatchObject({ why: 'held' });
      expect(await store.update(L, '1', { status: 'completed' }, alice)).toMatchObject({
        change: { to: 'completed' },
      });
    });

    it('a pending task’s owner is whoever wrote last', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.update(L, '1', { owner: 'alice' }, lead);
      expect(await store.update(L, '1', { owner: 'bob' }, alice)).toMatchObject({ task: { owner: 'bob' } });
    });

    it('keeps edges on both ends, once each', async () => {
      await using here = await open();
      const { store } = here;
      for (let n = 0; n < 3; n += 1) await made(store);
      expect(await store.update(L, '1', { addBlocks: ['2', '3', '2'] }, lead)).toMatchObject({
        fields: ['blocks'],
      });
      await store.update(L, '3', { addBlockedBy: ['1', '2'] }, lead);
      expect((await all(store)).map(({ id, blocks, blockedBy }) => [id, blocks, blockedBy])).toEqual([
        ['1', ['2', '3'], []],
        ['2', ['3'], ['1']],
        ['3', [], ['1', '2']],
      ]);
      await store.update(L, '2', { status: 'deleted' }, lead);
      expect((await all(store)).map(({ id, blocks, blockedBy }) => [id, blocks, blockedBy])).toEqual([
        ['1', ['3'], []],
        ['3', [], ['1']],
      ]);
    });

    it.each<[string, string, TaskPatch]>([
      ['itself', '1', { addBlocks: ['1'] }],
      ['back', '2', { addBlocks: ['1'] }],
      ['around', '3', { addBlocks: ['1'] }],
      ['the other way', '1', { addBlockedBy: ['3'] }],
      ['half good', '3', { addBlocks: ['4', '1'], subject: 'new' }],
      ['within one call', '4', { addBlocks: ['1'], addBlockedBy: ['3'] }],
    ])('refuses a circle: %s', async (_, id, patch) => {
      await using here = await open();
      const { store } = here;
      for (let n = 0; n < 4; n += 1) await made(store);
      await store.update(L, '1', { addBlocks: ['2'] }, lead);
      await store.update(L, '2', { addBlocks: ['3'] }, lead);
      const before = await all(store);
      expect(await store.update(L, id, patch, lead)).toMatchObject({ why: 'cycle' });
      expect(await all(store)).toEqual(before);
    });

    it('a blocked task cannot be started until every blocker is over', async () => {
      await using here = await open();
      const { store } = here;
      for (let n = 0; n < 4; n += 1) await made(store);
      await store.update(L, '4', { addBlockedBy: ['1', '2', '3'] }, lead);
      expect(await store.claim(L, '4', alice)).toMatchObject({ why: 'blocked', by: '1' });
      await store.update(L, '1', { status: 'completed' }, lead);
      await store.claim(L, '2', bob);
      expect(await store.update(L, '4', { status: 'in_progress' }, lead, { force: true })).toMatchObject({
        why: 'blocked',
        refused: expect.stringMatching(/task 2.*in progress/),
      });
      await store.cancel(L, '2', person);
      await store.update(L, '3', { status: 'deleted' }, lead);
      expect(await store.claim(L, '4', alice)).toMatchObject({ status: 'in_progress', owner: 'alice' });
    });

    it('claims the lowest free one', async () => {
      await using here = await open();
      const { store } = here;
      for (let n = 0; n < 6; n += 1) await made(store);
      await store.update(L, '1', { status: 'completed' }, lead);
      await store.claim(L, '2', bob);
      await store.update(L, '3', { addBlockedBy: ['2'] }, lead);
      await store.update(L, '4', { owner: 'bob' }, lead);
      await store.update(L, '6', { owner: 'alice' }, lead);
      expect(await store.claimNext(L, alice)).toMatchObject({ id: '5' });
      expect(await store.claimNext(L, alice)).toMatchObject({ id: '6' });
      expect(await store.claimNext(L, alice)).toBeUndefined();
      expect(await store.claimNext(L, bob)).toMatchObject({ id: '4' });
      await store.complete(L, '2', bob);
      expect(await store.claimNext(L, alice)).toMatchObject({ id: '3' });
    });

    it.each<TaskStatus>(['in_progress', 'completed', 'cancelled'])(
      'claims nothing that is %s',
      async (status) => {
        await using here = await open();
        const { id } = await into(here.store, status);
        expect(await here.store.claim(L, id, bob)).toHaveProperty('refused');
      },
    );

    it('an owner that ends gives its tasks back with a note, and only its own', async () => {
      await using here = await open();
      const { store } = here;
      for (let n = 0; n < 3; n += 1) await made(store);
      await store.claim(L, '1', alice);
      await store.claim(L, '2', bob);
      expect(await store.release(L, alice, 'alice was stopped.')).toMatchObject([{ id: '1' }]);
      expect(await store.release(L, alice, 'again')).toEqual([]);
      expect(await shown(store, '1')).toMatchObject({ status: 'pending', note: 'alice was stopped.' });
      expect((await shown(store, '1')).owner).toBeUndefined();
      expect(await shown(store, '2')).toMatchObject({ owner: 'bob', status: 'in_progress' });
      await store.claim(L, '1', bob);
      expect((await shown(store, '1')).note).toBeUndefined();
    });

    it('a heartbeat changes no version', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.claim(L, '1', alice);
      const before = await shown(store, '1');
      await store.renew(L, alice);
      expect((await shown(store, '1')).version).toBe(before.version);
      expect(await store.reclaim(L, alice)).toMatchObject([{ id: '1' }]);
      expect(await store.reclaim(L, bob)).toEqual([]);
    });

    it('refuses a change to what was changed meanwhile', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      await store.update(L, '1', { subject: 'T' }, lead);
      expect(await store.update(L, '1', { subject: 'U' }, lead, { expect: 1 })).toMatchObject({
        why: 'changed',
      });
      expect(await store.update(L, '1', { subject: 'U' }, lead, { expect: 2 })).toMatchObject({
        fields: ['subject'],
      });
    });

    it('loses nothing when many write at once', async () => {
      await using here = await open();
      const { store } = here;
      await Promise.all(Array.from({ length: 30 }, (_, n) => made(store, `task ${n}`)));
      expect(new Set(await ids(store)).size).toBe(30);
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          store.update(L, '1', { metadata: { [`key${n}`]: n } }, actor(`w${n}`)),
        ),
      );
      expect(Object.keys((await shown(store, '1')).metadata ?? {})).toHaveLength(20);
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store.claim(L, '2', actor(`w${n}`))),
      );
      expect(claims.filter((claim) => 'status' in claim)).toHaveLength(1);
    });

    it('tells of changes, and of the list being dropped', async () => {
      await using here = await open();
      const { store } = here;
      await made(store);
      const stop = new AbortController();
      const seen: number[] = [];
      for await (const { tasks } of store.changes(L, stop.signal)) {
        seen.push(tasks.length);
        if (tasks.length === 1) void made(store);
        else if (tasks.length === 2) void store.drop(L);
        else stop.abort();
      }
      expect(seen).toEqual([1, 2, 0]);
    });

    it('names its lists, the latest first, and drops them whole', async () => {
      await using here = await open();
      const { store } = here;
      expect(await store.lists()).toEqual([]);
      await made(store);
      expect((await store.lists()).map(({ list }) => list)).toEqual([L]);
      await store.get('other', '1');
      await store.update('other', '1', { subject: 'x' }, lead);
      expect((await store.lists()).map(({ list }) => list)).toEqual([L]);
      expect(await store.drop(L)).toBeUndefined();
      expect(await store.drop(L)).toBeUndefined();
      expect(await store.lists()).toEqual([]);
      expect(await made(store)).toMatchObject({ id: '1' });
    });
  });
};
