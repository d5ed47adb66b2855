import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebAnswer } from '../../src/contract/web.ts';
import { badUrl, isOpen } from '../../src/fetch/open-address.ts';
import { isSamePlace, type WebPagesOptions, webPages } from '../../src/fetch/web-pages.ts';
import { readPdf } from '../../src/media/pdf.ts';
import { pdfFile } from '../support/sample-files.ts';

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const serve = async (answer: RequestListener): Promise<number> => {
  const server = createServer(answer);
  // What comes through a tunnel is answered here too.
  server.on('connect', (_incoming, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.emit('connection', socket);
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** Names that lead to loopback, which is open here and here only. */
const pages = (more: Parameters<typeof webPages>[0] = {}) =>
  webPages({
    resolve: async (host) => {
      if (host.endsWith('.gone')) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
      return [{ address: host.startsWith('inner') ? '10.0.0.7' : '127.0.0.1', family: 4 }];
    },
    open: (address) => address === '127.0.0.1',
    ...more,
  });
const never = new AbortController().signal;

const article = (body: string) =>
  `<!doctype html><html><head><title>A page</title></head><body><nav><a href="/x">menu</a></nav><article><h1>Head</h1>${body}</article><script>alert(1)</script></body></html>`;
const words = 'Some words of an article that is long enough to count as one. '.repeat(12);

describe('an address', () => {
  it.each([
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['192.168.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['93.184.216.34', true],
    ['2606:2800:220:1:248:1893:25c8:1946', true],
  ])('%s is open: %s', (address, open) => {
    expect(isOpen(address)).toBe(open);
  });

  it.each([
    ['file:///etc/passwd', /Only http and https/],
    ['ftp://example.com/', /Only http and https/],
    ['javascript:alert(1)', /Only http and https/],
    ['https://user:pw@example.com/', /user name or password/],
    ['example.com', /is no address/],
  ])('that is not fetched: %s', (url, why) => {
    expect(badUrl(url)).toMatch(why);
  });

  it('that is too long is not fetched', () => {
    expect(badUrl(`https://example.com/${'x'.repeat(4000)}`)).toMatch(/longer than 4,000/);
  });

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:7f00:1]/',
    'http://localhost/',
    'http://LOCALHOST./',
  ])('that is private is not connected to: %s', async (url) => {
    let asked = 0;
    const port = await serve((_, out) => {
      asked += 1;
      out.end('secret');
    });
    const answer = await webPages({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] }).read(
      url.replace(/\/$/, `:${port}/`),
      never,
    );
    expect(answer).toMatchObject({ kind: 'refused', problem: expect.stringMatching(/private or special/) });
    expect(asked).toBe(0);
  });

  it('counts by all that its name has', async () => {
    const mixed = webPages({
      resolve: async () => [
        { address: '93.184.216.34', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    });
    expect(await mixed.read('http://rebind.test/', never)).toMatchObject({ kind: 'refused' });
  });
});

describe('a page', () => {
  it('becomes readable markdown', async () => {
    const port = await serve((_, out) =>
      out
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(article(`<p>${words}<a href="/more">more</a></p><pre><code>x = 1</code></pre>`)),
    );
    const answer = await pages().read(`http://site.test:${port}/a#b`, never);
    expect(answer).toMatchObject({ kind: 'page', status: 200, title: 'A page', notes: [] });
    const { text } = answer as Extract<WebAnswer, { kind: 'page' }>;
    expect(text).toContain('Some words of an article');
    expect(text).toContain(`[more](http://site.test:${port}/more)`);
    expect(text).toContain('```\nx = 1\n```');
    expect(text).not.toMatch(/alert|menu/);
  });

  it.each([
    ['text/plain', 'just text'],
    ['application/json', '{"a":1}'],
    ['text/markdown', '# Head'],
  ])('of type %s stays as it is', async (type, body) => {
    const port = await serve((_, out) => out.writeHead(200, { 'content-type': type }).end(body));
    expect(await pages().read(`http://site.test:${port}/`, never)).toMatchObject({
      kind: 'page',
      text: body,
    });
  });

  it('in an old charset is read in it', async () => {
    const port = await serve((_, out) =>
      out.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9])),
    );
    expect(await pages().read(`http://site.test:${port}/`, never)).toMatchObject({ text: 'é' });
  });

  it.each([
    ['no tags', 'plain words &amp; more', 'plain words & more'],
    [
      'fragments',
      '<!doctype html>\n<title>T</title><p>one <b>two</b></p><p>three</p>',
      'one **two**\n\nthree',
    ],
    ['a body alone', '<body><h1>Head</h1><p>one</p></body>', '# Head\n\none'],
    ['nothing', '', ''],
  ])('that has %s is read', async (_what, body, text) => {
    const port = await serve((_, out) => out.writeHead(200, { 'content-type': 'text/html' }).end(body));
    expect(await pages().read(`http://site.test:${port}/`, never)).toMatchObject({
      kind: 'page',
      text: expect.stringContaining(text),
    });
  });

  it.each([
    ['text/html; charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['text/plain', Buffer.from('\uFEFFzwölf', 'utf16le'), 'zwölf'],
    ['text/plain; charset=nonsense', Buffer.from('zwölf'), 'zwölf'],
    [
      'application/xml',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>', 'latin1'),
      '<a>é</a>',
    ],
    ['application/x-ndjson', Buffer.from('{"a":1}\n'), '{"a":1}'],
  ])('of type %s is read in its charset', async (type, body, text) => {
    const port = await serve((_, out) => out.writeHead(200, { 'content-type': type }).end(body));
    expect(await pages().read(`http://site.test:${port}/`, never)).toMatchObject({
      text: expect.stringContaining(text),
    });
  });

  it.each([
    ['is its text', pdfFile(['Hello page']), { kind: 'page', text: expect.stringContaining('Hello page') }],
    ['with a password says so', pdfFile(['no'], true), { problem: expect.stringContaining('a password') }],
  ])('that is a PDF %s', async (_what, body, expected) => {
    const port = await serve((_, out) => out.writeHead(200, { 'content-type': 'application/pdf' }).end(body));
    const pdf: WebPagesOptions['pdf'] = async (path, bytes, signal) => {
      const read = await readPdf({ path, bytes, pages: undefined, documents: false }, signal);
      return read.status === 'ok' ? { text: read.text } : { problem: read.text };
    };
    expect(await pages({ pdf }).read(`http://site.test:${port}/`, never)).toMatchObject(expected);
  });

  it('is kept for 15 minutes', async () => {
    let asked = 0;
    let time = 0;
    const port = await serve((_, out) => {
      asked += 1;
      out.writeHead(200, { 'content-type': 'text/plain' }).end('x');
    });
    const reader = pages({ now: () => time });
    for (const at of [0, 14 * 60_000, 16 * 60_000]) {
      time = at;
      await reader.read(`http://site.test:${port}/`, never);
    }
    expect(asked).toBe(2);
  });

  it('that is not text is refused with what to do', async () => {
    const port = await serve((_, out) => out.writeHead(200, { 'content-type': 'image/png' }).end('x'));
    expect(await pages().read(`http://site.test:${port}/`, never)).toMatchObject({
      problem: expect.stringMatching(/is image\/png .* not a page of text/),
    });
  });
});

describe('a redirect', () => {
  const to = async (location: (port: number) => string) => {
    const port: number = await serve((incoming, out) => {
      if (incoming.url === '/end') out.writeHead(200, { 'content-type': 'text/plain' }).end('arrived');
      else out.writeHead(302, { location: location(port) }).end();
    });
    return pages().read(`http://site.test:${port}/`, never);
  };

  it('within the host is followed', async () => {
    expect(await to(() => '/end')).toMatchObject({ kind: 'page', text: 'arrived' });
  });
  it('to another host is asked about', async () => {
    expect(await to((port) => `http://other.test:${port}/end`)).toMatchObject({
      kind: 'moved',
      to: expect.stringMatching(/other\.test.*\/end/),
    });
  });
  it('to a private address is refused', async () => {
    expect(await to(() => 'http://inner.test/secret')).toMatchObject({
      kind: 'refused',
      problem: expect.stringMatching(/redirects to a private address: inner\.test leads to 10\.0\.0\.7/),
    });
  });
  it('to a file is refused', async () => {
    expect(await to(() => 'file:///etc/passwd')).toMatchObject({ kind: 'refused' });
  });
  it('without end is given up', async () => {
    expect(await to(() => '/again')).toMatchObject({ problem: expect.stringMatching(/more than 5 times/) });
  });
});

describe('a page that goes too far', () => {
  it('never ends: given up', async () => {
    const port = await serve((_, out) => {
      out.writeHead(200, { 'content-type': 'text/plain' });
      out.write('begin');
    });
    expect(await pages({ timeoutMs: 300 }).read(`http://site.test:${port}/`, never)).toMatchObject({
      problem: expect.stringMatching(/did not come to an end within 0\.3 seconds/),
    });
  });

  it.each([
    ['plain', undefined],
    ['packed', 'gzip'],
  ])('answers without measure: only the beginning is read (%s)', async (_, packing) => {
    const block = Buffer.alloc(1_000_000, 'x');
    const bomb = gzipSync(Buffer.alloc(100_000_000, 'x'));
    let closed = false;
    const port = await serve((_incoming, out) => {
      out.on('close', () => {
        closed = true;
      });
      out.writeHead(200, {
        'content-type': 'text/plain',
        ...(packing ? { 'content-encoding': packing } : {}),
      });
      if (packing) out.end(bomb);
      else {
        const more = () => {
          while (!closed && out.write(block));
        };
        out.on('drain', more);
        more();
      }
    });
    const answer = await pages().read(`http://site.test:${port}/`, never);
    expect(answer).toMatchObject({
      kind: 'page',
      bytes: 5_000_000,
      notes: [expect.stringMatching(/only its beginning/)],
    });
  });

  it('is left when the person interrupts', async () => {
    const port = await serve(() => undefined);
    const stop = new AbortController();
    const answer = pages().read(`http://site.test:${port}/`, stop.signal);
    stop.abort();
    expect(await answer).toEqual({ kind: 'interrupted' });
  });

  it.each([
    ['http://nobody.gone/', /its host is not known/],
    ['http://site.test:1/', /nobody answers there/],
  ])('is not there: %s', async (url, why) => {
    expect(await pages().read(url, never)).toMatchObject({ problem: expect.stringMatching(why) });
  });
});

it('a proxy is used where one is named, and private addresses stay closed', async () => {
  const asked: string[] = [];
  const port = await serve((incoming, out) => {
    asked.push(incoming.headers.host ?? '');
    out.writeHead(200, { 'content-type': 'text/plain' }).end('through the proxy');
  });
  const reader = webPages({
    env: { HTTP_PROXY: `http://127.0.0.1:${port}` },
    resolve: async (host) => (host === 'inner.test' ? [{ address: '10.0.0.1', family: 4 }] : []),
  });
  expect(await reader.read('http://far.test/page', never)).toMatchObject({ text: 'through the proxy' });
  expect(await reader.read('http://inner.test/', never)).toMatchObject({ kind: 'refused' });
  expect(await reader.read('http://169.254.169.254/', never)).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual(['far.test']);
});

it.each([
  ['https://a.example/1', 'https://a.example/2', true],
  ['http://a.example/', 'https://a.example/', true],
  ['https://a.example/', 'http://a.example/', false],
  ['https://a.example/', 'https://b.example/', false],
  ['http://a.example/', 'http://a.example:8080/', false],
])('a redirect from %s to %s is followed by itself: %s', (from, to, followed) => {
  expect(isSamePlace(new URL(from), new URL(to))).toBe(followed);
});
