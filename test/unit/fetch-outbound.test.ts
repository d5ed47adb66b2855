import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { spared } from '../../src/fetch/no-proxy.ts';
import { outboundFetch } from '../../src/fetch/outbound.ts';

const dir = mkdtempSync(join(tmpdir(), 'outbound-'));
const certificate = join(dir, 'cert.pem');
const key = join(dir, 'key.pem');

beforeAll(() => {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
});

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const listening = async <S extends Server>(server: S): Promise<number> => {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const secure = (options: { requestCert?: boolean } = {}) => {
  const trusted = readFileSync(certificate);
  return createHttps({ key: readFileSync(key), cert: trusted, ca: trusted, ...options }, (incoming, out) => {
    const peer = (incoming.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody';
    out.end(`hello ${peer}`);
  });
};

/** A proxy that notes what it was asked for and tunnels. */
const proxy = (asked: string[]) =>
  createHttp((incoming, out) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    out.end('from the proxy');
  }).on('connect', (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });

const text = async (env: Record<string, string>, url: string): Promise<string> =>
  (await (outboundFetch(env) ?? fetch)(url)).text();

test('nothing named: the built-in one serves', () => {
  expect(outboundFetch({ HOME: '/', NO_PROXY: 'x', HTTPS_PROXY: '' })).toBeUndefined();
});

test('an unknown certificate is refused until its file is named', async () => {
  const url = `https://127.0.0.1:${await listening(secure())}`;
  await expect(text({ HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' }, url)).rejects.toThrow();
  expect(await text({ NODE_EXTRA_CA_CERTS: certificate }, url)).toContain('hello');
});

test('a client certificate is shown', async () => {
  const url = `https://127.0.0.1:${await listening(secure({ requestCert: true }))}`;
  const env = { NODE_EXTRA_CA_CERTS: certificate, COPPICE_CLIENT_CERT: certificate, COPPICE_CLIENT_KEY: key };
  expect(await text(env, url)).toBe('hello 127.0.0.1');
});

test('requests go through the proxy, except to hosts of NO_PROXY', async () => {
  const asked: string[] = [];
  const server = await listening(secure());
  const plain = await listening(createHttp((_, out) => void out.end('direct')));
  const through = `http://127.0.0.1:${await listening(proxy(asked))}`;
  const env = { HTTPS_PROXY: through, NODE_EXTRA_CA_CERTS: certificate };
  expect(await text(env, `https://127.0.0.1:${server}`)).toContain('hello');
  expect(asked).toEqual([`CONNECT 127.0.0.1:${server}`]);
  const port = `127.0.0.1:${server}`;
  expect(await text({ ...env, NO_PROXY: `x, ${port}` }, `https://${port}`)).toContain('hello');
  expect(await text({ ...env, NO_PROXY: 'x', no_proxy: '127.0.0.0/8' }, `https://${port}`)).toContain(
    'hello',
  );
  expect(await text(env, `http://127.0.0.1:${plain}`)).toBe('direct');
  expect(asked).toHaveLength(1);
});

test.each([
  [
    'example.com',
    'https://example.com/ http://a.EXAMPLE.com/ https://example.com./',
    'https://badexample.com/',
  ],
  ['.example.com', 'https://example.com/ https://a.b.example.com/', 'https://example.com.org/'],
  ['*.example.com', 'https://a.example.com/', 'https://example.org/'],
  ['a.com:8080', 'http://a.com:8080/ https://b.a.com:8080/', 'http://a.com/'],
  ['a.com:443', 'https://a.com/', 'http://a.com/'],
  [' A.com ,  b.com\tc.com,,', 'http://a.com/ http://b.com/ http://c.com/', 'http://d.com/'],
  ['x, *', 'http://anything/ http://10.0.0.1/', ''],
  ['127.0.0.1', 'http://127.0.0.1:9/ http://2130706433/', 'http://1.127.0.0.1.com/ http://127.0.0.2/'],
  ['0.0.1', '', 'http://127.0.0.1/'],
  ['10.0.0.0/8', 'http://10.9.8.7/ http://[::ffff:10.1.1.1]/', 'http://11.0.0.1/ http://10.com/'],
  ['::1 fd00::/8', 'http://[::1]/ http://[fd12::1]:3/', 'http://[::2]/ http://1/'],
  ['[::1]:80', 'http://[::1]/', 'http://[::1]:81/'],
  ['. : /', '', 'http://a.com/ http://127.0.0.1/'],
])('NO_PROXY=%j spares what it names and nothing else', (list, yes, no) => {
  const addresses = (text: string) => text.split(' ').filter((one) => one !== '');
  expect(addresses(yes).filter((one) => !spared(list)(new URL(one)))).toEqual([]);
  expect(addresses(no).filter((one) => spared(list)(new URL(one)))).toEqual([]);
});

test('a proxy is an address, with or without its scheme; what is none is named with its variable', async () => {
  const asked: string[] = [];
  const through = `127.0.0.1:${await listening(proxy(asked))}`;
  const plain = `http://127.0.0.1:${await listening(createHttp((_, out) => void out.end('direct')))}/`;
  await text({ http_proxy: through }, plain);
  expect(asked).toHaveLength(1);
  await expect(text({ HTTP_PROXY: '::::' }, plain)).rejects.toThrow('HTTP_PROXY is not an address: "::::".');
});

test('a file that cannot be read is named with its variable', async () => {
  const missing = join(dir, 'missing.pem');
  await expect(text({ NODE_EXTRA_CA_CERTS: missing }, 'https://127.0.0.1:1')).rejects.toThrow(
    `NODE_EXTRA_CA_CERTS names ${missing}, which cannot be read (ENOENT).`,
  );
});
