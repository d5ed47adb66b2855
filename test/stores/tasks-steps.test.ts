import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskPatch, TaskStore } from '../../src/contract/task.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { tempHome } from './entries.ts';
import { actor, made } from './tasks-conformance.ts';

const lead = actor('team-lead', 'lead');
const other = join(import.meta.dirname, 'task-once.ts');

/** A disk that does something before its step number `at`. */
const diskAt = (at: number, happens: () => void): { readonly disk: Disk; readonly steps: () => number } => {
  let steps = 0;
  const counted =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args): void => {
      steps += 1;
      if (steps >= at) happens();
      call(...args);
    };
  return {
    steps: () => steps,
    disk: {
      makeDir: counted(realDisk.makeDir),
      writeNew: counted(realDisk.writeNew),
      rename: counted(realDisk.rename),
      unlink: counted(realDisk.unlink),
      removeDir: counted(realDisk.removeDir),
    },
  };
};

/** Five tasks, 1 blocks 2 and 3. */
const setUp = async () => {
  const temp = await tempHome();
  const store = taskStore(fileShelf(temp.home, { staleMs: 20 }));
  for (let n = 0; n < 5; n += 1) await made(store);
  await store.update('list', '1', { addBlocks: ['2', '3'] }, lead);
  return { home: temp.home, store, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
};

const all = async (store: TaskStore) => {
  const listing = await store.list('list');
  if (!('tasks' in listing)) throw new Error(JSON.stringify(listing));
  expect(listing.problems).toEqual([]);
  return listing.tasks;
};

/** Both ends of every edge agree, and nothing is left of the change but what a process that lives on may still want. */
const sound = async (home: string, store: TaskStore) => {
  const tasks = await all(store);
  for (const task of tasks) {
    const blocked = tasks.filter((one) => one.blockedBy.includes(task.id)).map((one) => one.id);
    expect([task.id, [...task.blocks].sort()]).toEqual([task.id, blocked.sort()]);
  }
  expect(
    readdirSync(join(home, 'tasks', 'list')).filter(
      (name) => !/^(\d+\.json|\.highwatermark|\.own-.*)$/.test(name),
    ),
  ).toEqual([]);
  return tasks.map(({ id, subject, blocks, blockedBy }) => ({ id, subject, blocks, blockedBy }));
};

const changes: readonly (readonly [name: string, id: string, patch: TaskPatch])[] = [
  ['one file', '4', { subject: 'changed' }],
  ['edges over four files', '1', { subject: 'changed', addBlocks: ['4', '5'], addBlockedBy: [] }],
  ['a deletion with its edges', '1', { status: 'deleted' }],
];

describe('a process that dies at any step', () => {
  it.each(changes)('of a change of %s leaves all of it or nothing', async (_, id, patch) => {
    for (let at = 1, over = false; !over; at += 1) {
      await using here = await setUp();
      const before = await sound(here.home, here.store);
      let dead = false;
      const dying = diskAt(at, () => {
        dead = true;
        throw Object.assign(new Error('dead'), { code: 'EDEAD' });
      });
      const answer = await taskStore(fileShelf(here.home, { disk: dying.disk })).update(
        'list',
        id,
        patch,
        lead,
      );
      over = !dead;
      await here.store.update('list', '5', { metadata: { after: at } }, lead);
      const after = await sound(here.home, here.store);
      const done = JSON.stringify(after) !== JSON.stringify(before);
      if (over) expect(answer).toHaveProperty('fields');
      if (done) {
        if (patch.status === 'deleted') expect(after.map((task) => task.id)).toEqual(['2', '3', '4', '5']);
        else
          expect(after.find((task) => task.id === id)).toMatchObject({
            subject: 'changed',
            blocks: patch.addBlocks ? ['2', '3', '4', '5'] : [],
          });
      }
      expect(at).toBeLessThan(60);
    }
  });

  it('of a creation loses no task and gives no id twice', async () => {
    for (let at = 1, over = false; !over; at += 1) {
      await using here = await setUp();
      let dead = false;
      const dying = diskAt(at, () => {
        dead = true;
        throw Object.assign(new Error('dead'), { code: 'EDEAD' });
      });
      await taskStore(fileShelf(here.home, { disk: dying.disk })).create('list', {
        subject: 'new',
        description: 'D',
      });
      over = !dead;
      await made(here.store, 'next');
      const tasks = await sound(here.home, here.store);
      expect(new Set(tasks.map((task) => task.id)).size).toBe(tasks.length);
      expect(tasks.filter((task) => task.subject === 'next')).toHaveLength(1);
    }
  });
});

describe('a process that stands still at any step while another takes its lock over', () => {
  const standing = async (
    id: string,
    patch: TaskPatch,
    theirs: readonly [id: string, patch: TaskPatch],
    at: number,
  ) => {
    await using here = await setUp();
    let stood = false;
    const still = diskAt(at, () => {
      if (stood) return;
      stood = true;
      const ran = spawnSync(process.execPath, [other, here.home, theirs[0], JSON.stringify(theirs[1])], {
        encoding: 'utf8',
      });
      expect([ran.stderr.replace(/^.*Warning.*\n?.*\n?/m, ''), ran.stdout]).toEqual([
        '',
        expect.not.stringContaining('failed'),
      ]);
    });
    const store = taskStore(fileShelf(here.home, { disk: still.disk }));
    const answer = await store.update('list', id, patch, lead);
    return { answer, stood, tasks: await sound(here.home, here.store), all: await all(here.store) };
  };

  it.each([3, 4, 5])('loses no update of either (step %i)', async (at) => {
    const { answer, all: tasks } = await standing(
      '4',
      { metadata: { mine: 1 } },
      ['4', { metadata: { theirs: 1 } }],
      at,
    );
    expect(answer).toHaveProperty('fields');
    expect(tasks.find((task) => task.id === '4')).toMatchObject({
      metadata: { mine: 1, theirs: 1 },
      version: 3,
    });
  });

  it.each([6, 8, 10])('keeps a change over several files whole (step %i)', async (at) => {
    const { answer, all: tasks } = await standing(
      '1',
      { addBlocks: ['4', '5'] },
      ['4', { metadata: { theirs: 1 } }],
      at,
    );
    expect(answer).toHaveProperty('fields');
    expect(tasks.find((task) => task.id === '1')).toMatchObject({ blocks: ['2', '3', '4', '5'] });
    expect(tasks.find((task) => task.id === '4')).toMatchObject({
      metadata: { theirs: 1 },
      blockedBy: ['1'],
    });
  });
});
