/** Streams that fail: refusals and overload, cuts in the middle of a call, silence. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cleanCloseBeforeStop,
  cutAfterBytes,
  cutAfterEvents,
  type MessageReply,
  overloaded,
  pingForever,
  reply,
  say,
  sseError,
  stallAfter,
  status,
  use,
} from '../support/replies.ts';
import { resultOf, scene } from '../support/scene.ts';

const BASH = ['--allowedTools', 'Bash', '--permission-mode', 'acceptEdits'];

test('F04: refusals and overload are waited out; the request stays the same and the command runs once', async () => {
  await using on = await scene([
    status(429, { retryAfter: 2 }),
    overloaded(),
    overloaded(),
    status(500),
    use('Bash', { command: 'echo x >> count.txt' }),
    say('done'),
  ]);
  const ran = await on.ask('count', '--output-format', 'stream-json', '--verbose', ...BASH);
  expect(resultOf(ran)).toMatchObject({ subtype: 'success', result: 'done' });
  expect(readFileSync(join(on.repo.path, 'count.txt'), 'utf8')).toBe('x\n');
  const tries = on.server.requests.slice(0, 5);
  expect(new Set(tries.map((one) => one.raw)).size).toBe(1);
  const gaps = tries.slice(1).map((one, at) => one.time - (tries[at]?.time ?? 0));
  expect(gaps[0]).toBeGreaterThanOrEqual(2000);
  expect(gaps[2]).toBeGreaterThan(900);
  expect(gaps[3]).toBeGreaterThan(1900);
  expect(ran.stdout).toContain('"subtype":"api_retry"');
  expect(await on.breaches({ kept: ['count', 'done'] })).toEqual([]);
});

test.each([401, 403])('F04: a credential refused with %i is named and not tried again', async (code) => {
  await using on = await scene([status(code, { message: 'no' })]);
  const ran = await on.ask('hello');
  expect(on.server.requests).toHaveLength(1);
  expect(ran.code).toBe(1);
  expect(await on.breaches({ kept: ['hello'], failure: { ran, names: 'ANTHROPIC_API_KEY' } })).toEqual([]);
  expect(ran.stderr).toContain(String(code));
});

test('F04: on the screen a countdown shows, and Esc ends the wait', async () => {
  await using on = await scene([status(429, { retryAfter: 60 }), say('better now')]);
  await using screen = await on.screen();
  screen.type('hello\r');
  await screen.waitFor(/(5\d|60) ?s/);
  screen.key('esc');
  await screen.waitUntilGone('429', 3000);
  screen.type('again\r');
  await screen.waitFor('better now');
  screen.kill('SIGTERM');
  const exit = await screen.exit();
  expect(exit.code).toBe(143);
  expect(await on.breaches({ kept: ['hello', 'again'], terminal: { raw: screen.raw, exit } })).toEqual([]);
});

const half = [say('Let me look.'), use('Bash', { command: 'echo hal >> ran.txt' })] as const;
const cuts: Readonly<Record<string, MessageReply>> = {
  'in the JSON of the call': cutAfterEvents(reply(half, { chunk: 8 }), 7),
  'after message_start': cutAfterEvents(half[0], 1),
  'after the whole call, before message_delta': cutAfterEvents(reply(half), 7),
  'by an error event': sseError('overloaded_error', reply(half, { chunk: 8 }), 7),
  'by a clean close': cleanCloseBeforeStop(reply(half)),
  'in the middle of a line': cutAfterBytes(reply(half), 900),
};

describe('F05: a stream cut', () => {
  test.each(Object.entries(cuts))(
    '%s: nothing half is run, what was seen is kept, it goes on',
    async (_, cut) => {
      await using on = await scene([cut, use('Bash', { command: 'echo whole >> ran.txt' }), say('finished')]);
      const ran = await on.ask('look', '--output-format', 'stream-json', '--verbose', ...BASH);
      expect(resultOf(ran)).toMatchObject({ subtype: 'success', result: 'finished' });
      expect(readFileSync(join(on.repo.path, 'ran.txt'), 'utf8')).toBe('whole\n');
      const sawText =
        !cut.blocks.every((block) => block.type !== 'text') && ran.stdout.includes('incomplete');
      expect(await on.breaches({ kept: ['look', 'finished', ...(sawText ? ['Let me look.'] : [])] })).toEqual(
        [],
      );
    },
  );

  test('again and again: it ends, says so, and runs nothing', async () => {
    await using on = await scene(
      Array.from({ length: 12 }, () => cuts['in the JSON of the call'] as MessageReply),
    );
    const ran = await on.ask('look', ...BASH);
    expect(existsSync(join(on.repo.path, 'ran.txt'))).toBe(false);
    expect(on.server.requests.length).toBeLessThanOrEqual(10);
    expect(
      await on.breaches({ kept: ['look', 'Let me look.'], failure: { ran, names: /connection .*was lost/ } }),
    ).toEqual([]);
  });
});

describe('F06: a silent stream', () => {
  const env = { COPPICE_STREAM_IDLE_MS: '700' };
  test('is given up after the idle time and asked again', async () => {
    await using on = await scene([stallAfter(say('I was about to say'), 3), say('here I am')], { env });
    const ran = await on.ask('speak');
    expect([ran.code, ran.stdout]).toEqual([0, 'here I am\n']);
    expect(await on.breaches({ kept: ['speak', 'here I am'] })).toEqual([]);
  });

  test('that only pings is no stall; Esc ends it', async () => {
    await using on = await scene([pingForever(say('thinking'), 2, 200), say('next')], { env });
    await using screen = await on.screen();
    screen.type('speak\r');
    await on.server.waitForRequests(1);
    await screen.settle(50);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(on.server.requests).toHaveLength(1);
    screen.key('esc');
    await screen.waitUntilGone('esc to interrupt', 3000);
    screen.type('more\r');
    await screen.waitFor('next');
    screen.kill('SIGTERM');
    const exit = await screen.exit();
    expect(await on.breaches({ kept: ['speak', 'more'], terminal: { raw: screen.raw, exit } })).toEqual([]);
  });

  test('that says nothing at all: Esc ends the wait', async () => {
    await using on = await scene([stallAfter(say('I was about to say'), 3), say('next')]);
    await using screen = await on.screen();
    screen.type('speak\r');
    await screen.waitFor('I was about');
    screen.key('esc');
    await screen.waitUntilGone('esc to interrupt', 3000);
    screen.type('more\r');
    await screen.waitFor('next');
    screen.kill('SIGTERM');
    const exit = await screen.exit();
    expect(
      await on.breaches({
        kept: ['speak', 'I was about', 'more'],
        resumed: on.server.requests.at(-1),
        terminal: { raw: screen.raw, exit },
      }),
    ).toEqual([]);
  });
});
