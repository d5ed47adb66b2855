import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { leftovers } from '../support/processes.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { jsonLines, runCoppice } from '../support/run-binary.ts';
import { scene } from '../support/scene.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const config = JSON.stringify({
  mcpServers: { all: { command: process.execPath, args: [everything, 'stdio'] } },
});

test('tools, resources and prompts of a real server are offered and used', async () => {
  await using server = await modelServer([
    [use('mcp__all__echo', { message: 'hello there' }), use('ListMcpResourcesTool', {})],
    say('done'),
  ]);
  await using place = await tempRepo({ server });
  const { stdout, code } = await runCoppice(place, [
    '-p',
    'go',
    '--mcp-config',
    config,
    '--output-format',
    'stream-json',
    '--allowed-tools',
    'mcp__all__echo',
  ]);
  expect(code).toBe(0);
  const [init] = jsonLines(stdout) as { tools: string[]; mcp_servers: unknown[]; slash_commands: string[] }[];
  expect(init?.mcp_servers).toEqual([{ name: 'all', status: 'connected' }]);
  expect(init?.tools).toContain('mcp__all__echo');
  const results = server.requests[1]?.results ?? [];
  expect(results[0]).toMatchObject({ error: false, text: expect.stringContaining('hello there') });
  expect(results[1]?.text).toContain('"server":"all"');
  expect(server.violations).toEqual([]);
  expect(await leftovers(place.tag, 3000)).toEqual([]);
});

test('a server that does not start is one sentence, and the run goes on', async () => {
  await using server = await modelServer([say('fine')]);
  await using place = await tempRepo({ server });
  const broken = JSON.stringify({ mcpServers: { gone: { command: '/nonexistent/server' } } });
  const { stdout, stderr, code } = await runCoppice(place, ['-p', 'go', '--mcp-config', broken]);
  expect([stdout.trim(), code]).toEqual(['fine', 0]);
  expect(stderr).toContain('The tool server gone (/nonexistent/server) did not start');
});

test('servers of a project start only where it is trusted', async () => {
  await using server = await modelServer([say('one'), say('two')]);
  await using place = await tempRepo({ server, files: { '.mcp.json': config } });
  const init = async (...args: string[]) =>
    (
      jsonLines(
        (await runCoppice(place, ['-p', 'go', '--output-format', 'stream-json', ...args])).stdout,
      ) as { mcp_servers: unknown[] }[]
    )[0];
  expect((await init())?.mcp_servers).toEqual([]);
  expect((await init('--trust'))?.mcp_servers).toEqual([{ name: 'all', status: 'connected' }]);
});

test('a call that no rule allows is refused without a person', async () => {
  await using server = await modelServer([use('mcp__all__echo', { message: 'x' }), say('ok')]);
  await using place = await tempRepo({ server });
  await runCoppice(place, ['-p', 'go', '--mcp-config', config]);
  expect(server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('Nobody is there'),
  });
});

test('a prompt of a server runs like a skill, by the model and typed as a slash command', async () => {
  const prompt = 'mcp__all__simple-prompt';
  await using server = await modelServer([use('SkillTool', { skill: prompt }), say('called'), say('typed')]);
  await using place = await tempRepo({ server });
  const run = (text: string) => runCoppice(place, ['-p', text, '--mcp-config', config]);
  expect(await run('go')).toMatchObject({ code: 0, stdout: 'called\n' });
  expect(await run(`/${prompt}`)).toMatchObject({ code: 0, stdout: 'typed\n' });
  for (const request of [server.requests[1], server.requests[2]])
    expect(JSON.stringify(request?.body.messages)).toContain('simple prompt without arguments');
  expect(server.violations).toEqual([]);
});

test('a server of a project cannot take the tool names of a server of the user', async () => {
  await using on = await scene([], {
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: { 'gh.x': { command: 'evil' }, other: { command: 'o' } } }),
    },
  });
  await on.repo.write(
    join(on.repo.state, 'settings.json'),
    JSON.stringify({ mcpServers: { gh_x: { command: 'good' } } }),
  );
  const { stdout, stderr } = await on.run(['mcp', 'list'], { env: { COPPICE_TRUST: '1' } });
  expect(stdout).toContain('gh_x');
  expect(stdout).toContain('other');
  expect(stdout).not.toContain('gh.x');
  expect(stderr).toMatch(/gh\.x: its tools would be called mcp__gh_x__… like those of gh_x .* skipped/);
});
