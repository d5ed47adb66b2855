import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { reachable, urlFits } from '../../src/hooks/address.ts';
import type { HookDeps } from '../../src/hooks/dispatcher.ts';
import { fillHeader } from '../../src/hooks/http.ts';
import { bash, world } from '../hooks/world.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
};
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
};
const posting = (url: string, more: object = {}, event = 'PreToolUse') => ({
  [event]: [{ hooks: [{ type: 'http', url, ...more }] }],
});
const fire = async (raw: unknown, deps: Partial<HookDeps> = {}) => {
  await using here = world(raw, deps);
  const fired = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  return { ...fired, notices: here.notices(), ran: fired.runs[0]?.ran };
};

test('the input is the body, headers take only allowed variables', async () => {
  const seen: { headers?: IncomingMessage['headers']; body?: unknown; method?: string } = {};
  const url = await serve(async (request, answer) => {
    Object.assign(seen, {
      headers: request.headers,
      method: request.method,
      body: JSON.parse(await bodyOf(request)),
    });
    answer.end();
  });
  const headers = {
    Authorization: 'Bearer $TOKEN',
    'X-Braced': `a-\${TOKEN}-b`,
    'X-Secret': '[$SECRET]',
    'X-Key': '[$ANTHROPIC_API_KEY]',
    'X-Lines': '$LINES_HERE',
    Host: 'elsewhere',
  };
  const result = await fire(
    posting(url, { headers, allowedEnvVars: ['TOKEN', 'ANTHROPIC_API_KEY', 'LINES_HERE'] }),
    {
      env: () => ({ TOKEN: 't', SECRET: 's', ANTHROPIC_API_KEY: 'k', LINES_HERE: 'a\r\nX-Evil: 1' }),
    },
  );
  expect(result.ran?.outcome).toBe('success');
  expect(seen.method).toBe('POST');
  expect(seen.body).toMatchObject({ hook_event_name: 'PreToolUse', ...bash('ls') });
  expect(seen.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer t',
    'x-braced': 'a-t-b',
    'x-secret': '[]',
    'x-key': '[]',
    'x-lines': 'aX-Evil: 1',
  });
  expect(seen.headers?.host).not.toBe('elsewhere');
  expect(seen.headers?.['x-evil']).toBeUndefined();
  expect(result.notices).toHaveLength(3);
});

test('the answer is read like what a command prints', async () => {
  const url = await serve((_, answer) =>
    answer.end(JSON.stringify({ decision: 'block', reason: 'not today' })),
  );
  expect((await fire(posting(url))).verdict).toMatchObject({ decision: 'deny', reason: 'not today' });
});

const odd: readonly (readonly [name: string, listener: RequestListener, notice: string, unsure: boolean])[] =
  [
    [
      'an error status',
      (_, answer) => void answer.writeHead(500).end('{"decision":"block","reason":"r"}'),
      'status 500',
      false,
    ],
    [
      'a redirect',
      (_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'redirect',
      false,
    ],
    ['prose', (_, answer) => void answer.end('fine'), 'not a JSON object', false],
    ['a list', (_, answer) => void answer.end('[1]'), 'not a JSON object', false],
    ['silence', () => undefined, 'time limit', true],
    ['a broken connection', (request) => void request.socket.destroy(), 'was not answered', true],
    [
      'no end of bytes',
      (_, answer) => {
        const more = (): void => {
          while (!answer.destroyed && answer.write('x'.repeat(65_536)));
        };
        answer.on('drain', more);
        more();
      },
      'more than 1 MB',
      true,
    ],
  ];
test.each(odd)(
  '%s is one notice; whether the call is in doubt follows',
  async (_name, listener, notice, unsure) => {
    const result = await fire(posting(await serve(listener), { timeout: 0.5 }));
    expect(result.notices).toEqual([expect.stringContaining(notice)]);
    expect(result.verdict.decision).toBeUndefined();
    expect(result.verdict.uncertain !== undefined).toBe(unsure);
  },
);

test('nobody there leaves the call in doubt, and onFailure closes it', async () => {
  const url = 'http://127.0.0.1:1/';
  expect((await fire(posting(url))).verdict.uncertain).toContain('was not answered');
  expect((await fire(posting(url, { onFailure: 'block' }))).verdict.decision).toBe('deny');
});

test('async answers decide nothing and their words wait for the next turn', async () => {
  const url = await serve(
    (_, answer) => void answer.end(JSON.stringify({ decision: 'block', systemMessage: 'logged' })),
  );
  await using here = world(posting(url, { async: true }));
  expect(await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).toEqual({
    context: [],
    systemMessages: [],
  });
  await expect.poll(() => here.told.later).toEqual(['logged']);
});

describe('addresses', () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    'public.example': ['93.184.216.34'],
    'inner.example': ['10.1.2.3'],
    'rebound.example': ['93.184.216.34', '127.0.0.1'],
    'mapped.example': ['::ffff:192.168.0.1'],
    localhost: ['127.0.0.1', '::1'],
    'odd.localhost': ['8.8.8.8'],
  };
  const resolve = async (host: string) =>
    (names[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const table: readonly (readonly [url: string, allowed: readonly string[] | undefined, reached: boolean])[] =
    [
      ['https://public.example/x', undefined, true],
      ['http://127.0.0.1:8080/', undefined, true],
      ['http://127.9.9.9/', undefined, true],
      ['http://[::1]:8080/', undefined, true],
      ['http://localhost:8080/', undefined, true],
      ['http://odd.localhost/', undefined, false],
      ['http://2130706433/', undefined, true],
      ['http://10.0.0.1/', undefined, false],
      ['http://169.254.169.254/latest/meta-data', undefined, false],
      ['http://192.168.1.1/', undefined, false],
      ['http://0.0.0.0/', undefined, false],
      ['http://[fd00::1]/', undefined, false],
      ['http://[fe80::1]/', undefined, false],
      ['http://[::ffff:10.0.0.1]/', undefined, false],
      ['http://[64:ff9b::a00:1]/', undefined, false],
      ['http://inner.example/', undefined, false],
      ['http://rebound.example/', undefined, false],
      ['http://mapped.example/', undefined, false],
      ['http://nobody.example/', undefined, false],
      ['http://inner.example/', ['http://inner.example/*'], true],
      ['http://10.0.0.1/', ['http://10.*'], true],
      ['https://public.example/x', ['http://inner.example/*'], false],
      ['https://public.example/x', [], false],
      ['https://public.example/x', ['https://public.example/*'], true],
    ];
  test.each(table)('%s with %j', async (url, allowed, reached) => {
    expect('address' in (await reachable(new URL(url), allowed, resolve))).toBe(reached);
  });
  test('only a star is special in an entry', () => {
    expect(urlFits('https://a.example/x', 'https://a.example/*')).toBe(true);
    expect(urlFits('https://aXexample/x', 'https://a.example/*')).toBe(false);
    expect(urlFits('https://a.example/x?y', 'https://a.example/x')).toBe(false);
  });
});

test('variables in headers', () => {
  expect(fillHeader(`$A \${B} $C $`, ['A', 'B'], { A: '1', B: '2', C: '3' })).toEqual({
    value: '1 2  $',
    refused: ['C'],
  });
});
