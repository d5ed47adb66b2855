/** Teams outlive their lead: what members do meanwhile, and who may take the team over or away. */
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isLead, isMate, killedLead, memberOf, startMate } from '../support/crew.ts';
import { leftovers } from '../support/processes.ts';
import type { Received } from '../support/received.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { jsonLines } from '../support/run-binary.ts';
import { entriesOf, type Scene, scene, until } from '../support/scene.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000 });

const SESSION = '11111111-2222-4333-8444-555555555555';
const OTHER = '22222222-2222-4333-8444-555555555555';
const PROCESS = ['--teammate-mode', 'process'] as const;
const inboxOf = (on: Scene, name: string): string => {
  const path = join(on.repo.state, 'teams', 'crew', 'inboxes', `${name}.jsonl`);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const tasks = async (on: Scene) =>
  JSON.parse((await on.run(['tasks', '--list', 'crew', '--json'])).stdout).tasks.map(
    (task: { status: string; owner?: string }) => [task.status, task.owner],
  );
const annRests = (on: Scene) => () => until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle');
/** Completes what it was last given; else says that it is there. */
const diligent = ({ prompt, results }: Received) => {
  const given = [...prompt.matchAll(/[Tt]ask (\d+) (?:of the shared list|\()/g)].map(([, id]) => id);
  return results.length === 0 && given.length > 0
    ? given.map((taskId) => use('TaskUpdateTool', { taskId, status: 'completed' }))
    : say('Done.');
};

it('a lead killed in mid-team, with one member beside it and one apart, comes back and the team finishes', async () => {
  await using on = await scene();
  const [mayWrite, held] = [gate(), gate()];
  on.server.lane(isLead, [use('TeamCreateTool', { team_name: 'crew' })], [startMate('ann')], say('Started.'));
  on.server.lane(isMate('ann'), say('Ready.'));
  on.server.always(isLead, say('I see.'));
  expect(await on.ask('Lead a team.', '--session-id', SESSION)).toMatchObject({ code: 0 });

  const inTheMiddle = () => on.server.requests.filter(({ prompt }) => prompt.includes('is yours now'));
  const both = gate();
  on.server.lane(
    isLead,
    [1, 2, 3].map((n) => use('TaskCreateTool', { subject: `Job ${n}`, description: `Do job ${n}` })),
    // Ann has taken the first before Bob is there.
    async () => {
      await until('ann to work', () => inTheMiddle().length === 1);
      return [startMate('bob')];
    },
    say('They are at it.'),
  );
  on.server.lane(isMate('ann'), pauseAfter(say('Working on it'), 2, held));
  on.server.lane(
    isMate('bob'),
    say('Ready.'),
    async () => {
      both.open();
      await mayWrite.opened;
      return [
        use('SendMessageTool', { to: 'team-lead', message: 'Half of it.', summary: 'how far the job is' }),
      ];
    },
    async () => {
      await held.opened;
      return [use('TaskUpdateTool', { taskId: '2', status: 'completed' })];
    },
  );
  const first = on.start(['-p', 'Go on.', '--resume', SESSION, ...PROCESS]);
  first.endInput();
  await both.opened;
  const bob = memberOf(on.repo, 'bob')?.runs?.pid;
  first.kill('SIGKILL');
  await first.ended;
  mayWrite.open();
  await until('the message', () => inboxOf(on, 'team-lead').includes('Half of it.'));

  expect(await tasks(on)).toEqual([
    ['pending', undefined],
    ['in_progress', 'bob'],
    ['pending', undefined],
  ]);
  const [team] = JSON.parse((await on.run(['team', '--json'])).stdout);
  expect(team.lead.alive).toBe(false);
  expect(team.members.map((one: { name: string; running: boolean }) => [one.name, one.running])).toEqual([
    ['team-lead', false],
    ['ann', false],
    ['bob', true],
  ]);

  for (const name of ['ann', 'bob']) on.server.always(isMate(name), diligent);
  // The lead that comes back is told of both, and does not go before Bob has written.
  on.server.lane(isLead, async () => {
    held.open();
    await until('all of it', () => on.server.requests.some(({ raw }) => raw.includes('"taskId\\":\\"3')));
    return say('Good.');
  });
  expect(await on.run(['-p', 'And now?', '--resume', SESSION])).toMatchObject({ code: 0, stderr: '' });
  await expect
    .poll(() => tasks(on), { timeout: 20_000 })
    .toEqual([
      ['completed', 'ann'],
      ['completed', 'bob'],
      ['completed', expect.stringMatching(/ann|bob/)],
    ]);
  expect(memberOf(on.repo, 'bob')?.runs?.pid).toBe(bob);
  const path = on.transcripts().find((one) => one.endsWith(`${SESSION}.jsonl`)) ?? '';
  const heard = JSON.stringify(entriesOf(path)).match(/<teammate-message[^>]*>\\nHalf of it\./g);
  expect(heard).toHaveLength(1);
  const mail = jsonLines((await on.run(['team', 'log', 'crew', '--json'])).stdout).filter(
    ({ type, protocol }) => type === 'message' && protocol === undefined,
  );
  expect(mail).toMatchObject([
    { from: 'bob', to: 'team-lead', state: 'read', summary: 'how far the job is' },
  ]);
  expect(on.server.violations).toEqual([]);
});

it('a team of a dead lead is deleted by force while a process of it works, and nothing is left', async () => {
  await using on = await scene();
  const held = gate();
  on.server.lane(isMate('ann'), say('Ready.'), pauseAfter(say('Working on it'), 2, held));
  await killedLead(
    on,
    ['ann'],
    () =>
      until('ann to work', () => on.server.requests.some(({ prompt }) => prompt.includes('is yours now'))),
    {
      before: [use('TaskCreateTool', { subject: 'Job', description: 'D' })],
      flags: ['--session-id', SESSION],
    },
  );
  expect(await on.run(['team', 'delete', 'crew'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/1 active member\(s\): ann/),
  });
  expect(await on.run(['team', 'delete', 'crew', '--force'])).toMatchObject({ code: 0 });
  expect(await leftovers(on.repo.tag)).toEqual([]);
  for (const folder of ['teams', 'tasks']) expect(readdirSync(join(on.repo.state, folder))).toEqual([]);
  // Its lead comes back to its own list, and may have a team of that name again.
  on.server.lane(isLead, [use('TeamCreateTool', { team_name: 'crew' })], say('Again.'));
  const again = await on.run(['-p', 'Once more.', '--resume', SESSION]);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/not yours any more/) });
  expect(existsSync(join(on.repo.state, 'teams', 'crew', 'config.json'))).toBe(true);
  expect(await leftovers(on.repo.tag)).toEqual([]);
  expect(on.server.violations).toEqual([]);
});

it('a teammate whose team is gone from the disk ends by itself', async () => {
  await using on = await scene();
  on.server.always(isMate('ann'), say('Ready.'));
  await killedLead(on, ['ann'], annRests(on));
  renameSync(join(on.repo.state, 'teams', 'crew'), join(on.repo.root, 'gone'));
  expect(await leftovers(on.repo.tag, 15_000)).toEqual([]);
  expect(existsSync(join(on.repo.state, 'teams', 'crew'))).toBe(false);
});

it('another conversation adopts the team of a dead lead: its members, tasks and mail', async () => {
  await using on = await scene();
  on.server.always(isMate('ann'), diligent);
  await killedLead(on, ['ann'], annRests(on), { flags: ['--session-id', SESSION] });
  const pid = memberOf(on.repo, 'ann')?.runs?.pid;
  on.server.script(say('Hello.'));
  expect(await on.run(['-p', 'Something else.', '--session-id', OTHER])).toMatchObject({ code: 0 });
  expect(await on.run(['team', 'adopt', 'crew', '--session', OTHER])).toMatchObject({ code: 0 });
  on.server.script(
    [
      use('TaskCreateTool', { subject: 'Job', description: 'D' }),
      use('SendMessageTool', { to: 'ann', message: 'I lead now.', summary: 'who leads the team now' }),
    ],
    say('Told.'),
    say('I hear.'),
    say('I hear.'),
    say('I hear.'),
  );
  expect(await on.run(['-p', 'Take over.', '--resume', OTHER])).toMatchObject({ code: 0 });
  await expect.poll(() => tasks(on), { timeout: 20_000 }).toEqual([['completed', 'ann']]);
  await until('the words', () =>
    on.server.requests.some((one) => isMate('ann')(one) && one.raw.includes('I lead now.')),
  );
  expect(memberOf(on.repo, 'ann')?.runs?.pid).toBe(pid);
  expect(await on.run(['-p', 'Mine?', '--resume', SESSION])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/not yours any more/),
  });
});

describe('members in processes of their own, and a lead without a person', () => {
  it('it waits for their work, takes them along when it ends, and has them back when it comes back', async () => {
    await using on = await scene();
    on.server.lane(
      isLead,
      [use('TeamCreateTool', { team_name: 'crew' })],
      [startMate('ann')],
      say('Started.'),
    );
    on.server.always(isLead, say('I see.'));
    on.server.lane(isMate('ann'), [use('TaskListTool', {})], say('Ready.'));
    on.server.always(isMate('ann'), say('Noted.'));
    const flags = ['--session-id', SESSION, ...PROCESS];
    expect(await on.ask('Lead a team.', ...flags)).toMatchObject({ code: 0, stderr: '' });
    expect(await leftovers(on.repo.tag, 0)).toEqual([]);
    expect(on.server.requests.filter(isMate('ann'))).toHaveLength(2);
    const rested = memberOf(on.repo, 'ann');
    expect(rested).toMatchObject({ state: 'idle' });

    const word = { to: 'ann', message: 'A word.', summary: 'a word to think of' };
    on.server.lane(isLead, [use('SendMessageTool', word)]);
    expect(await on.ask('Go on.', '--resume', SESSION)).toMatchObject({ code: 0, stderr: '' });
    expect(on.server.requests.filter(isMate('ann')).at(-1)?.raw).toContain('A word.');
    expect(memberOf(on.repo, 'ann')).toMatchObject({ state: 'idle', session: rested?.session });
    expect(memberOf(on.repo, 'ann')?.runs?.pid).not.toBe(rested?.runs?.pid);
    expect(await leftovers(on.repo.tag, 0)).toEqual([]);
    expect(on.server.violations).toEqual([]);
  });

  it('one that works while its lead is told to end ends too, and goes on with its task when the lead is back', async () => {
    await using on = await scene();
    const [held, begun] = [gate(), gate()];
    on.server.lane(
      isLead,
      [
        use('TeamCreateTool', { team_name: 'crew' }),
        use('TaskCreateTool', { subject: 'Job', description: 'D' }),
      ],
      [startMate('ann')],
      say('Started.'),
    );
    on.server.always(isLead, say('I see.'));
    on.server.lane(isMate('ann'), say('Ready.'), async () => {
      begun.open();
      await held.opened;
      return say('Nobody hears this.');
    });
    const lead = on.start(['-p', 'Lead a team.', '--session-id', SESSION, ...PROCESS]);
    lead.endInput();
    await begun.opened;
    lead.kill('SIGTERM');
    expect(await lead.ended).toMatchObject({ code: 143 });
    expect(await leftovers(on.repo.tag, 0)).toEqual([]);
    held.open();
    expect(await tasks(on)).toEqual([['pending', undefined]]);
    on.server.always(isMate('ann'), ({ raw, results }: Received) =>
      raw.includes('The program was restarted') && results.length === 0
        ? [use('TaskUpdateTool', { taskId: '1', status: 'completed' })]
        : say('Done.'),
    );
    expect(await on.ask('Go on.', '--resume', SESSION)).toMatchObject({ code: 0 });
    expect(await tasks(on)).toEqual([['completed', 'ann']]);
    expect(on.server.violations).toEqual([]);
  });

  it('one whose lead was killed ends by itself once nothing is left to do for a while, and comes back with it', async () => {
    await using on = await scene([], { env: { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '1500' } });
    on.server.always(isMate('ann'), say('Ready.'));
    await killedLead(on, ['ann'], annRests(on), { flags: ['--session-id', SESSION] });
    expect(await leftovers(on.repo.tag, 20_000)).toEqual([]);
    expect(memberOf(on.repo, 'ann')).toMatchObject({ state: 'idle' });
    const word = { to: 'ann', message: 'A word.', summary: 'a word to think of' };
    on.server.lane(isLead, [use('SendMessageTool', word)]);
    on.server.always(isLead, say('I see.'));
    expect(await on.ask('Go on.', '--resume', SESSION)).toMatchObject({ code: 0 });
    await until('the word', () =>
      on.server.requests.some((one) => isMate('ann')(one) && one.raw.includes('A word.')),
    );
    expect(on.server.violations).toEqual([]);
  });
});
