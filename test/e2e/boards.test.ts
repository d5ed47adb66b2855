import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { fileTeamShelf } from '../../src/store/team-shelf.ts';
import { teamStore } from '../../src/store/teams.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice, startCoppice } from '../support/run-binary.ts';

const alice = { name: 'alice', session: 'a' as SessionId, role: 'agent' } as const;
const setUp = async () => {
  const place = await tempRepo();
  const tasks = taskStore(fileShelf(place.state));
  const teams = teamStore(fileTeamShelf(place.state), tasks);
  const lead = { session: 'lead-session' as SessionId, project: place.path, cwd: place.path };
  await teams.create({ name: 'crew', description: 'Works', lead });
  for (const n of [1, 2])
    await tasks.create('crew', { subject: `Job ${n}\u001b[31m`, description: 'D', metadata: { n } });
  await tasks.update('crew', '2', { addBlockedBy: ['1'] }, alice);
  await tasks.claim('crew', '1', alice);
  return {
    place,
    tasks,
    teams,
    run: (...args: string[]) => runCoppice(place, args),
    [Symbol.asyncDispose]: () => place.dispose(),
  };
};

test('tasks are listed, shown and cancelled from any shell', async () => {
  await using here = await setUp();
  const listed = await here.run('tasks', '--json');
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    list: 'crew',
    tasks: [
      {
        id: '1',
        status: 'in_progress',
        owner: 'alice',
        blocks: ['2'],
        blockedBy: [],
        metadata: { n: 1 },
        description: 'D',
      },
      { id: '2', status: 'pending', blocks: [], blockedBy: ['1'] },
    ],
  });
  for (const which of [
    ['--team', 'crew'],
    ['--list', 'crew'],
    ['--session', 'lead-session'],
  ])
    expect(JSON.parse((await here.run('tasks', 'list', '--json', ...which)).stdout).tasks).toHaveLength(2);
  const plain = await here.run('tasks');
  expect(plain.stdout).toBe('▸ 1 Job 1 (alice)\n· 2 Job 2 [after 1]\n');
  expect(JSON.parse((await here.run('tasks', 'show', '2', '--json')).stdout)).toMatchObject({ id: '2' });
  expect(JSON.parse((await here.run('tasks', 'cancel', '1', '--json')).stdout)).toMatchObject({
    status: 'cancelled',
  });
  expect(await here.tasks.get('crew', '1')).toMatchObject({ status: 'cancelled' });
  for (const args of [
    ['show', '99'],
    ['cancel', '99'],
    ['cancel', '1'],
    ['list', '--team', 'nobody'],
    ['list', '--session', 'nobody'],
    ['list', '--list', 'nobody'],
    ['show', '1', '--list', '../crew'],
    ['watch', '--list', 'x'.repeat(300)],
  ]) {
    const refused = await here.run('tasks', ...args);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^coppice: .+\n$/);
  }
}, 60_000);

test('wrong use is told from a refusal, and a file that cannot be read is named beside the others', async () => {
  await using here = await setUp();
  for (const args of [['--nonsense'], ['nonsense'], ['show'], ['show', '1', '2']])
    expect(await here.run('tasks', ...args)).toMatchObject({ code: 2, stdout: '' });
  await writeFile(join(here.place.state, 'tasks', 'crew', '2.json'), '{"id": "2",');
  const half = await here.run('tasks', '--json', '--list', 'crew');
  expect([half.code, JSON.parse(half.stdout)]).toMatchObject([
    0,
    { tasks: [{ id: '1' }], problems: [expect.stringMatching(/2\.json is not a readable task/)] },
  ]);
  expect(half.stderr).toContain('2.json is not a readable task');
}, 60_000);

test('a list can be followed', async () => {
  await using here = await setUp();
  await using watching = startCoppice(here.place, ['tasks', 'watch', '--json', '--list', 'crew']);
  await watching.waitFor('"in_progress"');
  await here.tasks.complete('crew', '1', alice);
  await watching.waitFor('"completed"');
  watching.kill('SIGINT');
  expect(await watching.ended).toMatchObject({ code: 0 });
});

test('no list is none, and not an error', async () => {
  await using place = await tempRepo();
  expect(await runCoppice(place, ['tasks', '--json'])).toMatchObject({
    code: 0,
    stdout: '{"list":null,"tasks":[]}\n',
  });
  expect(await runCoppice(place, ['team', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('a team is listed, and deleted or adopted once its lead is gone', async () => {
  await using here = await setUp();
  expect(JSON.parse((await here.run('team', 'list', '--json')).stdout)).toMatchObject([
    {
      name: 'crew',
      description: 'Works',
      lead: { session: 'lead-session', alive: true },
      members: [{ name: 'team-lead' }],
    },
  ]);
  for (const args of [
    ['delete', 'crew'],
    ['adopt', 'crew', '--session', 'other'],
    ['delete', 'nobody'],
  ])
    expect(await here.run('team', ...args)).toMatchObject({ code: 1, stdout: '' });
  const config = join(here.place.state, 'teams', 'crew', 'config.json');
  await writeFile(config, (await readFile(config, 'utf8')).replaceAll(/"start": "[^"]*"/g, '"start": "1"'));
  expect(await here.run('team', 'adopt', 'crew', '--session', 'other')).toMatchObject({ code: 0 });
  expect(await here.teams.ledBy('other' as SessionId)).toMatchObject({ name: 'crew' });
  const log = await here.run('team', 'log', 'crew', '--json');
  expect(
    log.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { team: 'crew', agent: 'team-lead', type: 'created' },
    { team: 'crew', agent: 'team-lead', type: 'adopted' },
  ]);
  expect(await here.run('team', 'delete', 'crew')).toMatchObject({ code: 0 });
  expect(await here.teams.list()).toEqual({ teams: [], problems: [] });
  expect(await here.run('tasks', '--list', 'crew', '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'coppice: There is no task list "crew". There are none.\n',
  });
});
