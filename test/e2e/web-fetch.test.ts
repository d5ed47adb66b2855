import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

test('a page is fetched where a rule allows its host; private addresses and other hosts are not', async () => {
  const asked: string[] = [];
  await using stack = new AsyncDisposableStack();
  const proxy = createServer((incoming, out) => {
    asked.push(`${incoming.headers.host}${incoming.url}`);
    out
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<html><head><title>Docs</title></head><body><h1>Install</h1><p>${'Run the program. '.repeat(30)}</p></body></html>`,
      );
  });
  proxy.on('connect', (_incoming, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    proxy.emit('connection', socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  stack.defer(() => proxy.closeAllConnections());
  stack.defer(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  await using server = await modelServer();
  await using place = await tempRepo({
    server,
    env: { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' },
  });
  server.script(
    reply([
      use('WebFetch', { url: 'http://docs.invalid/install', prompt: 'how?' }),
      use('WebFetch', { url: 'http://elsewhere.invalid/', prompt: 'how?' }),
      use('WebFetch', { url: `http://127.0.0.1:${port}/`, prompt: 'how?' }),
    ]),
    say('done'),
  );
  const rules = 'WebFetch(domain:docs.invalid),WebFetch(domain:127.0.0.1)';
  const ran = await runCoppice(place, ['-p', 'look it up', '--allowedTools', rules]);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(server.requests.at(-1)?.results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^From Docs \(http:\/\/docs\.invalid\/install\)\. [\s\S]*Run the program\./),
    expect.stringMatching(/No rule allows WebFetch http:\/\/elsewhere\.invalid/),
    expect.stringMatching(/127\.0\.0\.1 is a private or special address/),
  ]);
  expect(asked).toEqual(['docs.invalid/install']);
  expect(await breaches({ place, server, kept: ['look it up', 'done'] })).toEqual([]);
});
