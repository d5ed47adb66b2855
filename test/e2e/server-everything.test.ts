/** The public everything-server of the protocol's own project, over both transports. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const stdio = JSON.stringify({
  mcpServers: { all: { command: process.execPath, args: [everything, 'stdio'] } },
});

test('a prompt is typed like a command and called like a skill', async () => {
  await using server = await modelServer([
    say('Rain.'),
    use('SkillTool', { skill: 'mcp__all__args-prompt', args: 'Rome' }),
    say('Sun.'),
  ]);
  await using place = await tempRepo({ server });
  await runCoppice(place, ['-p', '/mcp__all__args-prompt Paris', '--mcp-config', stdio]);
  expect(server.requests[0]?.prompt).toContain("What's weather in Paris?");
  await runCoppice(place, ['-p', 'use the prompt for Rome', '--mcp-config', stdio]);
  expect(server.requests[2]?.raw).toContain("What's weather in Rome?");
  expect(server.violations).toEqual([]);
});

test('progress is seen while a call runs', async () => {
  await using server = await modelServer([
    use('mcp__all__trigger-long-running-operation', { duration: 3, steps: 3 }),
    say('Over.'),
  ]);
  await using place = await tempRepo({ server });
  await using terminal = await openTerminal(place, [
    '--trust',
    '--mcp-config',
    stdio,
    '--allowed-tools',
    'mcp__all',
  ]);
  await terminal.waitFor('claude-');
  await terminal.waitFor('What shall we do');
  terminal.type('/mcp reconnect all');
  terminal.key('enter');
  await terminal.waitFor('all is connected.');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor(/[12]\/3/);
  await terminal.waitFor('Over.');
});

test("a server's question comes to the person, who may leave it", async () => {
  await using server = await modelServer([use('mcp__all__trigger-elicitation-request', {}), say('I see.')]);
  await using place = await tempRepo({ server });
  await using terminal = await openTerminal(place, [
    '--trust',
    '--mcp-config',
    stdio,
    '--allowed-tools',
    'mcp__all',
  ]);
  await terminal.waitFor('What shall we do');
  terminal.type('/mcp reconnect all');
  terminal.key('enter');
  await terminal.waitFor('all is connected.');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor('Your full, legal name');
  terminal.key('esc');
  await terminal.waitFor('I see.');
  expect(server.requests[1]?.results[0]?.text).toMatch(/declin|cancel/i);
});

test.each([
  ['http', 'streamableHttp', 'mcp'],
  ['sse', 'sse', 'sse'],
])('the same server over %s', async (type, mode, path) => {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
  const remote = spawn(process.execPath, [everything, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await new Promise<void>((resolve) => {
      const heard = (chunk: Buffer) => {
        if (String(chunk).includes(String(port))) resolve();
      };
      remote.stdout.on('data', heard);
      remote.stderr.on('data', heard);
    });
    await using server = await modelServer([
      [
        use('mcp__far__get-sum', { a: 2, b: 40 }),
        use('SkillTool', { skill: 'mcp__far__args-prompt', args: 'Rome' }),
      ],
      say('done'),
    ]);
    await using place = await tempRepo({ server });
    const config = JSON.stringify({ mcpServers: { far: { type, url: `http://127.0.0.1:${port}/${path}` } } });
    const { code, stderr } = await runCoppice(place, [
      '-p',
      'add',
      '--mcp-config',
      config,
      '--allowed-tools',
      'mcp__far',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(server.requests[1]?.results[0]).toMatchObject({
      error: false,
      text: expect.stringContaining('42'),
    });
    expect(server.requests[1]?.raw).toContain("What's weather in Rome?");
  } finally {
    remote.kill('SIGKILL');
  }
});
