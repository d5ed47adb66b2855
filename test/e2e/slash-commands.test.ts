import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const typed = (place: TempRepo, line: string, ...more: readonly string[]) =>
  runCoppice(place, ['-p', line, ...more]);
const settings = (place: TempRepo) =>
  JSON.parse(readFileSync(join(place.state, 'settings.json'), 'utf8')) as Record<string, unknown>;

test('commands answer without a model', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write('AGENTS.md', 'Be brief.\n');
  const lines: readonly (readonly [string, RegExp])[] = [
    ['/config', /`theme` \| auto \| not set[\s\S]*`model` \| \S+ \| not set[\s\S]*config schema/],
    ['/config theme=dark', /`theme` is set in .*settings\.json/],
    ['/config theme', /`theme` is `"dark"` \(.*settings\.json\)/],
    ['/permissions deny Bash(curl *) user', /is now under deny in the user settings/],
    ['/permissions', /### deny[\s\S]*Bash\(curl \*\)[\s\S]*user \(/],
    ['/permissions remove Bash(curl *)', /was removed/],
    ['/hooks', /No hooks are configured/],
    ['/memory', /AGENTS\.md \| project \| session start \| 9 /],
    ['/doctor', /✓ \| node/],
    ['/statusline', /No status line is set[\s\S]*"statusLine"/],
    ['/cd src', /Now in .*\/project\/src\.$/m],
    ['/usage', /Nothing was sent/],
    ['/settings', /`theme` \| `"dark"` \| .*settings\.json[\s\S]*`permissions\.deny`/],
    ['/bashes', /There are no tasks yet\. Ask for/],
    ['/team', /no team\. Ask for one/],
    ['/worktrees', /no worktrees\. `coppice -w NAME`/],
    ['/release-notes', /This is Coppice \d[\s\S]*### Added/],
    ['/terminal-setup', /Shift\+Enter/],
    ['/bug it broke', /sends nothing by itself[\s\S]*> it broke[\s\S]*system \| .*Node/],
    ['/keybindings', /keybindings\.json[\s\S]*chat:externalEditor/],
    ['/vim', /\/config editorMode=vim/],
    ['/output-style', /\/config outputStyle=/],
    ['/pr-comments', /gh pr view/],
    ['/fast', /no fast mode/],
  ];
  for (const [line, sight] of lines) {
    const ran = await typed(place, line);
    expect([line, ran.code, ran.stdout]).toEqual([line, 0, expect.stringMatching(sight)]);
  }
  expect(settings(place)).toEqual({ theme: 'dark', permissions: { deny: [] } });
  expect(server.requests).toEqual([]);
});

test('what is typed wrong says what to type instead, and the run fails', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const lines: readonly (readonly [string, RegExp])[] = [
    ['/config nonsense=1', /There is no setting "nonsense"/],
    ['/config cleanupPeriodDays=many', /cleanupPeriodDays is .*expected/],
    ['/permissions allow Bash(git *', /bracket|\)/],
    ['/permissions remove Read(x)', /There is no rule "Read\(x\)"/],
    ['/cd nowhere', /nowhere does not exist/],
    ['/login sk-secret', /Type \/login alone/],
    ['/login', /set ANTHROPIC_API_KEY/],
    ['/logout', /No key is kept here; ANTHROPIC_API_KEY is in use/],
  ];
  for (const [line, sight] of lines) {
    const ran = await typed(place, line);
    expect([line, ran.code, ran.stderr]).toEqual([line, 1, expect.stringMatching(sight)]);
  }
  expect(existsSync(join(place.state, 'settings.json'))).toBe(false);
});

test('a kept key is forgotten by /logout', async () => {
  await using place = await tempRepo();
  mkdirSync(place.state, { mode: 0o700 });
  writeFileSync(join(place.state, 'credentials.json'), '{"apiKey":"sk-kept"}', { mode: 0o600 });
  const ran = await typed(place, '/logout');
  expect(ran.stdout).toContain('The key was forgotten.');
  expect(existsSync(join(place.state, 'credentials.json'))).toBe(false);
});

test('hooks hear of typed commands: they may stop them or add something', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write('.coppice/commands/greet.md', 'Greet $ARGUMENTS politely.\n');
  mkdirSync(place.state, { mode: 0o700 });
  const hook = (matcher: string, command: string) => ({ matcher, hooks: [{ type: 'command', command }] });
  writeFileSync(
    join(place.state, 'settings.json'),
    JSON.stringify({
      hooks: {
        UserPromptExpansion: [
          hook('greet', `cat > ${place.tmp}/seen; echo 'the user is called Ada'`),
          hook('halt', 'echo "not today" >&2; exit 2'),
        ],
      },
    }),
  );
  await place.write('.coppice/commands/halt.md', 'Halt.\n');
  server.script(say('hello'));
  expect(await typed(place, '/greet Bob', '--trust')).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect(JSON.parse(readFileSync(join(place.tmp, 'seen'), 'utf8'))).toMatchObject({
    hook_event_name: 'UserPromptExpansion',
    expansion_type: 'slash_command',
    command_name: 'greet',
    command_args: 'Bob',
    command_source: 'project',
    prompt: '/greet Bob',
  });
  const { prompt } = server.requests[0] ?? { prompt: '' };
  expect(prompt).toMatch(
    /Greet Bob politely\.[\s\S]*UserPromptExpansion hook context: the user is called Ada/,
  );
  const stopped = await typed(place, '/halt', '--trust');
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toContain('A hook stopped /halt: not today');
  expect(server.requests).toHaveLength(1);
});

test('scripts are told the commands there are', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write('.coppice/commands/greet.md', 'Greet.\n');
  server.script(say('hello'));
  const ran = await typed(place, 'hi', '--output-format', 'stream-json', '--trust');
  const init = JSON.parse(ran.stdout.split('\n')[0] ?? '') as { slash_commands: string[] };
  expect(init.slash_commands).toContain('greet');
  const missing = expected.filter((name) => !init.slash_commands.includes(name));
  expect(missing).toEqual(['color', 'theme']);
});

/** What people of such tools type (conventions 8); `color` and `theme` are there on a screen only. */
const expected = [
  ...[
    'add-dir',
    'agents',
    'background',
    'branch',
    'btw',
    'cd',
    'clear',
    'color',
    'compact',
    'config',
    'context',
  ],
  ...['copy', 'cost', 'diff', 'doctor', 'effort', 'exit', 'export', 'feedback', 'help', 'hooks', 'init'],
  ...['keybindings', 'login', 'logout', 'mcp', 'memory', 'model', 'permissions', 'plan', 'plugin', 'recap'],
  ...[
    'release-notes',
    'rename',
    'resume',
    'review',
    'rewind',
    'sandbox',
    'security-review',
    'simplify',
    'skills',
  ],
  ...['status', 'statusline', 'subtask', 'tasks', 'terminal-setup', 'theme'],
];
