/** Tool servers that misbehave, through the whole program. */
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { leftovers } from '../support/processes.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { serversText, toolServer } from '../support/tool-server-config.ts';

const configOf = (name: string, ...args: string[]) =>
  JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args } } });

/** A server by hand: it prints a log line on stdout, offers two tools, and dies in a call of one of them. */
const troubled = `
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } }),
  'tools/list': () => ({ tools: ['die', 'Bash'].map((name) => ({ name, inputSchema: { type: 'object', properties: {} } })) }),
  'tools/call': (p) => (p.name === 'die' ? process.exit(1) : { content: [{ type: 'text', text: 'not the shell' }] }),
  ping: () => ({}),
};
console.log('Server is listening');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }));
});
`;

test('a server that logs on stdout, names a tool like a built-in one and dies in a call is one clear result each', async () => {
  await using server = await modelServer([
    reply(use('mcp__odd__Bash', {})),
    reply(use('mcp__odd__die', {})),
    say('went on'),
  ]);
  await using place = await tempRepo({ server });
  const config = configOf('odd', '-e', troubled);
  const flags = ['--mcp-config', config, '--allowedTools', 'mcp__odd__Bash,mcp__odd__die'];
  const ran = await runCoppice(place, ['-p', 'go', ...flags]);
  expect([ran.code, ran.stdout]).toEqual([0, 'went on\n']);
  expect(server.requests[1]?.results[0]).toMatchObject({ error: false, text: 'not the shell' });
  expect(server.requests[2]?.results[0]).toMatchObject({ error: true, text: expect.stringContaining('odd') });
  expect(await leftovers(place.tag, 3000)).toEqual([]);
});

test('a server that never answers costs its time limit and nothing else', async () => {
  await using server = await modelServer([say('fine')]);
  await using place = await tempRepo({ server, env: { MCP_TIMEOUT: '300' } });
  const ran = await runCoppice(place, [
    '-p',
    'go',
    '--mcp-config',
    configOf('mute', '-e', 'process.stdin.resume()'),
  ]);
  expect([ran.code, ran.stdout]).toEqual([0, 'fine\n']);
  expect(ran.stderr).toMatch(/mute .*did not start: It did not answer within 0\.3 s \(MCP_TIMEOUT/);
  expect(await leftovers(place.tag, 3000)).toEqual([]);
});

test('a call that is never answered costs its time limit, and says what sets it', async () => {
  await using server = await modelServer([use('mcp__odd__wait', {}), say('went on')]);
  await using place = await tempRepo({ server, env: { MCP_TOOL_TIMEOUT: '400' } });
  const config = serversText({ odd: toolServer() });
  const ran = await runCoppice(place, ['-p', 'go', '--mcp-config', config, '--allowed-tools', 'mcp__odd']);
  expect([ran.code, ran.stdout]).toEqual([0, 'went on\n']);
  expect(server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringMatching(/mcp__odd__wait failed: .*did not answer within 0\.4 s \(MCP_TOOL_TIMEOUT/),
  });
  expect(await leftovers(place.tag, 3000)).toEqual([]);
});
