/** What a team's processes use up is counted once, in the transcript of their lead, whoever dies meanwhile. */
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isLead, isMate, memberOf, startMate } from '../support/crew.ts';
import type { Received } from '../support/received.ts';
import { reply, say, status, use } from '../support/replies.ts';
import { type Scene, scene, until, untilFile } from '../support/scene.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000 });

const PROCESS = ['--teammate-mode', 'process'] as const;
const SESSION = '11111111-2222-4333-8444-555555555555';
const OTHER = '22222222-2222-4333-8444-555555555555';
const ann = isMate('ann');
const price = { input: 1, output: 0, cacheWrite: 1, cacheRead: 1, window: 90_000_000 };
const settings = JSON.stringify({ modelTiers: { medium: 'house' }, prices: { house: price } });
const million = (block: Parameters<typeof reply>[0], count = 1) =>
  reply(block, { usage: { input_tokens: count * 1_000_000 } });

/** The lead's first run costs three dollars, and Ann's first answer two. */
const begin = async (on: Scene): Promise<void> => {
  on.server.lane(
    isLead,
    million([use('TeamCreateTool', { team_name: 'crew' })]),
    million([startMate('ann')]),
    million(say('Started.')),
  );
  on.server.always(isLead, say('I see.'));
  on.server.lane(ann, million(say('Ready.'), 2));
  on.server.always(ann, million(say('Noted.'), 2));
  const flags = [...PROCESS, '--session-id', SESSION, '--settings', settings, '--output-format', 'json'];
  const { total_cost_usd } = JSON.parse((await on.ask('Lead a team.', ...flags)).stdout);
  expect(total_cost_usd).toBeCloseTo(5, 2);
};
const goOn = async (on: Scene, session: string, ...flags: string[]) => {
  const ran = await on.ask(
    'Go on.',
    '--resume',
    session,
    '--settings',
    settings,
    ...flags,
    '--output-format',
    'json',
  );
  return JSON.parse(ran.stdout);
};
const word = use('SendMessageTool', { to: 'ann', message: 'A word.', summary: 'a word to all of you' });

it('the cost of a lead holds what its processes used, once, however often it dies and comes back', async () => {
  await using on = await scene();
  await begin(on);
  expect((await goOn(on, SESSION)).total_cost_usd).toBeCloseTo(5, 2);
  expect((await goOn(on, SESSION)).total_cost_usd).toBeCloseTo(5, 2);

  // Ann goes on working while her lead is dead.
  const asked = on.server.requests.filter(ann).length;
  on.server.lane(isLead, [word], async () => {
    await until('ann to answer', () => on.server.requests.filter(ann).length > asked);
    await until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle');
    return say('never heard');
  });
  const lead = on.start(['-p', 'Go on.', '--resume', SESSION, '--settings', settings, ...PROCESS]);
  lead.endInput();
  await until('ann to be asked', () => on.server.requests.filter(ann).length > asked);
  lead.kill('SIGKILL');
  await lead.ended;
  await until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle');
  expect((await goOn(on, SESSION)).total_cost_usd).toBeCloseTo(7, 2);
  expect((await goOn(on, SESSION)).total_cost_usd).toBeCloseTo(7, 2);
  expect(on.server.violations).toEqual([]);
});

it('a lead that comes back parks where all that was used reaches the limit, and not before', async () => {
  await using on = await scene();
  await begin(on);
  expect(await goOn(on, SESSION, '--max-budget-usd', '5.5')).toMatchObject({ subtype: 'success' });
  expect(await goOn(on, SESSION, '--max-budget-usd', '4.5')).toMatchObject({
    subtype: 'error_max_budget_usd',
    errors: [expect.stringContaining('Reached the budget of $4.5 of the session (used $5.0')],
  });
  const limits = JSON.stringify({ ...JSON.parse(settings), limits: { team: { usd: 1.5 } } });
  // The budget of a team binds its members: two of the five dollars were theirs.
  on.server.lane(isLead, [word]);
  const asked = on.server.requests.filter(ann).length;
  const ran = await on.ask('Go on.', '--resume', SESSION, '--settings', limits);
  expect(ran).toMatchObject({ code: 0 });
  await until('ann to park', () => (memberOf(on.repo, 'ann')?.error ?? '').includes('$1.5 of the team crew'));
  expect(on.server.requests.filter(ann)).toHaveLength(asked);
  expect(on.server.violations).toEqual([]);
});

it('who adopts a team does not pay for what was used before', async () => {
  await using on = await scene();
  await begin(on);
  on.server.script(million(say('Hello.')));
  const other = ['--session-id', OTHER, '--settings', settings];
  expect(await on.ask('Something else.', ...other)).toMatchObject({ code: 0 });
  expect(await on.run(['team', 'adopt', 'crew', '--session', OTHER])).toMatchObject({ code: 0 });
  on.server.script(say('I see.'), say('I see.'), say('I see.'));
  expect((await goOn(on, OTHER)).total_cost_usd).toBeCloseTo(1, 2);
});

it('a team that is made anew begins with a whole budget', async () => {
  await using on = await scene();
  const heavy = (block: Parameters<typeof reply>[0]) => reply(block, { usage: { input_tokens: 300 } });
  const team = [use('TeamCreateTool', { team_name: 'crew' })];
  on.server.lane(isLead, team, [startMate('ann')], say('Started.'), [use('TeamDeleteTool', {})], team, [
    startMate('bob'),
  ]);
  on.server.always(isLead, say('I see.'));
  on.server.lane(ann, heavy(say('Ready.')));
  on.server.lane(isMate('bob'), heavy(use('TaskListTool', {})), heavy(say('Ready.')));
  const limits = JSON.stringify({ limits: { team: { tokens: 500 } } });
  expect(await on.ask('Lead a team.', '--settings', limits)).toMatchObject({ code: 0 });
  expect(on.server.requests.filter(isMate('bob'))).toHaveLength(2);
  expect(on.server.violations).toEqual([]);
});

describe('one wait for everybody', () => {
  const isHook = ({ system }: Received) => system.includes('You decide for a hook');
  const hook = { matcher: 'TaskListTool', hooks: [{ type: 'prompt', prompt: 'Fine?' }] };
  const hooks = JSON.stringify({ hooks: { PreToolUse: [hook] } });
  const waitIsTold = (on: Scene) =>
    untilFile(join(on.repo.state, 'teams', 'crew', 'desk.jsonl'), '"type\\":\\"wait');

  it('when the service refuses a member’s process, what a hook of its lead asks waits too', async () => {
    await using on = await scene();
    on.server.lane(isLead, [use('TeamCreateTool', { team_name: 'crew' })], [startMate('ann')], async () => {
      await waitIsTold(on);
      return [use('TaskListTool', {})];
    });
    on.server.always(isLead, say('I see.'));
    on.server.lane(ann, status(429, { retryAfter: 3 }));
    on.server.always(ann, say('Ready.'));
    on.server.always(isHook, say('{"ok": true}'));
    expect(await on.ask('Lead a team.', ...PROCESS, '--settings', hooks)).toMatchObject({ code: 0 });
    await until('ann to be asked again', () => on.server.requests.filter(ann).length > 1);
    const [refused, again] = on.server.requests.filter(ann);
    const asked = on.server.requests.find(isHook);
    expect((asked?.time ?? 0) - (refused?.time ?? 0)).toBeGreaterThanOrEqual(2_900);
    expect((again?.time ?? 0) - (refused?.time ?? 0)).toBeGreaterThanOrEqual(2_900);
    expect(on.server.violations).toEqual([]);
  });

  it('when it refuses what a hook of the lead asks, the processes of its team wait too', async () => {
    await using on = await scene();
    on.server.lane(isLead, [use('TeamCreateTool', { team_name: 'crew' })], [startMate('ann')], async () => {
      await until('ann to begin', () => on.server.requests.some(ann));
      return [use('TaskListTool', {})];
    });
    on.server.always(isLead, say('I see.'));
    on.server.lane(isHook, status(429, { retryAfter: 3 }));
    on.server.always(isHook, say('{"ok": true}'));
    on.server.lane(ann, async () => {
      await waitIsTold(on);
      return [use('TaskGetTool', { taskId: '1' })];
    });
    on.server.always(ann, say('Ready.'));
    expect(await on.ask('Lead a team.', ...PROCESS, '--settings', hooks)).toMatchObject({ code: 0 });
    await until('ann to be asked again', () => on.server.requests.filter(ann).length > 1);
    const [refused, again] = on.server.requests.filter(isHook);
    const second = on.server.requests.filter(ann)[1];
    expect((again?.time ?? 0) - (refused?.time ?? 0)).toBeGreaterThanOrEqual(2_900);
    expect((second?.time ?? 0) - (refused?.time ?? 0)).toBeGreaterThanOrEqual(2_900);
    expect(on.server.violations).toEqual([]);
  });
});
