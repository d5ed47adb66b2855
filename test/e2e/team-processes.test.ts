/** Teammates in processes of their own: they ask where their lead sits, and are bound as if they ran beside it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { processStart } from '../../src/store/process-start.ts';
import { isLead, isMate, killedLead, memberOf, startMate } from '../support/crew.ts';
import { type Block, gate, reply, say, status, use } from '../support/replies.ts';
import { type Scene, scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000 });

const PROCESS = ['--teammate-mode', 'process'] as const;
const SESSION = '11111111-2222-4333-8444-555555555555';
const ann = isMate('ann');
const bash = (command: string) => use('Bash', { command });
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  await terminal.settle(30);
  terminal.key('enter');
};
/** A lead that creates a team and starts Ann; then it says `I see.` to all it hears. */
const withAnn = (on: Scene, more: object = {}): void => {
  on.server.lane(
    isLead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [startMate('ann', more)],
    say('Started.'),
  );
  on.server.always(isLead, say('I see.'));
};
const answersOf = (on: Scene) => on.server.requests.filter(ann).flatMap(({ results }) => results);
const annRests = (on: Scene) => () => until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle');
/** What has ended and was not collected yet lives no more. */
const isAlive = (pid: number | undefined): boolean => pid !== undefined && processStart(pid) !== undefined;

describe('a permission question of a teammate in a process of its own', () => {
  it('stands on the screen of its lead; a yes runs the call, a no with words goes back to it', async () => {
    await using on = await scene();
    withAnn(on);
    on.server.lane(ann, [bash('touch one.txt')], [bash('touch two.txt')], say('Finished.'));
    await using terminal = await on.screen(PROCESS);
    await submit(terminal, 'Lead a team.');
    await terminal.waitFor('touch one.txt');
    await terminal.waitFor('1. Yes');
    expect(terminal.text()).toContain('ann');
    terminal.key('1');
    await terminal.waitFor('touch two.txt');
    expect(existsSync(join(on.repo.path, 'one.txt'))).toBe(true);
    terminal.key('n');
    terminal.type('use mkdir instead');
    await terminal.waitFor('use mkdir instead');
    terminal.key('enter');
    await until('the refusal', () => answersOf(on).length === 2);
    expect(answersOf(on)).toMatchObject([
      { error: false },
      { error: true, text: 'The user refused this call and says: use mkdir instead' },
    ]);
    expect(existsSync(join(on.repo.path, 'two.txt'))).toBe(false);
  });

  it('waits while its lead is dead, and is put again to the one that comes back', async () => {
    await using on = await scene();
    withAnn(on);
    const held = gate();
    on.server.lane(
      ann,
      async () => {
        await held.opened;
        return [bash('touch one.txt')];
      },
      say('Finished.'),
    );
    await using first = await on.screen([...PROCESS, '--session-id', SESSION]);
    await submit(first, 'Lead a team.');
    await until('ann', () => on.server.requests.some(ann));
    first.kill('SIGKILL');
    await first.exit();
    held.open();
    const desk = join(on.repo.state, 'teams', 'crew', 'desk.jsonl');
    await until('the question', () => readFileSync(desk, 'utf8').includes('asked'));
    expect(isAlive(memberOf(on.repo, 'ann')?.runs?.pid)).toBe(true);
    expect(answersOf(on)).toEqual([]);
    await using second = await on.screen(['--resume', SESSION]);
    await second.waitFor('touch one.txt');
    await second.waitFor('1. Yes');
    second.key('1');
    await until('the answer', () => answersOf(on).length === 1);
    expect(answersOf(on)).toMatchObject([{ error: false }]);
    expect(existsSync(join(on.repo.path, 'one.txt'))).toBe(true);
    expect(on.server.violations).toEqual([]);
  });

  it('is refused with the reason where its lead runs without a person, and when that has ended', async () => {
    await using on = await scene();
    const held = gate();
    on.server.lane(
      ann,
      async () => {
        await held.opened;
        return [bash('touch one.txt')];
      },
      say('Finished.'),
    );
    await killedLead(on, ['ann'], () => until('ann', () => on.server.requests.some(ann)));
    held.open();
    await until('the refusal', () => answersOf(on).length === 1);
    expect(answersOf(on)[0]?.text).toMatch(/Nobody is there to allow this: the lead ran without a person/);
    expect(existsSync(join(on.repo.path, 'one.txt'))).toBe(false);
  });
});

it('its page is read along, stops it, lets it go on, and says so', async () => {
  await using on = await scene();
  withAnn(on);
  let replies = 0;
  on.server.always(ann, () => {
    replies += 1;
    return say(`Answer ${replies}.`);
  });
  await using terminal = await on.screen(PROCESS);
  const tell = async (text: string): Promise<void> => {
    terminal.type(text);
    await terminal.waitFor(`❯ ${text}▏`);
    terminal.key('enter');
  };
  await submit(terminal, 'Lead a team.');
  await terminal.waitFor(/◌ ann +idle/);
  terminal.key('down');
  await terminal.waitFor(/❯ ◌ ann/);
  terminal.key('enter');
  await terminal.waitFor('esc leaves');
  await terminal.waitFor('Answer 1.');
  await tell('are you there?');
  await terminal.waitFor('sent: it goes on');
  await terminal.waitFor('Answer 2.');
  terminal.key('ctrl+x');
  await terminal.waitFor('Stopped ann.');
  await terminal.waitFor(/^ ann {2}not running: what you type lets it go on/m);
  expect(memberOf(on.repo, 'ann')?.state).toBe('stopped');
  await tell('go on then');
  await terminal.waitFor('Answer 3.');
  await terminal.waitFor(/^ ann {2}idle/m);
  expect(terminal.screen().filter((line) => line.startsWith('❯ '))).toEqual([
    '❯ are you there?',
    '❯ go on then',
  ]);
  expect(on.server.violations).toEqual([]);
});

it('plan mode that is switched on at the lead binds the next call of a process', async () => {
  await using on = await scene();
  withAnn(on);
  const held = gate();
  const write = (file: string) => use('Write', { file_path: join(on.repo.path, file), content: 'x' });
  on.server.lane(
    ann,
    [write('before.txt')],
    async () => {
      await held.opened;
      return [write('after.txt')];
    },
    say('Finished.'),
  );
  await using terminal = await on.screen([...PROCESS, '--permission-mode', 'acceptEdits']);
  await submit(terminal, 'Lead a team.');
  await until('the first file', () => existsSync(join(on.repo.path, 'before.txt')));
  terminal.key('shift+tab');
  await terminal.waitFor('plan');
  held.open();
  await until('the second answer', () => answersOf(on).length === 2);
  expect(answersOf(on)).toMatchObject([{ error: false }, { error: true, text: /plan mode/i }]);
  expect(existsSync(join(on.repo.path, 'after.txt'))).toBe(false);
});

it('what the lead may not do on its command line, a process of its team may not do either', async () => {
  await using on = await scene();
  withAnn(on);
  on.server.lane(ann, [bash('touch one.txt')], say('Finished.'));
  const flags = ['--permission-mode', 'acceptEdits', '--disallowedTools', 'Bash(touch one.txt)'];
  expect(await on.ask('Lead a team.', ...PROCESS, ...flags)).toMatchObject({ code: 0 });
  await until('the refusal', () => answersOf(on).length === 1);
  expect(answersOf(on)).toMatchObject([{ error: true, text: /Bash\(touch one\.txt\)/ }]);
});

it('a member has one program: a second one started for it ends at once and changes nothing', async () => {
  await using on = await scene();
  on.server.always(ann, say('Ready.'));
  await killedLead(on, ['ann'], annRests(on));
  const before = memberOf(on.repo, 'ann');
  expect(await on.run(['--teammate', 'crew/ann'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`runs already, in process ${before?.runs?.pid}.`),
  });
  expect(memberOf(on.repo, 'ann')).toEqual(before);
});

it('a member whose process is gone is started once by the lead that comes back, however often it was to be woken', async () => {
  await using on = await scene();
  withAnn(on);
  on.server.always(ann, say('Ready.'));
  expect(await on.ask('Lead a team.', ...PROCESS, '--session-id', SESSION)).toMatchObject({ code: 0 });
  expect(isAlive(memberOf(on.repo, 'ann')?.runs?.pid)).toBe(false);
  const desk = join(on.repo.state, 'teams', 'crew', 'desk.jsonl');
  const wish = { run: 'earlier', pid: 1, start: '1', note: { type: 'wake', member: 'ann' } };
  const origin = { kind: 'system', about: 'desk' };
  const mail = { id: 'w', text: JSON.stringify(wish), origin, at: new Date().toISOString() };
  for (let times = 0; times < 30; times += 1) appendFileSync(desk, `${JSON.stringify({ mail })}\n`);
  const wave = { to: '*', message: 'Hello all.', summary: 'a word to all of you' };
  on.server.lane(isLead, [use('SendMessageTool', wave), use('SendMessageTool', wave)], say('Told.'));
  expect(await on.ask('Go on.', '--resume', SESSION)).toMatchObject({ code: 0 });
  await until('ann to hear', () =>
    on.server.requests.some((one) => ann(one) && one.raw.includes('Hello all.')),
  );
  const begun = readFileSync(desk, 'utf8').match(/"type\\":\\"began/g);
  expect(begun).toHaveLength(2);
  expect(
    readFileSync(join(on.repo.state, 'teams', 'crew', `${memberOf(on.repo, 'ann')?.session}.log`), 'utf8'),
  ).toBe('');
  expect(on.server.violations).toEqual([]);
});

it('a member that is stopped and written to at once ends, and goes on with the message', async () => {
  await using on = await scene();
  on.server.lane(isLead, [use('TeamCreateTool', { team_name: 'crew' })], [startMate('ann')], async () => {
    await until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle');
    return [
      use('TaskStopTool', { task_id: 'ann' }),
      use('SendMessageTool', { to: 'ann', message: 'A word.', summary: 'a word to think of' }),
    ];
  });
  on.server.always(isLead, say('I see.'));
  on.server.always(ann, say('Ready.'));
  expect(await on.ask('Lead a team.', ...PROCESS)).toMatchObject({ code: 0 });
  expect(on.server.requests.filter(ann).at(-1)?.prompt).toContain('A word.');
  expect(memberOf(on.repo, 'ann')?.state).toBe('idle');
  expect(on.server.violations).toEqual([]);
});

describe('what teammates in processes of their own use up', () => {
  it('counts for the session: a lead whose budget they used up parks', async () => {
    await using on = await scene();
    withAnn(on);
    on.server.lane(ann, reply(say('It was a lot of work.'), { usage: { input_tokens: 5000 } }));
    await using terminal = await on.screen([...PROCESS, '--max-tokens', '4000']);
    await submit(terminal, 'Lead a team.');
    await terminal.waitFor('A budget is used up');
    await terminal.waitFor('4000 tokens of the session');
    terminal.key('1');
    await terminal.waitFor('I see.');
    await submit(terminal, '/cost');
    await terminal.waitFor(/of which agents used \$0\.01\d/);
    expect(on.server.violations).toEqual([]);
  });

  it('parks them at the budget of their team, and the person is asked for more', async () => {
    await using on = await scene();
    withAnn(on);
    const heavy = (step: Block) => reply([step], { usage: { input_tokens: 5000 } });
    on.server.lane(ann, heavy(bash('true')), heavy(say('All of it.')));
    const limits = JSON.stringify({ limits: { team: { tokens: 4000 } } });
    await using terminal = await on.screen([
      ...PROCESS,
      '--settings',
      limits,
      '--allowedTools',
      'Bash(true)',
    ]);
    await submit(terminal, 'Lead a team.');
    await terminal.waitFor('A budget is used up');
    await terminal.waitFor('Reached the limit of 4000 tokens of the team crew');
    expect(answersOf(on)).toEqual([]);
    terminal.key('1');
    await until('ann to be idle', () => memberOf(on.repo, 'ann')?.state === 'idle');
    expect(answersOf(on)).toMatchObject([{ error: false }]);
    expect(on.server.violations).toEqual([]);
  });
});

it('a process that parked after a no goes on by itself when the person adds to the budget for another', async () => {
  await using on = await scene();
  const heavy = (step: Block) => reply([step], { usage: { input_tokens: 5000 } });
  const bob = isMate('bob');
  withAnn(on);
  on.server.lane(ann, heavy(bash('true')), say('All of it.'));
  on.server.lane(bob, say('Here.'));
  const limits = JSON.stringify({ limits: { team: { tokens: 4000 } } });
  const flags = [...PROCESS, '--settings', limits, '--allowedTools', 'Bash(true)'];
  await using terminal = await on.screen(flags);
  await submit(terminal, 'Lead a team.');
  await terminal.waitFor('Stop here');
  terminal.key('2');
  await until('ann to park', () => (memberOf(on.repo, 'ann')?.error ?? '').startsWith('Parked'));
  expect(on.server.requests.filter(ann)).toHaveLength(1);
  await terminal.waitFor('I see.');
  on.server.lane(isLead, [startMate('bob')]);
  await submit(terminal, 'Start another one.');
  await terminal.waitFor('Stop here');
  terminal.key('1');
  await until(
    'both to go on',
    () => on.server.requests.some(bob) && on.server.requests.filter(ann).length === 2,
  );
  expect(on.server.violations).toEqual([]);
});

it('when the service tells one process to wait, the others wait too, and the lead counts down', async () => {
  await using on = await scene();
  withAnn(on);
  const asked = gate();
  on.server.lane(ann, status(429, { retryAfter: 4 }), say('Finished.'));
  await using terminal = await on.screen(PROCESS);
  await submit(terminal, 'Lead a team.');
  await until('ann to be told', () => on.server.requests.some(ann));
  asked.open();
  await terminal.waitFor(/The service asked/i);
  await submit(terminal, 'And you?');
  await until('both to go on', () => on.server.requests.filter(ann).length === 2);
  const [first, second] = on.server.requests.filter(ann);
  const between = on.server.requests.filter(
    ({ time }) => time > (first?.time ?? 0) + 300 && time < (second?.time ?? 0) - 300,
  );
  expect(between.map(({ prompt }) => prompt)).toEqual([]);
});
