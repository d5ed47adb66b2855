/** What tool servers may do to a run without a person: many tools, long answers, odd names, breaks and cancelling. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { leftovers } from '../support/processes.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { jsonLines, runCoppice, startCoppice } from '../support/run-binary.ts';
import { serversText, toolServer } from '../support/tool-server-config.ts';

type Options = Readonly<Record<string, unknown>>;
const flagsOf = (options: Options, name = 'odd') => [
  '--mcp-config',
  serversText({ [name]: toolServer(options) }),
  '--allowed-tools',
  `mcp__${name}`,
];

const linesOf = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n');

test('ten thousand tools over many pages: as many as fit are offered, and /mcp says how many are not', async () => {
  await using server = await modelServer([say('fine')]);
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, ['-p', 'go', ...flagsOf({ many: 10_000, page: 997 })]);
  expect([ran.code, ran.stdout]).toEqual([0, 'fine\n']);
  const offered = (server.requests[0]?.body.tools ?? []).filter(({ name }) => name?.startsWith('mcp__odd__'));
  expect(offered).toHaveLength(500);
  expect(server.violations).toEqual([]);
  const shown = await runCoppice(place, ['-p', '/mcp', ...flagsOf({ many: 10_000, page: 997 })]);
  expect(shown.stdout).toContain('500 of 10010');
});

test('names that a tool cannot have, that are too long or the same, and schemas the service refuses are made fit', async () => {
  await using server = await modelServer([say('fine')]);
  await using place = await tempRepo({ server });
  const named = (name: string, inputSchema: unknown = { type: 'object' }) => ({ name, inputSchema });
  const tools = [
    named('a.b'),
    named('a/b'),
    named('n'.repeat(300)),
    named('either', { anyOf: [{ properties: { x: { type: 'string' } } }, { properties: { y: {} } }] }),
    named('bare', undefined),
    { name: 'no schema' },
    { nothing: 'at all' },
  ];
  const config = serversText({ 'a b__c': toolServer({ tools }) });
  const ran = await runCoppice(place, ['-p', 'go', '--mcp-config', config]);
  expect([ran.code, ran.stdout]).toEqual([0, 'fine\n']);
  expect(server.violations).toEqual([]);
  const offered = new Map((server.requests[0]?.body.tools ?? []).map((tool) => [tool.name, tool]));
  const ours = [...offered.keys()].filter((name) => name?.startsWith('mcp__a_b_c__'));
  expect(ours).toHaveLength(10 + 6);
  expect(ours).toContain('mcp__a_b_c__a_b');
  expect(ours.filter((name) => /^mcp__a_b_c__a_b_[0-9a-f]{6}$/.test(name ?? ''))).toHaveLength(1);
  expect(offered.get('mcp__a_b_c__either')?.input_schema).toEqual({
    type: 'object',
    properties: { x: { type: 'string' }, y: {} },
  });
});

test('an answer beyond the limit is cut, and the whole lies in a file', async () => {
  await using server = await modelServer([use('mcp__odd__big', { size: 50_000 }), say('read')]);
  await using place = await tempRepo({ server, env: { MAX_MCP_OUTPUT_TOKENS: '1000' } });
  await runCoppice(place, ['-p', 'go', ...flagsOf({})]);
  const text = server.requests[1]?.results[0]?.text ?? '';
  expect(text).toMatch(/^x{4000}\n\[46000 more characters; the whole: /);
  const path = /the whole: (.*)\]$/.exec(text)?.[1] ?? '';
  expect(await readFile(path, 'utf8')).toBe('x'.repeat(50_000));
});

test('a picture that the service would refuse is kept in a file instead of sent', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
  await using server = await modelServer([
    use('mcp__odd__picture', { data: svg, mimeType: 'image/svg+xml' }),
    say('seen'),
  ]);
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, ['-p', 'go', ...flagsOf({})]);
  expect([ran.code, server.violations]).toEqual([0, []]);
  expect(server.requests[1]?.results[0]?.text).toMatch(/^\[image\/svg\+xml, 41 bytes: .*\.svg\]$/);
});

test('tools that come while it runs are offered from the next request on, however often it says so', async () => {
  await using server = await modelServer([
    use('mcp__odd__grow', {}),
    use('mcp__odd__grown1', {}),
    say('done'),
  ]);
  await using place = await tempRepo({ server });
  const log = join(place.path, 'log');
  await runCoppice(place, ['-p', 'go', ...flagsOf({ log })]);
  expect(server.requests[1]?.body.tools?.map(({ name }) => name)).toContain('mcp__odd__grown1');
  expect(server.requests[2]?.results[0]).toMatchObject({ error: false, text: 'grown1' });
  expect((await linesOf(log)).filter((line) => line === 'tools/list').length).toBeLessThan(10);
});

test('one that dies in a call is one clear error, comes back, and works again', async () => {
  await using server = await modelServer([
    use('mcp__odd__die', {}),
    use('Bash', {
      command:
        'until [ "$(grep -c started log)" = 2 ] && [ "$(grep -c tools/list log)" = 2 ]; do sleep 0.1; done',
    }),
    use('mcp__odd__echo', { text: 'again' }),
    say('done'),
  ]);
  await using place = await tempRepo({ server });
  const log = join(place.path, 'log');
  const ran = await runCoppice(place, ['-p', 'go', ...flagsOf({ log }), '--allowed-tools', 'Bash']);
  expect(ran.code).toBe(0);
  expect(server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringMatching(/mcp__odd__die failed: .*exit code 3/),
  });
  expect(server.requests[3]?.results[0]).toMatchObject({ error: false, text: 'again' });
  // Its tools stay in the list meanwhile: the bytes before the conversation are the same.
  const names = server.requests.map(({ body }) => body.tools?.map(({ name }) => name));
  expect(names[1]).toEqual(names[0]);
  expect(await leftovers(place.tag, 3000)).toEqual([]);
});

test('an interrupted call is cancelled at the server', async () => {
  await using server = await modelServer([use('mcp__odd__wait', {}), say('never')]);
  await using place = await tempRepo({ server });
  const log = join(place.path, 'log');
  await using running = startCoppice(place, ['-p', 'go', ...flagsOf({ log })]);
  await expect.poll(() => linesOf(log), { timeout: 30_000 }).toContain('waiting');
  running.kill('SIGINT');
  await running.ended;
  await expect
    .poll(async () => (await linesOf(log)).join('\n'), { timeout: 10_000 })
    .toMatch(/cancelled|end of input/);
  expect(await leftovers(place.tag, 5000)).toEqual([]);
});

test('when the program is killed its servers see the end of their input and go', async () => {
  await using server = await modelServer([use('mcp__odd__wait', {})]);
  await using place = await tempRepo({ server });
  const log = join(place.path, 'log');
  await using running = startCoppice(place, ['-p', 'go', ...flagsOf({ log })]);
  await expect.poll(() => linesOf(log), { timeout: 30_000 }).toContain('waiting');
  running.kill('SIGKILL');
  await expect.poll(() => linesOf(log), { timeout: 10_000 }).toContain('end of input');
  expect(await leftovers(place.tag, 5000)).toEqual([]);
});

/** Deaf to everything but SIGKILL, with a process beside it and one that left its group. */
const deaf = (options: Options = {}) => {
  const { command, args } = toolServer(options);
  const script = 'trap "" TERM HUP INT; sleep 1000 & setsid sleep 1000 & "$@"; sleep 1000';
  return serversText({ odd: { command: 'bash', args: ['-c', script, 'wrap', command, ...args] } });
};

test('what a server started itself ends with it', async () => {
  await using server = await modelServer([say('fine')]);
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, ['-p', 'go', '--mcp-config', deaf()]);
  expect([ran.code, ran.stdout]).toEqual([0, 'fine\n']);
  expect(await leftovers(place.tag, 5000)).toEqual([]);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'a deaf server and all it started are gone after %s',
  {
    timeout: 60_000,
  },
  async (signal) => {
    await using server = await modelServer([use('mcp__odd__wait', {})]);
    await using place = await tempRepo({ server });
    const log = join(place.path, 'log');
    const flags = ['--mcp-config', deaf({ log }), '--allowed-tools', 'mcp__odd'];
    await using running = startCoppice(place, ['-p', 'go', ...flags]);
    running.endInput();
    await expect.poll(() => linesOf(log), { timeout: 30_000 }).toContain('waiting');
    running.kill(signal);
    await running.ended;
    expect(await leftovers(place.tag, 10_000)).toEqual([]);
  },
);

test('variables are filled in, from the environment or with what stands behind them; unset ones are named', async () => {
  await using server = await modelServer([
    use('mcp__odd__environment', { name: 'FILLED' }),
    use('mcp__odd__environment', { name: 'OTHERWISE' }),
    use('mcp__odd__environment', { name: 'ANTHROPIC_API_KEY' }),
    say('done'),
  ]);
  await using place = await tempRepo({ server, env: { TOKEN: 'from outside' } });
  const dollar = '$';
  const env = {
    FILLED: `<${dollar}{TOKEN}>`,
    OTHERWISE: `${dollar}{NOWHERE:-fallback} ${dollar}{env:TOKEN}`,
    GONE: `${dollar}{NOWHERE_EITHER}`,
  };
  const config = serversText({ odd: { ...toolServer(), env } });
  const ran = await runCoppice(place, ['-p', 'go', '--mcp-config', config, '--allowed-tools', 'mcp__odd']);
  const told = server.requests.slice(1).map(({ results }) => results[0]?.text);
  expect(told).toEqual(['<from outside>', 'fallback from outside', 'unset']);
  expect(ran.stderr).toContain('NOWHERE_EITHER}, which is not set');
});

test('flags are stronger than files, --strict-mcp-config leaves all others out, a server that is off is said to be so', async () => {
  await using server = await modelServer([say('one'), say('two')]);
  const plain = toolServer();
  await using place = await tempRepo({
    server,
    files: { '.mcp.json': serversText({ same: plain, mine: plain, off: { ...plain, disabled: true } }) },
  });
  await place.write(
    `${place.state}/settings.json`,
    JSON.stringify({ mcpServers: { user: plain, mine: { command: '/none' } } }),
  );
  const servers = async (...args: string[]) => {
    const flag = serversText({ same: { ...plain, env: { FROM: 'flag' } } });
    const ran = await runCoppice(place, [
      '-p',
      'go',
      '--trust',
      '--output-format',
      'stream-json',
      '--mcp-config',
      flag,
      ...args,
    ]);
    return (jsonLines(ran.stdout)[0] as { mcp_servers: { name: string; status: string }[] }).mcp_servers
      .map(({ name, status }) => `${name} ${status}`)
      .toSorted();
  };
  expect(await servers()).toEqual(['mine connected', 'off disabled', 'same connected', 'user connected']);
  expect(await servers('--strict-mcp-config')).toEqual(['same connected']);
});

test('an unknown skill is answered with the nearest names, prompts of servers among them', async () => {
  await using server = await modelServer([use('SkillTool', { skill: 'mcp__odd__sumary' }), say('ok')]);
  await using place = await tempRepo({ server });
  const prompts = [{ name: 'summary', arguments: [{ name: 'of', required: true }, { name: 'in' }] }];
  await runCoppice(place, ['-p', 'go', ...flagsOf({ prompts })]);
  expect(server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('mcp__odd__summary'),
  });
});
