/** Names and messages of a team that are none, through the built program: one clear error each, neighbours unharmed. */
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isLead, isMate, startMate } from '../support/crew.ts';
import { type Block, say, use } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 60_000 });

const SESSION = '11111111-2222-4333-8444-555555555555';
const LONG = 'x'.repeat(300);
const send = (to: string, message: string | object, summary?: string) =>
  use('SendMessageTool', { to, message, ...(summary ? { summary } : {}) });
const create = (team_name: string) => use('TeamCreateTool', { team_name });
const mate = (name: string) => startMate(name, { prompt: `You are nobody.` });

/** One call after another; what each was answered. */
const answers = async (on: Scene, calls: readonly Block[]) => {
  on.server.lane(isLead, ...calls.map((call) => [call]), say('Tried.'));
  on.server.always(isLead, say('I see.'));
  expect(await on.ask('Lead a team.', '--session-id', SESSION)).toMatchObject({ code: 0 });
  return on.server.requests.filter(isLead).flatMap(({ results }) => results);
};

it('names that are too long, paths, options, reserved or another spelling of one in use', async () => {
  await using on = await scene();
  on.server.always(isMate('zoe'), say('Ready.'));
  const cases: readonly (readonly [Block, RegExp])[] = [
    [create(LONG), /is 300 characters long; 64 is the most/],
    [create('../up'), /"\.\.\/up" cannot be the name of a team/],
    [create('--force'), /"--force" cannot be the name of a team/],
    [create(' '), /The team needs a name/],
    [create('Crew'), /"team_name":"Crew"/],
    [create('crew'), /TeamDeleteTool/],
    [mate(LONG), /is 300 characters long; 64 is the most/],
    [mate('../up'), /"\.\.\/up" cannot be the name of an agent/],
    [mate('--force'), /"--force" cannot be the name of an agent/],
    [mate('Team Lead'), /reserved/],
    [startMate('zo\u00eb', { prompt: 'You are zoe.' }), /runs in the background/],
    [mate('ZOE\u0308'), /in use/],
    [send('*', { type: 'shutdown_request' }), /one teammate at a time; nothing was sent/],
    [send('zo\u00eb', { type: 'hello' }), /"hello" is none/],
    [
      send('zo\u00eb', { type: 'plan_approval_response', request_id: 'plan-1', approve: true }),
      /Nobody sent a plan_approval_request with the id "plan-1"/,
    ],
    [
      send('zo\u00eb', { type: 'shutdown_response', request_id: 'shutdown-1', approve: true }),
      /goes from a teammate to team-lead; nothing was sent/,
    ],
    [send('zo\u00eb', 'no summary'), /needs a "summary"/],
    [
      send(LONG, 'hello', 'a word to somebody who is not'),
      /Nobody here is called "x{80}"; nothing was sent\. There are: zoë/,
    ],
    [send('../up', 'hello', 'a word to somebody who is not'), /Nobody here is called "\.\.\/up"/],
  ];
  const told = await answers(
    on,
    cases.map(([call]) => call),
  );
  expect(told).toHaveLength(cases.length);
  for (const [at, [call, words]] of cases.entries()) {
    const made = ['"team_name":"Crew"', 'runs in the background'].includes(words.source);
    expect([call, told[at]?.error, told[at]?.text]).toEqual([call, !made, expect.stringMatching(words)]);
    expect(told[at]?.text.split('\n').length).toBeLessThan(made ? 20 : 3);
  }
  expect(readdirSync(join(on.repo.state, 'teams'))).toEqual(['Crew']);
  expect(existsSync(join(on.repo.state, 'up'))).toBe(false);
  expect(readdirSync(join(on.repo.state, 'teams', 'Crew', 'inboxes')).toSorted()).toEqual([
    'team-lead.jsonl',
  ]);
  expect(on.server.violations).toEqual([]);
});

it('a team whose folder became a link is left alone by everybody, and said to be one', async () => {
  await using on = await scene();
  on.server.always(isMate('ann'), say('Ready.'));
  await answers(on, [create('crew'), startMate('ann')]);
  const [folder, elsewhere] = [join(on.repo.state, 'teams', 'crew'), join(on.repo.root, 'elsewhere')];
  renameSync(folder, elsewhere);
  symlinkSync(elsewhere, folder);
  const before = readdirSync(elsewhere, { recursive: true }).toSorted();
  for (const args of [
    ['log', 'crew'],
    ['delete', 'crew', '--force'],
    ['adopt', 'crew'],
  ])
    expect(await on.run(['team', ...args])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is a symbolic link'),
    });
  expect(await on.run(['team', 'list', '--json'])).toMatchObject({
    code: 0,
    stdout: '[]\n',
    stderr: expect.stringContaining('is a symbolic link'),
  });
  on.server.lane(isLead, [send('ann', 'hello', 'a word to ann again')], say('Tried.'));
  expect(await on.ask('Go on.', '--resume', SESSION)).toMatchObject({ code: 0 });
  const [told] = on.server.requests.findLast((one) => isLead(one) && one.results.length > 0)?.results ?? [];
  expect(told).toMatchObject({ error: true, text: expect.stringContaining('symbolic link') });
  expect(readdirSync(elsewhere, { recursive: true }).toSorted()).toEqual(before);
  expect(on.server.violations).toEqual([]);
});
