import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice, startCoppice } from '../support/run-binary.ts';

const mate = (name: string) => (request: Received) =>
  request.raw.includes(`You are ${name}.`) && !request.raw.includes('Lead a team.');
const lead = (request: Received) => request.raw.includes('Lead a team.');
const SESSION = '11111111-2222-4333-8444-555555555555';

const start = (name: string) =>
  use('AgentTool', { prompt: `You are ${name}.`, description: `work as ${name}`, name, team_name: 'crew' });
const tasksOf = (place: TempRepo, ids: readonly string[]) =>
  ids.map((id) => JSON.parse(readFileSync(join(place.state, 'tasks', 'crew', `${id}.json`), 'utf8')));
/** Completes what it was last given; else says that it is there. */
const diligent = ({ prompt, results }: Received) => {
  const given = [...prompt.matchAll(/(?:Task|task) (\d+) (?:of the shared list|\()/g)].map(([, id]) => id);
  return results.length === 0 && given.length > 0
    ? given.map((taskId) => use('TaskUpdateTool', { taskId, status: 'completed' }))
    : say('Done.');
};

test('a lead killed in the middle comes back, and its team finishes with all tasks and mail', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const held = gate();
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [1, 2, 3].map((n) => use('TaskCreateTool', { subject: `Job ${n}`, description: `Do job ${n}` })),
    [start('ann'), start('bob')],
    say('They are at it.'),
  );
  // Each says that it is there, takes a task by itself, and is held in the middle of it.
  for (const name of ['ann', 'bob'])
    server.lane(mate(name), say('Ready.'), pauseAfter(say('Working on it'), 2, held));
  server.always(lead, say('I see.'));
  const first = startCoppice(place, ['-p', 'Lead a team.', '--session-id', SESSION]);
  first.endInput();
  const inTheMiddle = () => server.requests.filter(({ prompt }) => prompt.includes('is yours now')).length;
  await expect.poll(inTheMiddle, { timeout: 20_000 }).toBe(2);
  expect(tasksOf(place, ['1', '2']).map((task) => task.status)).toEqual(['in_progress', 'in_progress']);
  first.kill('SIGKILL');
  await first.ended;
  held.open();

  const listed = await runCoppice(place, ['tasks', '--list', 'crew', '--json']);
  expect(
    JSON.parse(listed.stdout).tasks.map((task: { status: string; note?: string }) => [
      task.status,
      task.note !== undefined,
    ]),
  ).toEqual([
    ['pending', true],
    ['pending', true],
    ['pending', false],
  ]);

  for (const name of ['ann', 'bob']) server.always(mate(name), diligent);
  const second = await runCoppice(place, ['-p', 'Go on.', '--resume', SESSION]);
  expect(second).toMatchObject({ code: 0 });
  expect(
    tasksOf(place, ['1', '2', '3']).map((task) => [task.status, ['ann', 'bob'].includes(task.owner)]),
  ).toEqual([
    ['completed', true],
    ['completed', true],
    ['completed', true],
  ]);
  const team = JSON.parse((await runCoppice(place, ['team', '--json'])).stdout);
  expect(team).toMatchObject([
    { name: 'crew', members: [{}, { name: 'ann', state: 'idle' }, { name: 'bob', state: 'idle' }] },
  ]);
  const log = (await runCoppice(place, ['team', 'log', '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(log.filter((line) => line.type === 'joined').map((line) => line.agent)).toEqual([
    'ann',
    'bob',
    'ann',
    'bob',
  ]);
  expect(log.map((line) => line.time)).toEqual(log.map((line) => line.time).toSorted());
  expect(await runCoppice(place, ['team', 'delete', 'crew'])).toMatchObject({ code: 0 });
  expect(existsSync(join(place.state, 'tasks', 'crew'))).toBe(false);
  expect(server.violations).toEqual([]);
}, 60_000);

test('with swarms off nothing of teams is offered, and a call says which switch it is', async () => {
  await using server = await modelServer([
    [
      use('TeamCreateTool', { team_name: 'crew' }),
      use('SendMessageTool', { to: 'x', message: 'y', summary: 'z' }),
      use('AgentTool', { prompt: 'p', description: 'd', name: 'ann' }),
    ],
    [use('TaskCreateTool', { subject: 'still', description: 'works' })],
    say('done'),
  ]);
  await using place = await tempRepo({ server, env: { COPPICE_AGENT_SWARMS: '0' } });
  expect(await runCoppice(place, ['-p', 'go'])).toMatchObject({ code: 0 });
  expect(server.requests[0]?.tools).not.toContain('TeamCreateTool');
  expect(server.requests[0]?.tools).not.toContain('SendMessageTool');
  expect(server.requests[1]?.results).toHaveLength(3);
  for (const { text, error } of server.requests[1]?.results ?? []) {
    expect(error).toBe(true);
    expect(text).toMatch(/agentSwarms/);
    expect(text).toMatch(/COPPICE_AGENT_SWARMS/);
  }
  expect(server.requests[2]?.results).toMatchObject([{ error: false }]);
});

test('teammates in processes of their own work a list for a lead without a person, get mail and shut down', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [1, 2].map((n) => use('TaskCreateTool', { subject: `Job ${n}`, description: `Do job ${n}` })),
    [start('ann'), start('bob')],
    say('They are at it.'),
  );
  for (const name of ['ann', 'bob']) server.always(mate(name), diligent);
  server.always(lead, say('I see.'));
  const args = ['--teammate-mode', 'process'];
  expect(await runCoppice(place, ['-p', 'Lead a team.', '--session-id', SESSION, ...args])).toMatchObject({
    code: 0,
  });
  expect(tasksOf(place, ['1', '2']).map((task) => task.status)).toEqual(['completed', 'completed']);
  const team = async () => JSON.parse((await runCoppice(place, ['team', '--json'])).stdout)[0];
  expect(
    (await team()).members.map((one: { state: string; running: boolean }) => [one.state, one.running]),
  ).toEqual([
    ['gone', false],
    ['idle', false],
    ['idle', false],
  ]);
  server.lane(
    lead,
    ['ann', 'bob'].map((to) => use('SendMessageTool', { to, message: { type: 'shutdown_request' } })),
    say('Asked.'),
  );
  for (const name of ['ann', 'bob'])
    server.lane(mate(name), ({ raw }: Received) => {
      const id = [...raw.matchAll(new RegExp(`shutdown-\\d+@${name}`, 'g'))].at(-1)?.[0];
      return [
        use('SendMessageTool', {
          to: 'team-lead',
          message: { type: 'shutdown_response', request_id: id, approve: true },
        }),
      ];
    });
  expect(await runCoppice(place, ['-p', 'Let them go.', '--resume', SESSION, ...args])).toMatchObject({
    code: 0,
  });
  expect((await team()).members.map((one: { state: string }) => one.state)).toEqual([
    'gone',
    'ended',
    'ended',
  ]);
  expect(server.violations).toEqual([]);
}, 90_000);
