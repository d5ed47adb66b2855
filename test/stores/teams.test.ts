import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { TaskStore } from '../../src/contract/task.ts';
import type { TeamMember, TeamStore } from '../../src/contract/team.ts';
import { stampOf } from '../../src/store/stamp.ts';
import { fileShelf } from '../../src/store/task-files.ts';
import { memoryShelf } from '../../src/store/task-memory.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { fileTeamShelf, memoryTeamShelf } from '../../src/store/team-shelf.ts';
import { teamStore } from '../../src/store/teams.ts';
import { tempHome } from './entries.ts';

interface House extends AsyncDisposable {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  readonly home: string;
}
const onFiles = async (): Promise<House> => {
  const temp = await tempHome();
  const tasks = taskStore(fileShelf(temp.home));
  return {
    tasks,
    teams: teamStore(fileTeamShelf(temp.home), tasks),
    home: temp.home,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};
const inMemory = async (): Promise<House> => {
  const tasks = taskStore(memoryShelf());
  return {
    tasks,
    teams: teamStore(memoryTeamShelf(), tasks),
    home: '',
    [Symbol.asyncDispose]: async () => undefined,
  };
};
const lead = (session: string) => ({
  session: session as SessionId,
  project: '/p',
  cwd: '/p',
  agentType: 'orchestrator',
});
const member = (name: string, state: TeamMember['state'] = 'working') => ({
  name,
  state,
  session: `s-${name}` as SessionId,
  cwd: '/p',
  backendType: 'in-process' as const,
  agentType: 'general-purpose',
});
/** Another living process has the seat of a member. */
const seatInProcess = async (home: string, name: string, pid: number): Promise<void> => {
  const path = join(home, 'teams', 'crew', 'config.json');
  const team = JSON.parse(await readFile(path, 'utf8'));
  team.members.find((one: TeamMember) => one.name === name).runs = stampOf(pid);
  await writeFile(path, JSON.stringify(team));
};
/** Makes the lead's process (and its members') look dead. */
const bury = async (home: string, key: string): Promise<void> => {
  const path = join(home, 'teams', key, 'config.json');
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/"start": "[^"]*"/g, '"start": "1"'));
};

describe.each([
  ['files', onFiles],
  ['memory', inMemory],
])('teams on %s', (_, open) => {
  it('keeps name, purpose and lead, with a fresh task list', async () => {
    await using here = await open();
    const team = await here.teams.create({ name: 'Night Shift', description: 'To fix it', lead: lead('A') });
    expect(team).toMatchObject({
      name: 'Night Shift',
      key: 'Night-Shift',
      description: 'To fix it',
      leadAgentId: 'team-lead@Night-Shift',
      leadSessionId: 'A',
      taskList: 'Night-Shift',
      version: 1,
      members: [
        { agentId: 'team-lead@Night-Shift', name: 'team-lead', agentType: 'orchestrator', session: 'A' },
      ],
    });
    expect(await here.teams.ledBy('A' as SessionId)).toMatchObject({ name: 'Night Shift' });
    expect(await here.teams.ledBy('B' as SessionId)).toBeUndefined();
    for (const name of ['Night Shift', 'night shift', 'NIGHT-SHIFT'])
      expect(await here.teams.get(name)).toMatchObject({ key: 'Night-Shift' });
  });

  it('one team a lead; create, delete, create works', async () => {
    await using here = await open();
    await here.teams.create({ name: 'one', lead: lead('A') });
    expect(await here.teams.create({ name: 'two', lead: lead('A') })).toMatchObject({
      refused: expect.stringContaining('TeamDeleteTool'),
    });
    await here.tasks.create('one', { subject: 'S', description: 'D' });
    expect(await here.teams.drop('one', { session: 'A' as SessionId, force: false })).toMatchObject({
      name: 'one',
    });
    expect(await here.tasks.list('one')).toMatchObject({ tasks: [] });
    expect(await here.teams.list()).toEqual({ teams: [], problems: [] });
    expect(await here.teams.create({ name: 'one', lead: lead('A') })).toMatchObject({ taskList: 'one' });
    expect(await here.tasks.create('one', { subject: 'S', description: 'D' })).toMatchObject({ id: '1' });
  });

  it.each([
    '',
    ' ',
    '..',
    '../x',
    '/etc',
    'a/b',
    '--force',
    '-f',
    '.hidden',
    'a\nb',
    'a\u0000',
    '*',
    'x'.repeat(300),
    ' x',
  ])('cannot be called %j', async (name) => {
    await using here = await open();
    expect(await here.teams.create({ name, lead: lead('A') })).toMatchObject({ refused: expect.any(String) });
    expect(await here.teams.list()).toMatchObject({ teams: [] });
  });

  it.each([
    ['crew', 'Crew'],
    ['caf\u00e9', 'cafe\u0301'],
    ['a b', 'a-b'],
  ])('%j and %j are one name', async (first, second) => {
    await using here = await open();
    await here.teams.create({ name: first, lead: lead('A') });
    expect(await here.teams.create({ name: second, lead: lead('B') })).toMatchObject({
      refused: expect.stringContaining('already'),
    });
  });

  it('a list that has no team is somebody’s and stays', async () => {
    await using here = await open();
    await here.tasks.create('crew', { subject: 'mine', description: 'D' });
    const team = await here.teams.create({ name: 'crew', lead: lead('A') });
    expect(team).toMatchObject({ taskList: 'crew-2' });
    await here.teams.drop('crew', { session: 'A' as SessionId, force: false });
    expect(await here.tasks.list('crew')).toMatchObject({ tasks: [{ subject: 'mine' }] });
  });

  it.each(['team-lead', 'lead', 'main', 'Main', '*', '../x', '-x', ''])(
    'no member is called %j',
    async (name) => {
      await using here = await open();
      await here.teams.create({ name: 'crew', lead: lead('A') });
      expect(await here.teams.join('crew', member(name))).toMatchObject({ refused: expect.any(String) });
    },
  );

  it('a name in use is refused, one that is over is taken again', async () => {
    await using here = await open();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    expect(await here.teams.join('crew', member('ann'))).toMatchObject({
      inbox: 'teams/crew/inboxes/ann',
      from: 0,
    });
    const other = { ...member('Ann'), session: 'other' as SessionId };
    expect(await here.teams.join('crew', other)).toMatchObject({
      refused: expect.stringContaining('in use'),
    });
    await here.teams.receive('crew', 'ann', { delivered: 3 });
    await here.teams.note('crew', 'ann', { state: 'ended' });
    expect(await here.teams.join('crew', other)).toMatchObject({ from: 3 });
    expect(await here.teams.get('crew')).toMatchObject({
      members: [{ name: 'team-lead' }, { name: 'Ann', session: 'other' }],
    });
  });

  it('is not deleted while members work, naming them, unless forced', async () => {
    await using here = await open();
    const by = { session: 'A' as SessionId, force: false };
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await here.teams.join('crew', member('ann'));
    await here.teams.join('crew', member('bob'));
    await here.teams.join('crew', member('cy', 'idle'));
    expect(await here.teams.drop('crew', by)).toMatchObject({
      refused: expect.stringMatching(/2 active member\(s\): ann, bob\./),
    });
    await here.teams.note('crew', 'ann', { state: 'idle' });
    await here.teams.note('crew', 'bob', { state: 'failed', error: 'no credit' });
    expect(await here.teams.get('crew')).toMatchObject({
      members: [
        {},
        { name: 'ann', isActive: false },
        { name: 'bob', state: 'failed', error: 'no credit' },
        {},
      ],
    });
    await here.teams.join('crew', member('dan'));
    expect(await here.teams.drop('crew', { ...by, force: true })).toMatchObject({ name: 'crew' });
  });

  it('belongs to its lead while that lives', async () => {
    await using here = await open();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    for (const answer of [
      await here.teams.drop('crew', { force: false }),
      await here.teams.drop('crew', { session: 'B' as SessionId, force: false }),
      await here.teams.adopt('crew', lead('B')),
    ])
      expect(answer).toMatchObject({ refused: expect.stringContaining('running session') });
    expect(await here.teams.adopt('crew', lead('A'))).toMatchObject({ leadSessionId: 'A' });
    expect(await here.teams.drop('crew', { force: true })).toMatchObject({ name: 'crew' });
  });

  it('unknown teams are refused with the ones there are', async () => {
    await using here = await open();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    for (const answer of [
      await here.teams.get('nobody'),
      await here.teams.join('nobody', member('ann')),
      await here.teams.drop('nobody', { force: true }),
      await here.teams.adopt('nobody', lead('B')),
    ])
      expect(answer).toMatchObject({ refused: expect.stringMatching(/no team "nobody".*crew/) });
    expect(await here.teams.note('crew', 'nobody', { state: 'idle' })).toMatchObject({
      refused: expect.any(String),
    });
  });

  it('keeps receipts that only grow, and a log', async () => {
    await using here = await open();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await here.teams.receive('crew', 'ann', { delivered: 2 });
    await here.teams.receive('crew', 'ann', { read: 2 });
    await here.teams.receive('crew', 'ann', { delivered: 5 });
    await here.teams.receive('crew', 'ann', { delivered: 1 });
    expect(await here.teams.receipts('crew')).toEqual({ ann: { delivered: 5, read: 2 } });
    await here.teams.record('crew', { time: 't', agent: 'ann', type: 'said', text: 'x' });
    expect((await here.teams.events('crew')).map(({ agent, type }) => [agent, type])).toEqual([
      ['team-lead', 'created'],
      ['ann', 'said'],
    ]);
  });
});

describe('teams of the dead', () => {
  it('can be adopted, with members, tasks and mail', async () => {
    await using here = await onFiles();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await here.teams.join('crew', member('ann'));
    await bury(here.home, 'crew');
    const team = await here.teams.get('crew');
    if (!('members' in team)) throw new Error();
    expect([here.teams.isLed(team), team.members.map(here.teams.isRunning)]).toEqual([false, [false, false]]);
    expect(await here.teams.adopt('crew', lead('B'))).toMatchObject({
      leadSessionId: 'B',
      members: [{ name: 'team-lead', session: 'B' }, { name: 'ann' }],
    });
    expect(await here.teams.ledBy('A' as SessionId)).toBeUndefined();
  });

  it('can be deleted by anybody, whatever its members were doing', async () => {
    await using here = await onFiles();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await here.teams.join('crew', member('ann'));
    await bury(here.home, 'crew');
    expect(await here.teams.drop('crew', { force: false })).toMatchObject({ name: 'crew' });
    expect(await readdir(join(here.home, 'teams'))).toEqual([]);
  });

  it('a name that is taken by one says what to do', async () => {
    await using here = await onFiles();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await bury(here.home, 'crew');
    expect(await here.teams.create({ name: 'crew', lead: lead('B') })).toMatchObject({
      refused: expect.stringContaining('coppice team adopt crew'),
    });
  });
});

describe('team files', () => {
  it.each(['', '{', '[]', '{"name": "crew"}'])(
    'one that holds %j is one problem; the other teams are unharmed',
    async (text) => {
      await using here = await onFiles();
      await here.teams.create({ name: 'crew', lead: lead('A') });
      await here.teams.create({ name: 'other', lead: lead('B') });
      await writeFile(join(here.home, 'teams', 'crew', 'config.json'), text);
      expect(await here.teams.list()).toMatchObject({
        teams: [{ name: 'other' }],
        problems: [expect.stringContaining('crew')],
      });
      expect(await here.teams.get('crew')).toMatchObject({
        refused: expect.stringContaining('not a readable team file'),
      });
      expect(await here.teams.join('other', member('ann'))).toHaveProperty('team');
    },
  );

  it('a folder that became a link is left alone', async () => {
    await using here = await onFiles();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    const elsewhere = join(here.home, 'elsewhere');
    await rename(join(here.home, 'teams', 'crew'), elsewhere);
    await symlink(elsewhere, join(here.home, 'teams', 'crew'));
    expect((await here.teams.list()).problems).toEqual([expect.stringContaining('symbolic link')]);
    expect(await here.teams.drop('crew', { force: true })).toMatchObject({
      refused: expect.stringContaining('symbolic link'),
    });
    expect(await here.teams.create({ name: 'crew', lead: lead('B') })).toHaveProperty('refused');
    expect(await readdir(elsewhere)).toContain('config.json');
  });

  it('an empty folder of that name is not taken over', async () => {
    await using here = await onFiles();
    await mkdir(join(here.home, 'teams', 'crew'), { recursive: true });
    expect(await here.teams.create({ name: 'crew', lead: lead('A') })).toMatchObject({
      refused: expect.stringContaining('holds no readable team'),
    });
  });

  it('garbage in the logs is passed over', async () => {
    await using here = await onFiles();
    await here.teams.create({ name: 'crew', lead: lead('A') });
    await writeFile(
      join(here.home, 'teams', 'crew', 'receipts.jsonl'),
      'garbage\n[]\n{"member":"ann","delivered":2}\n{"mem',
    );
    await here.teams.receive('crew', 'ann', { delivered: 4 });
    expect(await here.teams.receipts('crew')).toEqual({ ann: { delivered: 4, read: 0 } });
  });

  it('two that are made at once by one lead are one', async () => {
    await using here = await onFiles();
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => here.teams.create({ name, lead: lead('A') })),
    );
    expect(made.filter((one) => 'key' in one)).toHaveLength(1);
    const joined = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        here.teams.join((made.find((one) => 'key' in one) as { key: string }).key, member(`m${n}`)),
      ),
    );
    expect(joined.filter((one) => 'team' in one)).toHaveLength(8);
    expect((await here.teams.list()).teams[0]?.members).toHaveLength(9);
  });
});

it('a member has one process: a second one is refused, naming the first, until that is gone', async () => {
  await using here = await onFiles();
  await here.teams.create({ name: 'crew', lead: lead('A') });
  await here.teams.join('crew', member('ann'));
  expect(await here.teams.join('crew', member('ann'))).toMatchObject({ inbox: 'teams/crew/inboxes/ann' });
  await seatInProcess(here.home, 'ann', process.ppid);
  expect(await here.teams.join('crew', member('ann'))).toEqual({
    refused: `"ann" of the team "crew" runs already, in process ${process.ppid}.`,
  });
  await here.teams.note('crew', 'ann', { state: 'stopped' });
  expect(await here.teams.join('crew', member('ann'))).toMatchObject({ inbox: 'teams/crew/inboxes/ann' });
});
