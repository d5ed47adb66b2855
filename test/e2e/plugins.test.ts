import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { jsonLines, runCoppice } from '../support/run-binary.ts';

const files = {
  'plug/.claude-plugin/plugin.json': JSON.stringify({
    name: 'garden',
    version: '1.0.0',
    commands: './extra',
    hooks: './hooks/hooks.json',
  }),
  'plug/skills/water/SKILL.md':
    '---\nname: water\ndescription: Water the plants\n---\nWater $ARGUMENTS well.\n',
  'plug/agents/gardener.md':
    '---\nname: gardener\ndescription: Looks after plants\n---\nYou are a gardener.\n',
  'plug/extra/weed.md': '---\ndescription: Pull weeds\n---\nPull the weeds.\n',
  'plug/hooks/hooks.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo "$CLAUDE_PLUGIN_ROOT" >&2; exit 2' }] },
      ],
    },
  }),
  'plug/.mcp.json': JSON.stringify({ broken: { command: ['$', '{CLAUDE_PLUGIN_ROOT}/gone'].join('') } }),
};

test('what a plugin folder brings is listed, under its name', async () => {
  await using place = await tempRepo({ files });
  const { stdout, code } = await runCoppice(place, [
    '--plugin-dir',
    'plug',
    '--trust',
    'plugin',
    'list',
    '--json',
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      name: 'garden',
      path: join(place.path, 'plug'),
      skills: ['garden:water'],
      agents: ['garden:gardener'],
      commands: ['garden:weed'],
      hooks: 1,
      servers: ['broken'],
      active: true,
    },
  ]);
});

test('its parts are offered, and its hooks decide only where the folder is trusted', async () => {
  await using server = await modelServer([
    use('Bash', { command: 'echo one' }),
    say('a'),
    use('Bash', { command: 'echo one' }),
    say('b'),
  ]);
  await using place = await tempRepo({ server, files });
  const run = (...args: string[]) =>
    runCoppice(place, ['--plugin-dir', 'plug', '-p', 'go', '--output-format', 'stream-json', ...args]);
  const untrusted = await run();
  expect(server.requests[1]?.results[0]).toMatchObject({ error: false });
  const [init] = jsonLines(untrusted.stdout) as { skills: string[]; agents: string[] }[];
  expect(init?.skills).toContain('garden:water');
  expect(init?.agents).toContain('garden:gardener');
  const trusted = await run('--trust');
  expect(server.requests[3]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining(join(place.path, 'plug')),
  });
  expect(trusted.stderr).toContain(
    `The tool server plugin:garden:broken (${join(place.path, 'plug')}/gone) did not start`,
  );
});

test('servers are added, listed and removed', async () => {
  await using place = await tempRepo();
  const run = (...args: string[]) => runCoppice(place, ['mcp', ...args]);
  expect((await run('add', 'one', '-s', 'user', '-e', 'A=b', '--', 'node', 'server.js', '--flag')).code).toBe(
    0,
  );
  const two = await run('add', 'two', '-s', 'project', 'https://example.com/mcp');
  expect([two.code, two.stdout]).toEqual([0, expect.stringContaining('once this folder is trusted')]);
  expect((await run('add', 'one', '-s', 'user', '--', 'x')).code).toBe(1);
  expect(
    JSON.parse((await runCoppice(place, ['mcp', 'list', '--json'], { env: { COPPICE_TRUST: '1' } })).stdout),
  ).toMatchObject([
    { name: 'two', type: 'http', target: 'https://example.com/mcp', scope: 'project' },
    { name: 'one', type: 'stdio', target: 'node server.js --flag', scope: 'user' },
  ]);
  const untrusted = await run('list');
  expect(untrusted.stdout).toMatch(/two {2}http.*needs trust/);
  await runCoppice(place, ['trust']);
  await run('add', 'three', '--', 'node');
  expect((await run('list')).stdout).not.toContain('needs');
  expect((await run('remove', 'one')).code).toBe(0);
  expect((await run('remove', 'one')).code).toBe(1);
});
