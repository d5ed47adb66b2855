/** A wrong address, a wrong key, and models that answer nonsense: one sentence, nothing lost, nothing half run. */

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Line } from '../support/model-server.ts';
import { peakMegabytes } from '../support/processes.ts';
import { garbled, gate, pauseAfter, reply, say, status, tokens, use, useRaw } from '../support/replies.ts';
import { resultOf, scene } from '../support/scene.ts';

const BASH = ['--allowedTools', 'Bash', '--permission-mode', 'acceptEdits'];
const JSON_OUT = ['--output-format', 'json'];

describe('an address', () => {
  const wrong: Readonly<Record<string, { url: string; names: string | RegExp }>> = {
    'where nobody listens': { url: 'http://127.0.0.1:9', names: /127\.0\.0\.1:9.*refused/ },
    'of no host': { url: 'http://no-such-host.invalid', names: /no-such-host\.invalid/ },
    'that is none': { url: 'localhost:8080', names: 'ANTHROPIC_BASE_URL' },
  };
  test.each(Object.entries(wrong))('%s', async (_, { url, names }) => {
    await using on = await scene();
    const ran = await on.run(['-p', 'hello'], { env: { ANTHROPIC_BASE_URL: url } });
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(await on.breaches({ kept: ['hello'], failure: { ran, names } })).toEqual([]);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });

  test.each([
    ['of a web page', 200, 'text/html', '<html><body>Welcome</body></html>'],
    ['that knows no messages', 404, 'text/html', '<html>Not Found</html>'],
    ['of another API', 200, 'application/json', '{"choices":[]}'],
    ['of a broken proxy', 407, 'text/plain', 'Proxy Authentication Required'],
  ])('%s', async (_, code, type, body) => {
    await using on = await scene();
    const server = createServer(
      (_request, out) => void out.writeHead(code, { 'content-type': type }).end(body),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const ran = await on.run(['-p', 'hello'], { env: { ANTHROPIC_BASE_URL: url } });
    server.close();
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(await on.breaches({ kept: ['hello'], failure: { ran, names: url } })).toEqual([]);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('no key at all: what to do is said, and nothing is asked', async () => {
  await using on = await scene();
  const ran = await on.run(['-p', 'hello'], {
    env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
  });
  expect(await on.breaches({ failure: { ran, names: 'ANTHROPIC_API_KEY' } })).toEqual([]);
  expect(ran.stderr).toContain('--practice');
});

test('an invalid key is named, never shown', async () => {
  await using on = await scene();
  const ran = await on.run(['-p', 'hello'], { env: { ANTHROPIC_API_KEY: 'sk-wrong-SECRETWORD' } });
  expect(
    await on.breaches({
      kept: ['hello'],
      failure: { ran, names: 'ANTHROPIC_API_KEY' },
      canary: 'SECRETWORD',
    }),
  ).toEqual([]);
});

test('a key with a line end is told, not sent', async () => {
  await using on = await scene([say('ok')]);
  const ran = await on.run(['-p', 'hello'], { env: { ANTHROPIC_API_KEY: 'sk-test\nCANARY' } });
  expect(ran.code === 0 || ran.stderr.includes('ANTHROPIC_API_KEY')).toBe(true);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
});

describe('a model that answers', () => {
  const fixed = [say('sorry, here it is')];
  const nonsense: Readonly<Record<string, { lines: readonly Line[]; says?: RegExp; fails?: RegExp }>> = {
    'an unknown tool': { lines: [use('Teleport', { to: 'Mars' }), ...fixed], says: /no tool named Teleport/ },
    'a tool without a name': { lines: [useRaw('', '{}'), ...fixed] },
    'input that is no JSON': {
      lines: [useRaw('Bash', '{"command": "touch ran'), ...fixed],
      says: /not a readable JSON object/,
    },
    'input that is no object': { lines: [useRaw('Bash', '["touch ran"]'), ...fixed], says: /Bash/ },
    'input without what is needed': {
      lines: [use('Bash', { cmdline: 'touch ran' }), ...fixed],
      says: /command/,
    },
    'input of the wrong type': { lines: [use('Read', { file_path: 7 }), ...fixed], says: /file_path/ },
    'two calls with one id': {
      lines: [[use('Glob', { pattern: '*' }, 'toolu_x'), use('Glob', { pattern: '*' }, 'toolu_x')], ...fixed],
    },
    'a call although it says end_turn': {
      lines: [reply(use('Glob', { pattern: '*' }), { stop: 'end_turn' }), ...fixed],
    },
    'nothing but says tool_use': { lines: [reply(say('I will use a tool'), { stop: 'tool_use' })] },
    'an empty message': { lines: [reply([])] },
    'blanks only': { lines: [say('   \n')] },
    'a line that is no event': { lines: [garbled(say('well'), 3, 'this is no event at all\n\n')] },
    'an event of a new kind': {
      lines: [garbled(say('well'), 3, 'event: surprise\ndata: {"type":"surprise"}\n\n')],
    },
    'an event that is no JSON': {
      lines: [garbled(say('well'), 3, 'event: content_block_delta\ndata: {oops\n\n'), ...fixed],
    },
    'a refusal': { lines: [reply(say('I cannot help.'), { stop: 'refusal' })] },
    'half characters': { lines: [say('\ud83d lone'), say('unused')] },
  };
  test.each(Object.entries(nonsense))('%s', async (_, { lines, says }) => {
    await using on = await scene(lines);
    const ran = await on.ask('hello', ...JSON_OUT, ...BASH);
    const result = resultOf(ran);
    expect(result.is_error === true).toBe(ran.code === 1);
    if (ran.code === 1) expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    if (says)
      expect(on.server.requests[1]?.results[0]).toMatchObject({
        error: true,
        text: expect.stringMatching(says),
      });
    expect(existsSync(join(on.repo.path, 'ran'))).toBe(false);
    expect(await on.breaches({ kept: ['hello'] })).toEqual([]);
    // Whatever it was, the conversation can go on.
    on.server.script(...Array.from({ length: 4 }, () => say('going on')));
    const next = await on.ask('go on', '--continue');
    expect([next.code, on.server.violations]).toEqual([0, []]);
  });

  test('without end is cut by a person, and memory stays bounded', async () => {
    await using on = await scene([tokens(400_000), say('calm')]);
    await using screen = await on.screen();
    screen.type('talk\r');
    await screen.waitFor('word word');
    screen.key('esc');
    await screen.waitFor('nterrupted', 5000);
    if (process.platform === 'linux') expect(peakMegabytes(screen.pid)).toBeLessThan(700);
    screen.type('calm down\r');
    await screen.waitFor('calm');
  });

  test('up to its output limit again and again: it is asked to go on, and not forever', async () => {
    await using on = await scene(
      Array.from({ length: 8 }, () => reply(say('and so on'), { stop: 'max_tokens' })),
    );
    const ran = await on.ask('talk', ...JSON_OUT);
    expect(on.server.requests.length).toBeLessThanOrEqual(5);
    expect(resultOf(ran).stop_reason).toBe('max_tokens');
    expect(await on.breaches({ kept: ['talk', 'and so on'] })).toEqual([]);
  });
});

test('a conversation too long for the model is shortened and goes on', async () => {
  await using on = await scene([say('one'), say('two')]);
  await on.ask('first', '--session-id', '11111111-2222-4333-8444-555555555555');
  await on.ask('second', '--continue');
  on.server.script(
    status(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
    say('a summary'),
    say('three'),
  );
  const ran = await on.ask('third', '--continue');
  expect([ran.code, ran.stdout]).toEqual([0, 'three\n']);
  expect(on.sent(-1)).toContain('a summary');
  expect(on.sent(-1)).toContain('third');
});

test('typed ahead while it answers, it is handed over when the tools are done', async () => {
  const hold = gate();
  await using on = await scene([
    pauseAfter(use('Bash', { command: 'echo tool' }), 2, hold),
    say('both heard'),
  ]);
  await using screen = await on.screen(BASH);
  screen.type('first\r');
  await on.server.waitForRequests(1);
  screen.type('and also this\r');
  await screen.waitFor('and also this');
  hold.open();
  await screen.waitFor('both heard');
  expect(on.server.requests).toHaveLength(2);
  expect(on.server.requests[1]?.prompt).toContain('and also this');
  screen.kill('SIGTERM');
  const exit = await screen.exit();
  expect(
    await on.breaches({
      kept: ['first', 'and also this', 'both heard'],
      terminal: { raw: screen.raw, exit },
    }),
  ).toEqual([]);
});
