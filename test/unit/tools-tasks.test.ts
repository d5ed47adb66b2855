import { expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { openDesk, state } from './team-desk.ts';

const me = state('me');
const child = state('kid', {
  parent: 'me' as SessionId,
  agent: { type: 'general-purpose', name: 'kid' },
  taskList: 'me',
});

it('a task is created, begun, completed; each result is one JSON object', async () => {
  const desk = openDesk();
  expect(
    await desk.json(
      'TaskCreateTool',
      { subject: 'Fix it', description: 'All', activeForm: 'Fixing it', metadata: { a: 1 } },
      me,
    ),
  ).toEqual({ task: { id: '1', subject: 'Fix it' } });
  expect(await desk.json('TaskUpdateTool', { taskId: '1', status: 'in_progress' }, me)).toEqual({
    success: true,
    taskId: '1',
    updatedFields: ['status', 'owner'],
    statusChange: { from: 'pending', to: 'in_progress' },
  });
  expect(await desk.json('TaskGetTool', { taskId: '1' }, me)).toEqual({
    task: {
      id: '1',
      subject: 'Fix it',
      description: 'All',
      activeForm: 'Fixing it',
      status: 'in_progress',
      owner: 'main',
      blocks: [],
      blockedBy: [],
      metadata: { a: 1 },
    },
  });
  expect(await desk.json('TaskUpdateTool', { taskId: '1', status: 'completed' }, me)).toMatchObject({
    statusChange: { to: 'completed' },
  });
  expect(await desk.json('TaskListTool', {}, me)).toEqual({
    tasks: [{ id: '1', subject: 'Fix it', status: 'completed', owner: 'main', blocks: [], blockedBy: [] }],
  });
});

it.each<[string, unknown, RegExp]>([
  ['TaskCreateTool', { subject: 'x' }, /needs "description"/],
  ['TaskCreateTool', { description: 'x' }, /needs "subject"/],
  ['TaskCreateTool', { subject: '', description: 'x' }, /"subject"/],
  ['TaskCreateTool', { subject: ' ', description: 'x' }, /"subject"/],
  [
    'TaskCreateTool',
    JSON.parse('{"subject": "x", "description": "x", "metadata": {"__proto__": 1}}'),
    /"__proto__" cannot be/,
  ],
  ['TaskCreateTool', { subject: 'x', description: 'y', metadata: [1] }, /"metadata"/],
  ['TaskUpdateTool', { status: 'completed' }, /needs "taskId"/],
  [
    'TaskUpdateTool',
    { taskId: '1', status: 'cancelled' },
    /"pending", "in_progress", "completed", "deleted"/,
  ],
  ['TaskUpdateTool', { taskId: '1', addBlocks: '2' }, /a list/],
  ['TaskUpdateTool', { taskId: '99', subject: 'x' }, /no task "99".*TaskListTool/],
  ['TaskUpdateTool', { taskId: '1', addBlockedBy: ['99'] }, /no task "99"/],
  ['TaskUpdateTool', { taskId: '1', addBlocks: ['1'] }, /cannot block itself/],
  ['TaskGetTool', { taskId: '99' }, /no task "99"/],
  ['TaskGetTool', {}, /needs "taskId"/],
])('%s %j is refused in a sentence', async (name, input, said) => {
  const desk = openDesk();
  await desk.json('TaskCreateTool', { subject: 'x', description: 'y' }, me);
  expect(await desk.wrong(name, input, me)).toMatch(said);
  expect((await desk.json('TaskListTool', {}, me)).tasks).toHaveLength(1);
});

it.each([
  ['metadata as text', { taskId: '1', metadata: '{"a": 1}' }, ['metadata']],
  ['other spellings', { id: '1', active_form: 'Doing' }, ['activeForm']],
  ['a list as text', { taskId: '1', addBlocks: '["2"]' }, ['blocks']],
])('%s is understood', async (_, input, fields) => {
  const desk = openDesk();
  for (const subject of ['a', 'b']) await desk.json('TaskCreateTool', { subject, description: 'd' }, me);
  expect(await desk.json('TaskUpdateTool', input, me)).toMatchObject({ updatedFields: fields });
});

it('what a child works on is taken over by its lead with force alone', async () => {
  const desk = openDesk();
  await desk.json('TaskCreateTool', { subject: 'a', description: 'd' }, me);
  await desk.json('TaskUpdateTool', { taskId: '1', status: 'in_progress' }, child);
  expect(await desk.wrong('TaskUpdateTool', { taskId: '1', status: 'in_progress' }, me)).toMatch(
    /in progress under kid.*force: true/,
  );
  expect(
    await desk.json('TaskUpdateTool', { taskId: '1', status: 'in_progress', force: true }, me),
  ).toMatchObject({ updatedFields: ['owner'] });
  expect(
    await desk.wrong('TaskUpdateTool', { taskId: '1', status: 'in_progress', force: true }, child),
  ).toMatch(/under main/);
});

it('a deleted task says so, and its id is not given again', async () => {
  const desk = openDesk();
  await desk.json('TaskCreateTool', { subject: 'a', description: 'd' }, me);
  expect(await desk.json('TaskUpdateTool', { taskId: '1', status: 'deleted' }, me)).toMatchObject({
    statusChange: { from: 'pending', to: 'deleted' },
  });
  expect(await desk.wrong('TaskGetTool', { taskId: '1' }, me)).toMatch(/was deleted/);
  expect(await desk.json('TaskCreateTool', { subject: 'b', description: 'd' }, me)).toEqual({
    task: { id: '2', subject: 'b' },
  });
});

it('a hook can forbid that a task begins to exist, and that it is complete', async () => {
  const desk = openDesk({
    forbids: {
      TaskCreated: (subject) => (subject === 'bad' ? 'no bad tasks' : undefined),
      TaskCompleted: (subject) => (subject === 'slow' ? 'tests are red' : undefined),
    },
  });
  expect(await desk.wrong('TaskCreateTool', { subject: 'bad', description: 'd' }, me)).toMatch(
    /not created: no bad tasks/,
  );
  expect(await desk.json('TaskListTool', {}, me)).toEqual({ tasks: [] });
  expect(await desk.json('TaskCreateTool', { subject: 'slow', description: 'd' }, me)).toEqual({
    task: { id: '2', subject: 'slow' },
  });
  expect(await desk.wrong('TaskUpdateTool', { taskId: '2', status: 'completed', subject: 'x' }, me)).toMatch(
    /nothing was changed: tests are red/,
  );
  expect((await desk.json('TaskListTool', {}, me)).tasks).toMatchObject([
    { status: 'pending', subject: 'slow' },
  ]);
});
