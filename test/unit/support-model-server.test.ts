import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { type Line, type ModelServer, modelServer } from '../support/model-server.ts';
import {
  cleanCloseBeforeStop,
  cutAfterBytes,
  cutAfterEvents,
  garbled,
  gate,
  inPieces,
  overloaded,
  pauseAfter,
  pingForever,
  reply,
  say,
  slowly,
  sseError,
  stallAfter,
  status,
  think,
  tokens,
  tooLong,
  use,
  useRaw,
} from '../support/replies.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const serve = async (...lines: Line[]) => {
  const server = await modelServer(lines);
  open.push(server);
  const client = new Anthropic({ apiKey: 'sk-test', baseURL: server.url, maxRetries: 0, logLevel: 'off' });
  return { server, client };
};

type Messages = Anthropic.MessageParam[];
const hello: Messages = [{ role: 'user', content: 'hello' }];
const asking = (messages: Messages = hello) => ({ model: 'claude-sonnet-4-5', max_tokens: 1000, messages });

const eventsUntilEnd = async (client: Anthropic, messages?: Messages) => {
  const types: string[] = [];
  try {
    for await (const event of await client.messages.create({ ...asking(messages), stream: true }))
      types.push(event.type);
    return { types };
  } catch (error) {
    return { types, error };
  }
};

describe('what the official client reads', () => {
  test('text, thinking and tool calls come out as scripted, with their numbers', async () => {
    const { server, client } = await serve(
      reply(
        [
          think('hm, let me see what there is'),
          say('Looking. Grüße 🦉'),
          use('Bash', { command: 'ls -la "äö"' }, 'toolu_a'),
        ],
        {
          usage: {
            input_tokens: 7,
            cache_read_input_tokens: 40,
            cache_creation_input_tokens: 5,
            output_tokens: 9,
          },
        },
      ),
    );
    const message = await client.messages.stream(asking()).finalMessage();
    expect(message.content).toEqual([
      {
        type: 'thinking',
        thinking: 'hm, let me see what there is',
        signature: expect.stringMatching(/^sig/),
      },
      { type: 'text', text: 'Looking. Grüße 🦉' },
      { type: 'tool_use', id: 'toolu_a', name: 'Bash', input: { command: 'ls -la "äö"' } },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 40, output_tokens: 9 });
    expect(server.requests[0]).toMatchObject({ prompt: 'hello', outcome: 'sent', body: { stream: true } });
  });

  test('a body torn into single bytes reads the same', async () => {
    const { client } = await serve(inPieces(say('né 🦉'), 1));
    const message = await client.messages.stream(asking()).finalMessage();
    expect(message.content).toEqual([{ type: 'text', text: 'né 🦉' }]);
  });

  test('without stream the answer is one JSON message', async () => {
    const { client } = await serve(say('plain'));
    expect(await client.messages.create(asking())).toMatchObject({
      content: [{ type: 'text', text: 'plain' }],
    });
  });

  test('tokens are counted and models listed', async () => {
    const { server, client } = await serve();
    const counted = await client.messages.countTokens({ model: 'claude-sonnet-4-5', messages: hello });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('claude-haiku-4-5');
    expect((await client.models.retrieve('claude-haiku-4-5')).id).toBe('claude-haiku-4-5');
    expect(server.others).toEqual([
      'POST /v1/messages/count_tokens',
      'GET /v1/models',
      'GET /v1/models/claude-haiku-4-5',
    ]);
  });

  test('a slow stream says the same', async () => {
    const { client } = await serve(slowly(say('slow'), 1));
    expect((await eventsUntilEnd(client)).types.at(-1)).toBe('message_stop');
  });

  test('N tokens are N deltas', async () => {
    const { client } = await serve(tokens(50, { perSecond: 5000 }));
    const { types } = await eventsUntilEnd(client);
    expect(types.filter((type) => type === 'content_block_delta')).toHaveLength(50);
  });
});

describe('lanes', () => {
  test('each agent is answered from its own script, by its system prompt', async () => {
    const { server, client } = await serve(say('for the rest'));
    server.lane('You explore', say('explorer 1'), say('explorer 2'));
    server.always((request) => request.prompt === 'title?', say('A title'));
    const ask = async (system: string, content: string) => {
      const { content: said } = await client.messages.create({
        ...asking([{ role: 'user', content }]),
        system,
      });
      return said[0]?.type === 'text' ? said[0].text : '';
    };
    expect(await ask('You explore code', 'a')).toBe('explorer 1');
    expect(await ask('You help', 'title?')).toBe('A title');
    expect(await ask('You help', 'b')).toBe('for the rest');
    expect(server.remaining()).toBe(1);
    expect(await ask('You explore code', 'c')).toBe('explorer 2');
    expect(await ask('You help', 'title?')).toBe('A title');
  });

  test('a line may look at the request and wait', async () => {
    const door = gate();
    const { server, client } = await serve(async (request) => {
      await door.opened;
      return say(`you said ${request.prompt}`);
    });
    const answer = client.messages.create(asking());
    await server.waitForRequests(1);
    door.open();
    expect((await answer).content).toEqual([{ type: 'text', text: 'you said hello' }]);
  });

  test('a request nobody scripted is answered 400 with what was asked', async () => {
    const { server, client } = await serve();
    await expect(client.messages.create(asking())).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('no answer for request 1 to claude-sonnet-4-5'),
    });
    expect(server.violations).toHaveLength(1);
  });

  test('waiting for a request that does not come tells the story so far', async () => {
    const { server, client } = await serve(say('x'));
    await client.messages.create(asking());
    await expect(server.waitForRequests(2, 20)).rejects.toThrow(/Request 2 did not come.*1 came:\s+"hello"/s);
  });
});

describe('faults', () => {
  test.each<[string, Line, number, string]>([
    ['a rate limit', status(429, { retryAfter: 2 }), 429, 'rate_limit_error'],
    ['an overload', overloaded(), 529, 'overloaded_error'],
    ['a refused key', status(401), 401, 'authentication_error'],
    ['a conversation too long', tooLong(), 400, 'invalid_request_error'],
    ['a server error', status(500), 500, 'api_error'],
  ])('%s is an HTTP status', async (_, line, code, type) => {
    const { server, client } = await serve(line);
    const error = await client.messages.create(asking()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: code, error: { error: { type } } });
    expect(server.violations).toEqual([]);
  });

  test('retry-after is in seconds in the header', async () => {
    const { client } = await serve(status(429, { retryAfter: 2 }));
    const error = await client.messages.create(asking()).catch((caught: unknown) => caught);
    expect(error instanceof Anthropic.APIError && error.headers?.get('retry-after')).toBe('2');
  });

  test('an error event ends the stream after the events before it', async () => {
    const { client } = await serve(sseError('overloaded_error', say('half'), 3));
    const { types, error } = await eventsUntilEnd(client);
    expect(types).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
    expect(String(error)).toContain('overloaded_error');
  });

  test.each<[string, Line, string[]]>([
    ['after two events', cutAfterEvents(say('half'), 2), ['message_start', 'content_block_start']],
    ['in the middle of an event', cutAfterBytes(say('half'), 40), []],
  ])('a cut %s breaks the socket there', async (_, line, expected) => {
    const { client } = await serve(line);
    const { types, error } = await eventsUntilEnd(client);
    expect(types).toEqual(expected);
    expect(error).toBeInstanceOf(Error);
  });

  test('a clean close before message_stop ends quietly', async () => {
    const { client } = await serve(cleanCloseBeforeStop(say('half')));
    const { types, error } = await eventsUntilEnd(client);
    expect([types.at(-1), error]).toEqual(['message_delta', undefined]);
  });

  test.each<[string, Line]>([
    ['silence', stallAfter(say('half'), 2)],
    ['pings only', pingForever(say('half'), 2, 1)],
  ])('%s lasts until the client leaves', async (_, line) => {
    const { server, client } = await serve(line, say('after'));
    const seen: string[] = [];
    const stream = await client.messages.create({ ...asking(), stream: true });
    for await (const event of stream) {
      seen.push(event.type);
      if (seen.length === 2) stream.controller.abort();
    }
    expect(seen).toEqual(['message_start', 'content_block_start']);
    await client.messages.create(asking());
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(['abandoned', 'sent']);
  });

  test('a paused stream goes on when its gate opens', async () => {
    const door = gate();
    const { client } = await serve(pauseAfter(say('half'), 2, door));
    const seen: string[] = [];
    for await (const event of await client.messages.create({ ...asking(), stream: true })) {
      seen.push(event.type);
      if (seen.length === 2) door.open();
    }
    expect(seen.at(-1)).toBe('message_stop');
  });

  test('broken tool input and broken events reach the client as written', async () => {
    const { client } = await serve(
      useRaw('Bash', '{"command": "echo'),
      garbled(say('x'), 1, 'event: ping\ndata: {nope\n\n'),
    );
    const parts: string[] = [];
    for await (const event of await client.messages.create({ ...asking(), stream: true }))
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
        parts.push(event.delta.partial_json);
    expect(parts.join('')).toBe('{"command": "echo');
    expect((await eventsUntilEnd(client)).types.at(-1)).toBe('message_stop');
  });

  test('closing the server ends open streams', async () => {
    const { server, client } = await serve(stallAfter(say('half'), 1));
    const reading = eventsUntilEnd(client);
    await server.waitForRequests(1);
    await server.close();
    expect((await reading).error).toBeInstanceOf(Error);
  });
});
