import { once } from 'node:events';
import { createServer, globalAgent, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallId } from '../../src/contract/ids.ts';
import { type Message, malformedOf } from '../../src/contract/message.ts';
import type { ModelEvent, ModelRequest } from '../../src/contract/model.ts';
import { createModelClient } from '../../src/model/anthropic.ts';
import type { ModelClientConfig } from '../../src/model/config.ts';
import { type Line, modelServer } from '../support/model-server.ts';
import {
  cleanCloseBeforeStop,
  cutAfterBytes,
  cutAfterEvents,
  garbled,
  inPieces,
  overloaded,
  pingForever,
  reply,
  say,
  sseError,
  stallAfter,
  status,
  think,
  tooLong,
  use,
  useRaw,
} from '../support/replies.ts';
import { eventsOf, sentMessage } from '../support/sse.ts';

const KEY = 'sk-test-CANARY';

const person = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-haiku-4-5',
  system: [{ type: 'text', text: 'You are a test.' }],
  tools: [{ name: 'Bash', description: 'Runs.', input_schema: { type: 'object' } }],
  messages: [person('Hello')],
  ...over,
});

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const serving = async (...lines: Line[]) => {
  const server = await modelServer(lines);
  open.push(server);
  return server;
};

const clientFor = (url: string, over: Partial<ModelClientConfig> = {}) =>
  createModelClient({ apiKey: KEY, baseUrl: url, retryBaseMs: 4, streamIdleMs: 2000, ...over });

const played = async (events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => Array.fromAsync(events);

const run = async (
  lines: Line[],
  over: Partial<ModelClientConfig> = {},
  asked: Partial<ModelRequest> = {},
) => {
  const server = await serving(...lines);
  const events = await played(
    clientFor(server.url, over).stream(request(asked), new AbortController().signal),
  );
  return { server, events, kinds: events.map(({ type }) => type), last: events.at(-1) };
};

const failureIn = (event: ModelEvent | undefined) => (event?.type === 'failed' ? event : undefined);
const messageIn = (event: ModelEvent | undefined) => (event?.type === 'done' ? event.message : undefined);

describe('what a server does not take', () => {
  const media = (type: 'document' | 'image'): Partial<ModelRequest> => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type, source: { type: 'base64', media_type: 'x/y', data: 'AAAA' } },
        ],
      },
    ],
  });

  test.each([
    ['document', 'messages.0.content.1: Could not process PDF'],
    ['document', "Input tag 'document' found using 'type' does not match any of the expected tags"],
    ['image', 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum'],
    ['image', 'this model has no vision support'],
  ] as const)('a %s is left out after a refusal: %s', async (type, message) => {
    const { last, server } = await run([status(400, { message }), say('I go on.')], {}, media(type));
    expect(messageIn(last)?.content).toEqual([{ type: 'text', text: 'I go on.' }]);
    expect(server.requests[0]?.raw).toContain('AAAA');
    expect(server.requests[1]?.raw).not.toContain('AAAA');
    expect(server.requests[1]?.raw).toContain('It was left out: the server did not take it.');
  });

  test('a refusal that speaks of documents is no reason to try again without any', async () => {
    const { last, server } = await run([status(400, { message: 'the document is missing' })]);
    expect([failureIn(last)?.failure.status, server.requests.length]).toEqual([400, 1]);
  });
});

describe('a good answer', () => {
  test('is read to its end after the message, so that its connection serves the next request', async () => {
    const connections = new Set<unknown>();
    const unended: ServerResponse[] = [];
    const message = reply([say('Done.')]);
    const server = createServer((incoming, out) => {
      connections.add(incoming.resume().socket);
      out.writeHead(200, { 'content-type': 'text/event-stream' });
      out.write(eventsOf(message, sentMessage(message, 'm', 0)).join(''));
      unended.push(out);
    });
    open.push({ [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const serial of [0, 1]) {
      const events = await played(client.stream(request(), new AbortController().signal));
      expect(messageIn(events.at(-1))).toBeDefined();
      const free = once(globalAgent, 'free');
      unended[serial]?.end();
      await free;
    }
    expect(connections.size).toBe(1);
  });

  test('streams thinking, text and calls, and ends with the whole message', async () => {
    const { events, last, server } = await run([
      reply([think('Hm.'), say('I look.'), use('Bash', { command: 'ls' }, 'toolu_1')], {
        usage: { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 5 },
      }),
    ]);
    const text = events.flatMap((event) =>
      event.type === 'delta' ? [`${event.channel}:${event.text}`] : [],
    );
    expect(text.join('').replaceAll(/thinking:|text:/g, '')).toBe('Hm.I look.');
    expect(events.filter(({ type }) => type === 'tool')).toEqual([{ type: 'tool', name: 'Bash' }]);
    expect(messageIn(last)).toMatchObject({
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
      usage: { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 5 },
    });
    const blocks = events.flatMap((event) => (event.type === 'block' ? [event.block.type] : []));
    expect(blocks).toEqual(['thinking', 'text', 'tool_use']);
    expect(server.violations).toEqual([]);
  });

  test('survives being torn in the middle of characters and lines', async () => {
    const { last } = await run([inPieces(reply([say('Grüße 👋🏽, ça va?')]), 3)]);
    expect(messageIn(last)?.content).toEqual([{ type: 'text', text: 'Grüße 👋🏽, ça va?' }]);
  });

  test('sends the key as x-api-key and no bearer', async () => {
    const { server } = await run([say('Yes.')]);
    const { headers } = server.requests[0] ?? {};
    expect(headers?.['x-api-key']).toBe(KEY);
    expect(headers?.authorization).toBeUndefined();
  });

  test('a token wins over a key; own headers and betas go along', async () => {
    const { server } = await run([say('Yes.')], {
      authToken: 'token-1',
      customHeaders: { 'x-team': 'blue' },
      betas: ['one', 'two'],
      userAgent: 'coppice/1',
    });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-team': 'blue',
      'anthropic-beta': 'one,two',
      'user-agent': 'coppice/1',
    });
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
  });

  test('works without any credential, for local servers', async () => {
    const server = await serving(say('Yes.'));
    const events = await played(
      createModelClient({ baseUrl: server.url }).stream(request(), new AbortController().signal),
    );
    expect(events.at(-1)?.type).toBe('done');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('the environment switches caching off and sizes the answer', async () => {
    const env = { DISABLE_PROMPT_CACHING: '1', CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1234' };
    const { server } = await run([say('Yes.')], { env });
    expect(server.requests[0]?.body.max_tokens).toBe(1234);
    expect(server.requests[0]?.raw.toString()).not.toContain('cache_control');
  });

  test('yields the raw events only when asked to', async () => {
    const quiet = await run([say('Yes.')]);
    const loud = await run([say('Yes.')], { partials: true });
    expect(quiet.kinds).not.toContain('raw');
    const raw = loud.events.flatMap((event) => (event.type === 'raw' ? [event.event] : []));
    expect(raw[0]).toMatchObject({ type: 'message_start' });
    expect(raw.at(-1)).toEqual({ type: 'message_stop' });
  });

  test('tells the rate limits and the request id', async () => {
    const headers = { 'anthropic-ratelimit-requests-remaining': '3', 'request-id': 'req_7' };
    const body = JSON.stringify({ content: [{ type: 'text', text: 'Yes.' }] });
    const { events, last } = await run([status(200, { body, headers })]);
    const limits = events.flatMap((event) => (event.type === 'rate' ? [event.limits.requestsRemaining] : []));
    expect(limits).toEqual([3]);
    expect(last?.type === 'done' && last.requestId).toBe('req_7');
  });
});

describe('calls that are not whole', () => {
  test.each([
    ['half an object', '{"command":"echo hal'],
    ['a list', '["echo"]'],
    ['prose', 'please run ls'],
  ])('%s becomes a marked input that goes back as valid JSON', async (_, json) => {
    const { last } = await run([reply([useRaw('Bash', json)])]);
    const call = messageIn(last)?.content[0];
    expect(call?.type).toBe('tool_use');
    expect(malformedOf(call && 'input' in call ? call.input : undefined)).toBe(json);
  });

  test('an input nested deeper than anything walks is marked, not kept', async () => {
    const { last } = await run([reply([useRaw('Bash', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)])]);
    const call = messageIn(last)?.content[0];
    expect(malformedOf(call && 'input' in call ? call.input : undefined)).toMatch(/nested deeper/);
  });

  test('a call that the output limit cut before its first letter is marked too', async () => {
    const { last } = await run([reply([say('Now.'), useRaw('Bash', '')], { stop: 'max_tokens' })]);
    const call = messageIn(last)?.content[1];
    expect(malformedOf(call && 'input' in call ? call.input : undefined)).toBe('');
  });

  test('a call without input has an empty one', async () => {
    const { last } = await run([reply([useRaw('Bash', '')])]);
    expect(messageIn(last)?.content[0]).toMatchObject({ type: 'tool_use', input: {} });
  });

  test('an id that an earlier call had is replaced', async () => {
    const before: Message = {
      role: 'assistant',
      id: 'msg_0',
      model: 'm',
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      content: [{ type: 'tool_use', id: 'call_0' as CallId, name: 'Bash', input: {} }],
    };
    const result: Message = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_0' as CallId, content: 'ok' }],
    };
    const { last } = await run(
      [reply([use('Bash', { command: 'ls' }, 'call_0')])],
      {},
      {
        messages: [person('Hi'), before, result],
      },
    );
    const call = messageIn(last)?.content[0];
    expect(call).toMatchObject({ type: 'tool_use', input: { command: 'ls' } });
    expect(call && 'id' in call && call.id).not.toBe('call_0');
  });
});

describe('faults that are tried again', () => {
  test.each([
    ['408', status(408)],
    ['409', status(409)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['529', overloaded()],
    ['an error event before anything was shown', sseError('overloaded_error')],
    ['a cut after message_start', cutAfterEvents(say('lost'), 1)],
    ['a clean close after message_start', cleanCloseBeforeStop(say('lost'), 1)],
    ['a stall after message_start', stallAfter(say('lost'), 1)],
    ['a cut inside a call with nothing shown', cutAfterEvents(use('Bash', { command: 'echo half' }), 3)],
  ])('%s', async (_, fault) => {
    const { server, kinds, last, events } = await run([fault, say('Here.')], { streamIdleMs: 100 });
    expect(kinds.filter((kind) => kind === 'retry')).toHaveLength(1);
    expect(messageIn(last)?.content).toEqual([{ type: 'text', text: 'Here.' }]);
    expect(events.filter(({ type }) => type === 'block')).toHaveLength(1);
    expect(server.requests.map(({ raw }) => raw)).toHaveLength(2);
    expect(server.requests[0]?.raw).toBe(server.requests[1]?.raw);
  });

  test('the server says how long to wait, and the wait is told before it begins', async () => {
    const { events } = await run([
      status(429, { headers: { 'retry-after-ms': '30' } }),
      status(529, { retryAfter: 0 }),
      say('Here.'),
    ]);
    const waits = events.flatMap((event) => (event.type === 'retry' ? [event] : []));
    expect(waits.map(({ attempt, of, failure }) => [attempt, of, failure.kind, failure.status])).toEqual([
      [1, 9, 'rate_limit', 429],
      [2, 9, 'overloaded', 529],
    ]);
    expect(waits[0]?.delayMs).toBeGreaterThanOrEqual(30);
  });

  test('ends after the given number of tries with the last failure', async () => {
    const { server, last } = await run([status(500), status(500), status(500)], { maxRetries: 2 });
    expect(server.requests).toHaveLength(3);
    expect(failureIn(last)?.failure).toMatchObject({ kind: 'server_error', status: 500, retryable: true });
  });

  test('a wait of hours is not waited', async () => {
    const { server, last } = await run([status(429, { retryAfter: 7200 })]);
    expect(server.requests).toHaveLength(1);
    expect(failureIn(last)?.failure.text).toContain('120 minutes');
  });

  test('x-should-retry: false is obeyed', async () => {
    const { server } = await run([status(529, { headers: { 'x-should-retry': 'false' } })]);
    expect(server.requests).toHaveLength(1);
  });

  test('an interrupt ends the wait at once', async () => {
    const server = await serving(status(429, { retryAfter: 60 }));
    const ending = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of clientFor(server.url).stream(request(), ending.signal)) {
      events.push(event);
      if (event.type === 'retry') ending.abort();
    }
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    expect(failureIn(events.at(-1))?.failure.kind).toBe('interrupted');
    expect(server.requests).toHaveLength(1);
  });

  test('pings keep a stream alive, whatever the idle limit', async () => {
    const server = await serving(pingForever(say('lost'), 1, 15));
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 400);
    const events = await played(
      clientFor(server.url, { streamIdleMs: 150 }).stream(request(), ending.signal),
    );
    expect(failureIn(events.at(-1))?.failure.kind).toBe('interrupted');
    expect(server.requests).toHaveLength(1);
  });
});

describe('faults that are not tried again', () => {
  test.each([
    ['400', status(400, { message: 'nonsense' }), 'invalid_request', /nonsense/],
    [
      '401',
      status(401, { message: 'invalid x-api-key' }),
      'authentication_failed',
      /ANTHROPIC_API_KEY was refused/,
    ],
    ['403', status(403), 'authentication_failed', /ANTHROPIC_API_KEY is not allowed/],
    [
      '404 of a model',
      status(404, { message: 'model: x' }),
      'model_not_found',
      /no model "claude-haiku-4-5"/,
    ],
    [
      '404 of a page',
      status(404, { body: '<html>', headers: { 'content-type': 'text/html' } }),
      'invalid_request',
      /no Messages API.*ANTHROPIC_BASE_URL/,
    ],
    ['402', status(402), 'billing_error', /cannot pay/],
    [
      'an empty account',
      status(400, { message: 'Your credit balance is too low' }),
      'billing_error',
      /cannot pay/,
    ],
    ['a long prompt', tooLong(), 'context_exceeded', /\/compact/],
    ['413', status(413), 'context_exceeded', /too long/],
  ] as const)('%s', async (_, fault, kind, words) => {
    const { server, kinds, last } = await run([fault]);
    expect(server.requests).toHaveLength(1);
    expect(kinds).not.toContain('retry');
    expect(failureIn(last)?.failure).toMatchObject({ kind, retryable: false });
    expect(failureIn(last)?.failure.text).toMatch(words);
    expect(failureIn(last)?.failure.text).not.toContain('CANARY');
  });

  test('a secret that the server repeats is masked', async () => {
    const { events } = await run([status(400, { message: `bad key ${KEY} in request` })]);
    expect(JSON.stringify(events)).not.toContain('CANARY');
    expect(failureIn(events.at(-1))?.failure.text).toContain('[masked]');
  });

  test('without a credential a 401 says which to set', async () => {
    const server = await serving(status(401));
    const events = await played(
      createModelClient({ baseUrl: server.url }).stream(request(), new AbortController().signal),
    );
    expect(failureIn(events.at(-1))?.failure.text).toContain('set ANTHROPIC_API_KEY');
  });
});

describe('a stream that breaks after something was shown', () => {
  const spoken = reply([say('I look.'), use('Bash', { command: 'echo half' }, 'toolu_1')]);
  test.each([
    ['cut inside the call', cutAfterEvents(spoken, 6), ['text']],
    ['cut inside the text', cutAfterEvents(spoken, 3), ['text']],
    ['closed without message_stop', cleanCloseBeforeStop(spoken), ['text', 'tool_use']],
    ['stalled inside the text', stallAfter(spoken, 3), ['text']],
    ['an error event', sseError('overloaded_error', spoken, 4), ['text']],
  ])('%s: fails once, keeping what was seen', async (_, fault, seen) => {
    const { server, last, kinds } = await run([fault], { streamIdleMs: 100 });
    expect(server.requests).toHaveLength(1);
    expect(kinds).not.toContain('retry');
    expect(failureIn(last)?.failure.retryable).toBe(true);
    expect(failureIn(last)?.seen.map(({ type }) => type)).toEqual(seen);
    expect(JSON.stringify(failureIn(last)?.seen)).not.toContain('echo hal"');
  });

  test('an interrupt keeps what was seen', async () => {
    const server = await serving(stallAfter(spoken, 3));
    const ending = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of clientFor(server.url).stream(request(), ending.signal)) {
      events.push(event);
      if (event.type === 'delta') ending.abort();
    }
    const failed = failureIn(events.at(-1));
    expect(failed?.failure.kind).toBe('interrupted');
    expect(failed?.seen[0]?.type).toBe('text');
  });
});

describe('answers that are nonsense', () => {
  test.each([
    ['a web page', status(200, { body: '<html>hi</html>', headers: { 'content-type': 'text/html' } })],
    ['other JSON', status(200, { body: '{"hello":1}' })],
    ['an empty body', status(200, { body: '', headers: { 'content-type': 'text/event-stream' } })],
    ['events that are not JSON', garbled(say('x'), 1, 'event: content_block_delta\ndata: {oops\n\n')],
    [
      'a block without content',
      garbled(say('x'), 1, 'event: content_block_start\ndata: {"type":"content_block_start"}\n\n'),
    ],
  ])('%s: one sentence, no retry', async (_, fault) => {
    const { server, last } = await run([fault]);
    expect(server.requests).toHaveLength(1);
    expect(failureIn(last)?.failure.text).toMatch(
      /not in the format of the Messages API.*ANTHROPIC_BASE_URL/,
    );
  });

  test('a whole message instead of a stream is understood', async () => {
    const body = JSON.stringify({
      content: [
        { type: 'text', text: 'Plain.' },
        { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      ],
      stop_reason: 'tool_calls',
    });
    const { last } = await run([status(200, { body })]);
    expect(messageIn(last)).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Plain.' },
        { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      ],
    });
  });

  test('missing ids, numbers and reasons are filled in', async () => {
    const sse = [
      { type: 'message_start', message: {} },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'Bash' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'some_new_event' },
      { type: 'message_delta', delta: { stop_reason: 'weird' } },
      { type: 'message_stop' },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
    const { last } = await run([
      status(200, { body: sse, headers: { 'content-type': 'text/event-stream' } }),
    ]);
    const message = messageIn(last);
    expect(message?.stop_reason).toBe('tool_use');
    expect(message?.content.map(({ type }) => type)).toEqual(['tool_use', 'text']);
    expect(message?.usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
    expect(message?.id).not.toBe('');
  });
});

describe('a stream cut anywhere', () => {
  const spoken = reply([
    think('Hm.'),
    say('I look at größere Dinge.'),
    use('Bash', { command: 'echo "whole"' }, 'toolu_1'),
    use('Read', { file_path: 'a.txt' }, 'toolu_2'),
  ]);
  const whole = [{ command: 'echo "whole"' }, { file_path: 'a.txt' }];

  test.each(Array.from({ length: 40 }, (_, at) => at * 60))(
    'after %s bytes: one ending, and no call that was not whole',
    async (bytes) => {
      const { events } = await run([cutAfterBytes(spoken, bytes)], { maxRetries: 0 });
      const endings = events.filter(({ type }) => type === 'failed' || type === 'done');
      expect(endings).toEqual([events.at(-1)]);
      const seen = failureIn(events.at(-1))?.seen ?? messageIn(events.at(-1))?.content ?? [];
      const inputs = [...seen, ...events.flatMap((event) => (event.type === 'block' ? [event.block] : []))]
        .filter(({ type }) => type === 'tool_use')
        .map((block) => ('input' in block ? block.input : undefined));
      for (const input of inputs) expect(whole).toContainEqual(input);
    },
  );
});
