/** Ends of background agents are told exactly once, whenever the program is killed; counted in what the model was sent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Received } from '../support/received.ts';
import { type Gate, gate, reply, say, use } from '../support/replies.ts';
import { COPPICE } from '../support/run-binary.ts';
import { type Scene, scene, until } from '../support/scene.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const JOBS = ['one', 'two', 'three', 'four', 'five'];
const AWAY = ['four', 'five'];

const isChild = ({ system }: Received): boolean => system.includes('You are an agent of Coppice');
const start = (job: string, away: boolean) =>
  use('AgentTool', {
    prompt: `Do job ${job}.`,
    description: `Do job ${job}`,
    ...(away ? { run_in_background: true } : {}),
  });
/** How often a request tells of a job's end, and as what. */
const notices = (body: string, job: string): readonly string[] =>
  [...body.matchAll(/<summary>Do job (\w+): (\w+)<\/summary>/g)]
    .filter(([, name]) => name === job)
    .map(([, , status]) => status ?? '');
const parents = (on: Scene) => on.server.requests.filter((request) => !isChild(request));
const last = (on: Scene): string => JSON.stringify(parents(on).at(-1)?.body.messages);
const mailbox = (on: Scene): string => {
  const path = join(folder(on), SESSION, 'mailbox.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
/** Transcripts of its agents. */
const under = (on: Scene): readonly string[] =>
  on
    .transcripts()
    .filter((path) => path.includes('subagents'))
    .map((path) => readFileSync(path, 'utf8'));
const folder = (on: Scene): string =>
  join(on.repo.state, 'projects', on.repo.path.replace(/[^A-Za-z0-9]/g, '-'));
const answers = (on: Scene, hold?: Gate): void =>
  on.server.always(isChild, async (request) => {
    const [, job = ''] = /Do job (\w+)\./.exec(request.raw) ?? [];
    if (AWAY.includes(job)) await hold?.opened;
    return say(`Result of ${job}.`);
  });
/** Whatever the main conversation says when its script has run out. */
const afterwards = (on: Scene): void =>
  on.server.always((request) => !isChild(request) && on.server.remaining() === 0, say('Heard.'));
/** What a run after a kill must have come to. */
const toldOnce = (on: Scene, jobs: readonly string[], status = 'completed'): void => {
  const body = last(on);
  expect(jobs.map((job) => notices(body, job))).toEqual(jobs.map(() => [status]));
  for (const request of parents(on))
    for (const job of jobs) expect(notices(request.raw, job).length).toBeLessThanOrEqual(1);
  expect(on.server.violations).toEqual([]);
};
const begun = (on: Scene) => {
  const running = on.start(['-p', 'go', '--session-id', SESSION]);
  running.endInput();
  return running;
};

test('three agents side by side and two in the background: five results, two notices', async () => {
  const hold = gate();
  await using on = await scene();
  answers(on, hold);
  on.server.script(
    JOBS.map((job) => start(job, AWAY.includes(job))),
    () => {
      hold.open();
      return say('Three are done.');
    },
  );
  afterwards(on);
  const { code } = await on.ask('go', '--session-id', SESSION);
  expect(code).toBe(0);
  toldOnce(on, AWAY);
  const [, second] = parents(on);
  expect(second?.results.map(({ text }) => text.split('\n')[0])).toEqual([
    'Result of one.',
    'Result of two.',
    'Result of three.',
    expect.stringContaining('runs in the background'),
    expect.stringContaining('runs in the background'),
  ]);
  expect(on.server.requests.filter(isChild)).toHaveLength(5);
  // A later run is told nothing again.
  await on.ask('more', '--resume', SESSION);
  toldOnce(on, AWAY);
});

const HOOK = join('.coppice', 'settings.json');
const KILLING = JSON.stringify({
  hooks: { SubagentStop: [{ hooks: [{ type: 'command', command: 'kill -9 $PPID' }] }] },
});

test.each([
  ['before it could say that it ended', 'hook'],
  ['before the notice was written', 'mailbox'],
])(
  'killed after the last words of an agent, %s: completed, with its result',
  async (_what, where) => {
    await using on = await scene(
      [start('four', true), say('Going on.')],
      where === 'hook' ? { files: { [HOOK]: KILLING } } : {},
    );
    answers(on);
    const traced = ['-e', 'trace=write,pwrite64', '-e', 'inject=write,pwrite64:signal=KILL:when=2'];
    const box = join(folder(on), SESSION, 'mailbox.jsonl');
    const args = ['-p', 'go', '--session-id', SESSION, '--trust'];
    const killed =
      where === 'hook'
        ? await on.run(args)
        : await on.run(args, {
            command: [
              'strace',
              '-f',
              '-qq',
              '-o',
              '/dev/null',
              '-P',
              box,
              ...traced,
              process.execPath,
              COPPICE,
            ],
          });
    expect(killed.signal ?? killed.code).toBe('SIGKILL');
    expect(mailbox(on)).not.toContain('task-notification');
    if (where === 'hook') await on.repo.write(HOOK, '{}');
    afterwards(on);
    const { code } = await on.ask('What came of it?', '--resume', SESSION);
    expect(code).toBe(0);
    toldOnce(on, ['four']);
    expect(last(on)).toContain('Result of four.');
    const [, output = ''] = /<output-file>(.*?)</.exec(last(on)) ?? [];
    expect(readFileSync(output, 'utf8')).toBe('Result of four.');
    await on.ask('And now?', '--resume', SESSION);
    toldOnce(on, ['four']);
  },
  60_000,
);

test('killed between the notices and the next request', async () => {
  const held = gate();
  await using on = await scene([
    AWAY.map((job) => start(job, true)),
    async () => {
      await held.opened;
      return say('Too late.');
    },
  ]);
  answers(on);
  const running = begun(on);
  await until('both notices', () => mailbox(on).split('<task-notification>').length === 3);
  running.kill('SIGKILL');
  await running.ended;
  expect(last(on)).not.toContain('task-notification');
  held.open();
  afterwards(on);
  await on.ask('What came of it?', '--resume', SESSION);
  toldOnce(on, AWAY);
});

test('killed while the request with the notice is answered', async () => {
  const held = gate();
  await using on = await scene([start('four', true), say('Going on.')]);
  answers(on);
  on.server.lane(
    (request) => !isChild(request) && notices(request.raw, 'four').length > 0,
    async () => {
      await held.opened;
      return say('Too late.');
    },
  );
  const running = begun(on);
  await until('the request', () => parents(on).some(({ raw }) => notices(raw, 'four').length > 0));
  running.kill('SIGKILL');
  await running.ended;
  held.open();
  afterwards(on);
  await on.ask('What came of it?', '--resume', SESSION);
  toldOnce(on, ['four']);
});

test('killed while they work: told as stopped, once, and a message lets one go on where it was', async () => {
  const hold = gate();
  await using on = await scene([AWAY.map((job) => start(job, true)), say('Going on.')]);
  on.server.lane(isChild, [say('Half of it.'), use('Glob', { pattern: '*' })]);
  answers(on, hold);
  const running = begun(on);
  await on.server.waitForRequests(5);
  running.kill('SIGKILL');
  await running.ended;
  hold.open();
  afterwards(on);
  await on.ask('What came of it?', '--resume', SESSION);
  toldOnce(on, AWAY, 'stopped');
  expect(last(on)).toContain('Half of it.');
  const [, id] = /<task-id>([\w-]+)<\/task-id>(?:(?!<task-id>)[\s\S])*?Half of it\./.exec(last(on)) ?? [];
  on.server.script(
    use('SendMessageTool', { to: id, message: 'Finish it now', summary: 'asks it to finish its job' }),
    say('Waiting.'),
  );
  await on.ask('Let it finish.', '--resume', SESSION);
  const child = on.server.requests.findLast(isChild);
  expect(child?.raw).toContain('Half of it.');
  expect(child?.raw).toContain('Finish it now');
  expect(AWAY.flatMap((job) => notices(last(on), job)).toSorted()).toEqual([
    'completed',
    'stopped',
    'stopped',
  ]);
});

test('killed after the last words of an agent that it waits for: the result is not lost', async () => {
  await using on = await scene([start('one', false)], { files: { [HOOK]: KILLING } });
  answers(on);
  await on.run(['-p', 'go', '--session-id', SESSION, '--trust']);
  await on.repo.write(HOOK, '{}');
  afterwards(on);
  await on.ask('What came of it?', '--resume', SESSION);
  expect(last(on)).toContain('had ended by then:\\n\\nResult of one.');
  expect(on.server.violations).toEqual([]);
});

test('killed while agents work that it waits for: the one that ended is heard, the other can go on', async () => {
  const hold = gate();
  await using on = await scene([[start('one', false), start('four', false)]]);
  answers(on, hold);
  const running = begun(on);
  await until('the result of one', () => under(on).some((text) => text.includes('"body":{"run"')));
  running.kill('SIGKILL');
  await running.ended;
  hold.open();
  afterwards(on);
  await on.ask('What came of it?', '--resume', SESSION);
  expect(last(on)).toContain('Result of one.');
  const [, id] =
    /was cut off\. To let it go on where it stopped, send it a message: SendMessageTool, to \\"([\w-]+)/.exec(
      last(on),
    ) ?? [];
  on.server.script(
    use('SendMessageTool', { to: id, message: 'Finish it now', summary: 'asks it to finish its job' }),
  );
  await on.ask('Let it finish.', '--resume', SESSION);
  toldOnce(on, ['four']);
});

test('a notice that comes with a compaction is told once, and the request stays the person’s', async () => {
  const hold = gate();
  await using on = await scene();
  const full = { usage: { input_tokens: 990_000, output_tokens: 10 } };
  on.server.lane(
    (request) => request.prompt.includes('Write a summary of this conversation'),
    say('A summary of all that was.'),
  );
  on.server.lane(isChild, async () => {
    await hold.opened;
    return say('Result of four.');
  });
  on.server.script(start('four', true), async () => {
    hold.open();
    await until('the notice', () => mailbox(on).includes('task-notification'));
    return reply(use('Glob', { pattern: '*.none' }), full);
  });
  afterwards(on);
  await on.ask('My great request', '--session-id', SESSION);
  expect(last(on)).toContain('A summary of all that was.');
  expect(last(on)).toContain('My great request');
  toldOnce(on, ['four']);
});
