import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { plainFetch } from '../../src/model/plain-fetch.ts';
import { PlainHeaders } from '../../src/model/plain-headers.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const listening = async (server: Server): Promise<string> => {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('sends method, headers and text, and reads all of the answer', async () => {
  const url = await listening(
    createHttp(async (incoming, out) => {
      const body = (await incoming.toArray()).join('');
      out.setHeader('x-two', ['a', 'b']);
      out.statusCode = 201;
      out.end(
        `${incoming.method} ${incoming.headers['x-one']} ${incoming.headers['content-length']} ${body}`,
      );
    }),
  );
  const answer = await plainFetch(url, { method: 'POST', headers: { 'x-one': '1' }, body: 'größe' });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-two')).toBe('a, b');
  expect(await answer.text()).toBe('POST 1 7 größe');
});

test('a redirect is an answer, not a way: the key stays where it was sent', async () => {
  const asked: string[] = [];
  const elsewhere = await listening(
    createHttp((incoming, out) => {
      asked.push(incoming.url ?? '');
      out.end();
    }),
  );
  const url = await listening(createHttp((_, out) => void out.writeHead(307, { location: elsewhere }).end()));
  const answer = await plainFetch(url, { headers: { 'x-api-key': 'secret' } });
  expect(answer.status).toBe(307);
  expect(asked).toEqual([]);
});

test('an answer without a body has none', async () => {
  const url = await listening(createHttp((_, out) => void out.writeHead(204).end()));
  expect((await plainFetch(url)).body).toBeNull();
});

test('a kept connection that the server closed is opened anew, unnoticed', async () => {
  let connections = 0;
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const url = await listening(
    createServer((socket) => {
      const mine = ++connections;
      let requests = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        if (mine === 1 && ++requests === 2) socket.resetAndDestroy();
        else socket.write(answer);
      });
    }),
  );
  expect(await (await plainFetch(url)).text()).toBe('ok');
  expect(await (await plainFetch(url)).text()).toBe('ok');
  expect(connections).toBe(2);
});

test('an abort ends the request, and the reading of its answer', async () => {
  const url = await listening(createHttp((_, out) => void out.write('begun')));
  const ending = new AbortController();
  const answer = await plainFetch(url, { signal: ending.signal });
  const text = answer.text();
  ending.abort();
  await expect(text).rejects.toThrow();
  await expect(plainFetch(url, { signal: ending.signal })).rejects.toThrow();
});

test('an answer that breaks off is an error, not an end', async () => {
  const url = await listening(
    createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    }),
  );
  await expect((await plainFetch(url)).text()).rejects.toThrow();
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])(
  'an answer that a gateway packed (%s) is read while it comes; a damaged one is an error',
  async (name, pack) => {
    const whole = pack('data: hällo\n\n'.repeat(1_000));
    const url = await listening(
      createHttp((incoming, out) => {
        out.writeHead(200, { 'content-encoding': name });
        if (incoming.url === '/damaged') out.end('data: plain text after all');
        else for (const byte of whole) out.write(Buffer.of(byte));
        if (incoming.url === '/half') setImmediate(() => out.destroy());
        else out.end();
      }),
    );
    expect(await (await plainFetch(url)).text()).toBe('data: hällo\n\n'.repeat(1_000));
    for (const path of ['/half', '/damaged'])
      await expect((async () => (await plainFetch(url + path)).text())()).rejects.toThrow();
  },
);

test('headers are joined, looked up in any case and refused where they cannot be sent', () => {
  const headers = new PlainHeaders([
    ['X-One', ' a '],
    ['x-one', 'b'],
  ]);
  headers.set('Accept', 'text/plain');
  expect([...headers]).toEqual([
    ['x-one', 'a, b'],
    ['accept', 'text/plain'],
  ]);
  expect(headers.get('ACCEPT')).toBe('text/plain');
  expect(new PlainHeaders({ a: '1' }).has('A')).toBe(true);
  expect(() => headers.set('not a name', '1')).toThrow(TypeError);
  expect(() => headers.set('a', 'line\nline')).toThrow(TypeError);
});
