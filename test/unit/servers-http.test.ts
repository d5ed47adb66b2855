/** Servers at an address: they forget sessions, go away in the middle of a call, and come back. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ServerState } from '../../src/contract/server.ts';
import type { ToolContext } from '../../src/contract/tool.ts';
import { createServers } from '../../src/servers/servers.ts';

type Json = { readonly id?: number; readonly method?: string; readonly params?: { readonly name?: string } };

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server of the protocol over http that answers with JSON, whose sessions can be forgotten. */
const address = async (port = 0) => {
  let session = 0;
  const calls: string[] = [];
  const hanging: { answer(): void }[] = [];
  /** Sessions that the client said goodbye to. */
  const ended: string[] = [];
  let refusals = 0;
  let begunAnew = Promise.withResolvers<void>();
  const answer = (message: Json): object => {
    if (message.method === 'initialize')
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      };
    if (message.method === 'tools/list')
      return { tools: ['work', 'hang', 'late'].map((name) => ({ name, inputSchema: { type: 'object' } })) };
    if (message.method === 'resources/read')
      return { contents: [{ uri: 'note:one', mimeType: 'text/plain', text: 'the note' }] };
    return { content: [{ type: 'text', text: `did ${message.params?.name}` }] };
  };
  const http = createServer(async (request, response) => {
    if (request.method === 'DELETE') ended.push(String(request.headers['mcp-session-id']));
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Json;
    calls.push(`${message.method} ${message.params?.name ?? ''}`.trim());
    if (message.method === 'initialize') {
      if (refusals-- > 0) return void response.writeHead(500).end('not now');
      session += 1;
      begunAnew.resolve();
    } else if (request.headers['mcp-session-id'] !== String(session)) {
      // Says so only when others have a new session already.
      if (message.params?.name === 'late') await begunAnew.promise;
      return void response.writeHead(404).end('no such session');
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.params?.name === 'hang') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': String(session) });
      response.write(': waiting\n\n');
      const done = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) });
      hanging.push({ answer: () => void response.end(`event: message\ndata: ${done}\n\n`) });
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': String(session) });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }));
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(() => resolve()));
  };
  ends.push(close);
  return {
    port: (http.address() as AddressInfo).port,
    calls,
    hanging,
    ended,
    close,
    forget() {
      session += 100;
      begunAnew = Promise.withResolvers();
    },
    /** Answers the next wish for a session with an error. */
    refuse() {
      refusals = 1;
    },
  };
};

const serversAt = (port: number) => {
  const states: string[] = [];
  const servers = createServers(
    [
      {
        name: 'far',
        source: 'test',
        scope: 'flag',
        type: 'http',
        url: `http://127.0.0.1:${port}/mcp`,
        headers: {},
      },
    ],
    {
      callMs: 30_000,
      place: { env: {}, cwd: '/', roots: () => [], version: '1', startMs: 10_000 },
      elicit: async () => ({ action: 'cancel' }),
      content: () => ({ mostChars: 1000, spill: async () => 'kept', picture: async () => undefined }),
      moved: ({ status }: ServerState) => void states.push(status),
    },
  );
  ends.push(servers.close);
  const call = async (name: string) => {
    const tool = servers.tools().find(({ schema }) => schema.name === `mcp__far__${name}`);
    const prepared = tool?.prepare({}, {} as Parameters<NonNullable<typeof tool>['prepare']>[1]);
    if (!prepared || 'invalid' in prepared) throw new Error('no such tool');
    const context = { signal: new AbortController().signal, progress: () => undefined };
    return prepared.run(context as unknown as ToolContext);
  };
  return { servers, states, call };
};

test('a session that the server forgot is begun anew, and the call is done once', async () => {
  const far = await address();
  const { servers, call } = serversAt(far.port);
  await servers.settled();
  far.forget();
  expect(await call('work')).toMatchObject({ status: 'ok', text: 'did work' });
  expect(far.calls.filter((one) => one === 'initialize')).toHaveLength(2);
});

test('calls side by side that a forgotten session fails share one new session, and no connection stays behind', async () => {
  const far = await address();
  const { servers, call } = serversAt(far.port);
  await servers.settled();
  const hanging = call('hang');
  await expect.poll(() => far.hanging.length, { timeout: 10_000 }).toBe(1);
  far.forget();
  const done = await Promise.all([call('work'), call('work'), call('work'), call('late')]);
  expect(done).toMatchObject(
    ['work', 'work', 'work', 'late'].map((name) => ({ status: 'ok', text: `did ${name}` })),
  );
  expect(far.calls.filter((one) => one === 'initialize')).toHaveLength(2);
  expect(far.ended).toEqual([]);
  far.hanging[0]?.answer();
  expect(await hanging).toMatchObject({ status: 'ok', text: 'did hang' });
  await servers.close();
  expect(far.ended.toSorted()).toEqual(['1', '102']);
});

test('a server that forgot us and will not have us at once is looked for until it does', async () => {
  const far = await address();
  const { servers, states, call } = serversAt(far.port);
  await servers.settled();
  far.forget();
  far.refuse();
  expect(await call('work')).toMatchObject({ status: 'error' });
  await expect.poll(() => states.at(-1), { timeout: 30_000 }).toBe('connected');
  expect(states).toContain('reconnecting');
  expect(await call('work')).toMatchObject({ status: 'ok' });
});

test('a resource is read from a server that forgot us', async () => {
  const far = await address();
  const { servers } = serversAt(far.port);
  await servers.settled();
  far.forget();
  expect(await servers.readResource('far', 'note:one', new AbortController().signal)).toMatchObject({
    text: expect.stringContaining('the note'),
  });
});

test('a server that goes away in a call is one error, and is found again when it is back', async () => {
  const far = await address();
  const { servers, states, call } = serversAt(far.port);
  await servers.settled();
  const hanging = call('hang');
  await expect.poll(() => far.hanging.length, { timeout: 10_000 }).toBe(1);
  await far.close();
  expect(await hanging).toMatchObject({
    status: 'error',
    text: expect.stringContaining('ended during the call'),
  });
  await address(far.port);
  await expect.poll(() => states.at(-1), { timeout: 30_000 }).toBe('connected');
  expect(await call('work')).toMatchObject({ status: 'ok' });
});

test('what is configured otherwise starts anew, what is gone ends, the rest is left alone', async () => {
  const [one, two] = [await address(), await address()];
  const { servers } = serversAt(one.port);
  await servers.settled();
  const at = (name: string, port: number) =>
    ({
      name,
      source: 'test',
      scope: 'flag',
      type: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: {},
    }) as const;
  servers.configure([at('far', one.port), at('near', two.port)]);
  await servers.settled();
  expect(servers.states().map(({ name, status }) => [name, status])).toEqual([
    ['far', 'connected'],
    ['near', 'connected'],
  ]);
  expect(one.calls.filter((call) => call === 'initialize')).toHaveLength(1);
  servers.configure([{ ...at('near', two.port), held: 'disabled' }]);
  expect(servers.states()).toMatchObject([{ name: 'near', status: 'disabled', tools: [] }]);
  expect(await servers.reconnect('near')).toBeUndefined();
  expect(servers.tools()).toHaveLength(3);
  await servers.disable('near');
  expect(servers.states()).toMatchObject([{ status: 'disabled', tools: [] }]);
});
