import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Message } from '../../src/contract/message.ts';
import type { ModelEvent, ModelRequest } from '../../src/contract/model.ts';
import { createModelClient } from '../../src/model/anthropic.ts';
import type { ModelClientConfig } from '../../src/model/config.ts';
import { findLocalServers } from '../../src/model/local.ts';
import { type Line, modelServer } from '../support/model-server.ts';
import { overloaded, say, status } from '../support/replies.ts';
import { signature } from '../support/sse.ts';

const person: Message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const thought: Message = {
  role: 'assistant',
  id: 'msg_1',
  model: 'claude-haiku-4-5',
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: signature('Hm.') },
    { type: 'text', text: 'Yes?' },
  ],
};

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-haiku-4-5',
  system: [],
  tools: [],
  messages: [person],
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

const asking = (config: ModelClientConfig, asked: Partial<ModelRequest> = {}): Promise<ModelEvent[]> =>
  Array.fromAsync(
    createModelClient({ retryBaseMs: 2, ...config }).stream(request(asked), new AbortController().signal),
  );

const failureIn = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'failed' ? last.failure : undefined;
};

const deadPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('an endpoint that is not there', () => {
  test('a refused connection is tried three times, then named with the variable to check', async () => {
    const events = await asking({ baseUrl: `http://127.0.0.1:${await deadPort()}` });
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'failed']);
    expect(failureIn(events)).toMatchObject({ kind: 'connection', retryable: true });
    expect(failureIn(events)?.text).toMatch(
      /Nothing answers at http:\/\/127\.0\.0\.1:\d+ .*ANTHROPIC_BASE_URL/,
    );
  });

  test('a host that does not exist is named', async () => {
    const events = await asking({ baseUrl: 'http://no-such-host.invalid' });
    expect(failureIn(events)?.text).toContain('http://no-such-host.invalid');
  });

  test.each(['not an address', 'localhost:8080/v1 ??', ''])(
    '%j is no address, or the usual one',
    async (baseUrl) => {
      const fetch = () => Promise.reject(new Error('nobody home'));
      const events = await asking({ baseUrl, fetch, maxRetries: 0 });
      expect(failureIn(events)?.text).not.toBe('');
      expect(events).toHaveLength(1);
    },
  );

  test('a password in the address is not shown', async () => {
    const port = await deadPort();
    const events = await asking({ baseUrl: `http://user:hush-hush@127.0.0.1:${port}`, maxRetries: 0 });
    expect(JSON.stringify(events)).not.toContain('hush-hush');
  });

  test('a server that never answers ends with the time limit', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const events = await asking({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 50, maxRetries: 0 });
    silent.close();
    expect(failureIn(events)?.text).toMatch(/did not answer within 50 ms/);
  });
});

describe('overload', () => {
  test('three times overloaded gives way to the next model, which answers', async () => {
    const server = await serving(overloaded(), overloaded(), overloaded(), say('From the other.'));
    const events = await asking({ baseUrl: server.url, fallbackModels: ['claude-sonnet-4-5'] });
    expect(events.filter(({ type }) => type === 'fallback')).toEqual([
      { type: 'fallback', from: 'claude-haiku-4-5', to: 'claude-sonnet-4-5' },
    ]);
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      'claude-haiku-4-5',
      'claude-haiku-4-5',
      'claude-haiku-4-5',
      'claude-sonnet-4-5',
    ]);
    expect(events.at(-1)?.type).toBe('done');
  });

  test('the next request does not try the overloaded model again', async () => {
    const server = await serving(overloaded(), overloaded(), overloaded(), say('One.'), say('Two.'));
    const client = createModelClient({
      baseUrl: server.url,
      retryBaseMs: 2,
      fallbackModels: ['claude-sonnet-4-5'],
    });
    const signal = new AbortController().signal;
    await Array.fromAsync(client.stream(request(), signal));
    const again = await Array.fromAsync(client.stream(request(), signal));
    expect(again[0]?.type).toBe('fallback');
    expect(server.requests.at(-1)?.body.model).toBe('claude-sonnet-4-5');
    expect(server.requests).toHaveLength(5);
  });

  test('other errors do not change the model', async () => {
    const server = await serving(status(500), status(500), status(500), say('Here.'));
    const events = await asking({ baseUrl: server.url, fallbackModels: ['claude-sonnet-4-5'] });
    expect(events.some(({ type }) => type === 'fallback')).toBe(false);
    expect(server.requests.at(-1)?.body.model).toBe('claude-haiku-4-5');
  });
});

describe('refusals that teach', () => {
  test('thinking that is not taken back is left out, from then on', async () => {
    const refused =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    const server = await serving(status(400, { message: refused }), say('One.'), say('Two.'));
    const client = createModelClient({ baseUrl: server.url });
    const signal = new AbortController().signal;
    const asked = request({ messages: [person, thought, person] });
    const first = await Array.fromAsync(client.stream(asked, signal));
    await Array.fromAsync(client.stream(asked, signal));
    expect(first.at(-1)?.type).toBe('done');
    const carried = server.requests.map(({ raw }) => raw.toString().includes(signature('Hm.')));
    expect(carried).toEqual([true, false, false]);
  });

  test('a field that a server does not know is left out, from then on', async () => {
    const server = await serving(
      status(400, { message: 'output_config: Extra inputs are not permitted' }),
      say('One.'),
    );
    const events = await asking({ baseUrl: server.url }, { model: 'claude-opus-4-6', effort: 'low' });
    expect(events.at(-1)?.type).toBe('done');
    expect(server.requests.map(({ body }) => 'output_config' in body)).toEqual([true, false]);
  });

  test('the same refusal twice ends it', async () => {
    const refusal = status(400, { message: 'cache_control: not today' });
    const server = await serving(refusal, refusal);
    const events = await asking({ baseUrl: server.url });
    expect(server.requests).toHaveLength(2);
    expect(failureIn(events)?.kind).toBe('invalid_request');
  });
});

describe('a credential helper', () => {
  test('is asked once, and again after a 401', async () => {
    const server = await serving(say('One.'), status(401), say('Two.'));
    let asked = 0;
    const client = createModelClient({
      baseUrl: server.url,
      apiKeyHelper: async () => `helped-${++asked}`,
    });
    const signal = new AbortController().signal;
    await Array.fromAsync(client.stream(request(), signal));
    const second = await Array.fromAsync(client.stream(request(), signal));
    expect(second.at(-1)?.type).toBe('done');
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
      'helped-1',
      'helped-1',
      'helped-2',
    ]);
  });

  test('that fails is named, with its words', async () => {
    const server = await serving();
    const events = await asking({
      baseUrl: server.url,
      apiKeyHelper: () => Promise.reject(new Error('vault is sealed')),
    });
    expect(failureIn(events)).toMatchObject({ kind: 'authentication_failed', retryable: false });
    expect(failureIn(events)?.text).toMatch(/apiKeyHelper did not give a key: vault is sealed/);
  });
});

test.each([
  [{ apiKey: 'sk-br…ken' }, /header x-api-key cannot be sent.*ANTHROPIC_API_KEY/],
  [{ customHeaders: { 'bad name': 'x' } }, /header bad name cannot be sent.*ANTHROPIC_CUSTOM_HEADERS/],
])('a header that cannot be sent is named, its value is not shown: %o', async (config, words) => {
  const server = await serving();
  const events = await asking({ baseUrl: server.url, ...config });
  expect(failureIn(events)?.text).toMatch(words);
  expect(failureIn(events)?.text).not.toContain('sk-br');
  expect(events).toHaveLength(1);
});

describe('counting', () => {
  test('is exact where the service counts', async () => {
    const server = await modelServer([], { countTokens: () => 321 });
    open.push(server);
    const counted = await createModelClient({ baseUrl: server.url }).count(
      request(),
      new AbortController().signal,
    );
    expect(counted).toEqual({ tokens: 321, exact: true });
  });

  test('is an estimate where nobody counts', async () => {
    const counted = await createModelClient({ baseUrl: `http://127.0.0.1:${await deadPort()}` }).count(
      request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(4000) }] }] }),
      new AbortController().signal,
    );
    expect(counted.exact).toBe(false);
    expect(counted.tokens).toBeGreaterThan(990);
    expect(counted.tokens).toBeLessThan(1100);
  });
});

test('local servers are found with their models, others are passed over', async () => {
  const server = await modelServer([], { models: ['qwen-coder'] });
  open.push(server);
  const dead = `http://127.0.0.1:${await deadPort()}`;
  const found = await findLocalServers(
    [
      { name: 'One', baseUrl: server.url, list: '/v1/models' },
      { name: 'None', baseUrl: dead, list: '/v1/models' },
    ],
    2000,
  );
  expect(found).toEqual([{ name: 'One', baseUrl: server.url, models: ['qwen-coder'] }]);
});
