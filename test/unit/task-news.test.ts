import { expect, it } from 'vitest';
import { taskNews } from '../../src/app/task-news.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { TaskActor, TaskStore } from '../../src/contract/task.ts';
import { memoryShelf } from '../../src/store/task-memory.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { state } from './team-desk.ts';

const L = 'list';
const me = { name: 'main', session: 'me' as SessionId, role: 'lead' } as const;
const bob = { name: 'bob', session: 'bob' as SessionId, role: 'lead' } as const;
const person = { name: 'person', role: 'person' } as const;

const open = async () => {
  const store = taskStore(memoryShelf());
  const { tasks, since } = taskNews(store);
  await store.create(L, { subject: 'Fix it', description: 'D' });
  return { store, tasks, news: async () => await since(state('me')) };
};

it.each<[string, (store: TaskStore) => Promise<object>, RegExp]>([
  ['cancelled by a person', (store) => store.cancel(L, '1', person), /was cancelled by the user/],
  ['deleted', (store) => store.update(L, '1', { status: 'deleted' }, bob, { force: true }), /was deleted/],
  [
    'taken over',
    (store) => store.update(L, '1', { owner: 'bob', status: 'in_progress' }, bob, { force: true }),
    /taken over by bob/,
  ],
  [
    'completed',
    (store) => store.update(L, '1', { status: 'completed' }, bob, { force: true }),
    /set to completed by somebody/,
  ],
  [
    'set back',
    (store) => store.update(L, '1', { status: 'pending' }, bob, { force: true }),
    /is pending again/,
  ],
])('whoever works on a task is told once when it is %s', async (_, happens, said) => {
  const { store, tasks, news } = await open();
  await tasks.claim(L, '1', me);
  expect(await news()).toEqual([]);
  await happens(store);
  expect(await news()).toEqual([expect.stringMatching(said)]);
  expect(await news()).toEqual([]);
});

it.each<[string, (tasks: TaskStore, by: TaskActor) => Promise<unknown>]>([
  ['completed', (tasks) => tasks.update(L, '1', { status: 'completed' }, me)],
  ['deleted', (tasks) => tasks.update(L, '1', { status: 'deleted' }, me)],
  ['given back', (tasks) => tasks.release(L, me, 'stopped')],
  [
    'completed by the one it was started for',
    async (tasks) => {
      await tasks.update(L, '1', { status: 'in_progress', owner: 'ann' }, me);
      await tasks.complete(L, '1', { name: 'ann', session: 'ann' as SessionId, role: 'agent' });
    },
  ],
])('nothing is said of what a session did itself: %s', async (_, does) => {
  const { tasks, news } = await open();
  await tasks.claimNext(L, me);
  await does(tasks, me);
  expect(await news()).toEqual([]);
});
