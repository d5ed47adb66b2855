/** Events around a conversation, through the whole program: set-up, files, settings, instructions, directory. */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Told, told, until, withHooks, writeUntil } from '../hooks/told.ts';
import { reply, say, use } from '../support/replies.ts';
import { type Running, runCoppice, startCoppice } from '../support/run-binary.ts';

const STREAM = [
  '-p',
  '--trust',
  '--verbose',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
];
const message = (content: string): string =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
const logged = (...events: string[]) =>
  Object.fromEntries(events.map((event) => [event, [{ hooks: [told] }]]));

test('Setup runs before SessionStart for --init and --maintenance, and alone for --init-only', async () => {
  await using here = await withHooks(logged('Setup', 'SessionStart'), [say('one'), say('two')]);
  const seen = () => here.told().map((one) => [one.hook_event_name, one.trigger ?? one.source]);
  await runCoppice(here.repo, ['-p', 'go', '--trust', '--init']);
  await runCoppice(here.repo, ['-p', 'go', '--trust', '--maintenance']);
  const alone = await runCoppice(here.repo, ['--init-only', '--trust']);
  expect(seen()).toEqual([
    ['Setup', 'init'],
    ['SessionStart', 'startup'],
    ['Setup', 'maintenance'],
    ['SessionStart', 'startup'],
    ['Setup', 'init'],
  ]);
  expect([alone.code, here.server.requests.length]).toEqual([0, 2]);
});

test('--init-only prints what its hooks say and ends with 1 when one objects', async () => {
  const words = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'Setup', additionalContext: 'all is set up' },
  });
  const script = `cat > /dev/null; test -e broken && { echo "no compiler here" >&2; exit 2; }; echo '${words}'`;
  await using here = await withHooks({ Setup: [{ hooks: [{ type: 'command', command: script }] }] }, []);
  const good = await runCoppice(here.repo, ['--init-only', '--trust']);
  expect([good.code, good.stdout]).toEqual([0, 'all is set up\n']);
  await here.repo.write('broken', '');
  const bad = await runCoppice(here.repo, ['--init-only', '--trust']);
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('no compiler here')]);
});

test('FileChanged tells of a file that is named, or that SessionStart asked for, and of no other', async () => {
  const watching = { hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: ['FAR'] } };
  const asking = `echo '${JSON.stringify(watching)}' | sed "s#FAR#$TMPDIR/far.txt#"`;
  await using here = await withHooks(
    {
      FileChanged: [{ matcher: '.env|notes.txt|far.txt|warm', hooks: [told] }],
      SessionStart: [{ hooks: [{ type: 'command', command: asking }] }],
    },
    [],
  );
  const seen = () => here.told().map((one) => `${one.event} ${one.file_path}`);
  const at = (name: string) => join(here.repo.path, name);
  here.server.script(async () => {
    await writeUntil(here.repo, 'warm', 'x', () => seen().length > 0);
    await here.repo.write('other.txt', 'x');
    await here.repo.write('notes.txt', 'one');
    await until(() => seen().includes(`add ${at('notes.txt')}`));
    await here.repo.write('notes.txt', 'one and two');
    await until(() => seen().includes(`change ${at('notes.txt')}`));
    await rm(at('notes.txt'));
    await until(() => seen().includes(`unlink ${at('notes.txt')}`));
    await here.repo.write('.env', 'A=1');
    await until(() => seen().includes(`add ${at('.env')}`));
    const far = join(here.repo.tmp, 'far.txt');
    await here.repo.write(far, 'x');
    await until(() => seen().includes(`add ${far}`));
    return say('done');
  });
  const ran = await here.ask('go');
  expect([ran.stdout, seen().filter((one) => one.includes('other'))]).toEqual(['done\n', []]);
});

test('ConfigChange tells of a live edit; a hook that blocks it keeps the old settings', async () => {
  await using here = await withHooks({}, []);
  const file = join(here.repo.state, 'settings.json');
  const guard = {
    type: 'command',
    command: `cat >> "${here.log}"; echo >> "${here.log}"; ! test -e "$TMPDIR/forbidden" || { echo "not that" >&2; exit 2; }`,
  };
  const watch = { ConfigChange: [{ hooks: [guard] }] };
  const write = (settings: object) => here.repo.write(file, JSON.stringify(settings));
  const asked = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo the new hook speaks' }] }] };
  const changes = () => here.told().filter((one) => one.hook_event_name === 'ConfigChange');
  await write({ hooks: watch });
  const forbidden = join(here.repo.tmp, 'forbidden');
  let running: Running | undefined;
  here.server.script(
    async () => {
      await here.repo.write(forbidden, '');
      await writeUntil(
        here.repo,
        file,
        JSON.stringify({ hooks: asked }),
        () => running?.stderr().includes('A hook keeps the old settings: not that') === true,
      );
      return say('one');
    },
    async () => {
      await rm(forbidden);
      const before = changes().length;
      await write({ hooks: { ...watch, ...asked } });
      await until(() => changes().length > before);
      return say('two');
    },
  );
  here.server.script(...Array.from({ length: 100 }, () => say('more')));
  await using started = startCoppice(here.repo, STREAM);
  running = started;
  const turn = async (text: string, results: number) => {
    started.write(message(text));
    await until(() => started.stdout().split('"type":"result"').length - 1 === results);
    return JSON.stringify(here.server.requests.at(-1)?.body.messages.at(-1)).includes('the new hook speaks');
  };
  expect(await turn('first', 1)).toBe(false);
  expect(await turn('second', 2)).toBe(false);
  let heard = false;
  for (let count = 3; !heard && count < 100; count += 1) heard = await turn('go on', count);
  started.endInput();
  await started.ended;
  expect(heard).toBe(true);
  expect(changes()[0]).toMatchObject({ source: 'user_settings', file_path: file });
});

test('InstructionsLoaded tells of start, import, nested files, rules by path, and of compaction', async () => {
  await using here = await withHooks(logged('InstructionsLoaded'), [], {
    'CLAUDE.md': 'Be brief. See @docs/style.md',
    'docs/style.md': 'Two spaces.',
    'sub/CLAUDE.md': 'In sub: be kind.',
    'sub/a.ts': 'export {};',
    '.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\nTypes first.',
  });
  here.server.script(
    reply(use('Read', { file_path: join(here.repo.path, 'sub/a.ts') })),
    say('read'),
    say('They read a file.'),
    say('on'),
  );
  await using running = startCoppice(here.repo, STREAM);
  running.write(message('read it'));
  await running.waitFor('"result":"read"');
  running.write(message('/compact'));
  running.write(message('go on'));
  await running.waitFor('"result":"on"');
  running.endInput();
  await running.ended;
  function reasons(): (readonly [string, unknown])[] {
    return here
      .told()
      .map((one) => [String(one.file_path).replace(`${here.repo.path}/`, ''), one.load_reason]);
  }
  expect(reasons().slice(0, 4)).toEqual([
    ['CLAUDE.md', 'session_start'],
    ['docs/style.md', 'include'],
    ['sub/CLAUDE.md', 'nested_traversal'],
    ['.claude/rules/ts.md', 'path_glob_match'],
  ]);
  expect(reasons().slice(4)).toContainEqual(['CLAUDE.md', 'compact']);
  expect(here.told().find((one) => one.load_reason === 'include')?.parent_file_path).toBe(
    join(here.repo.path, 'CLAUDE.md'),
  );
});

test('CwdChanged tells of a cd in Bash, with the old and the new directory', async () => {
  await using here = await withHooks(
    logged('CwdChanged'),
    [reply(use('Bash', { command: 'cd sub', description: 'd' })), say('done')],
    { 'sub/a.txt': 'x' },
  );
  expect((await here.ask('go', '--allowedTools', 'Bash')).stdout).toBe('done\n');
  const { path } = here.repo;
  expect(here.told().map((one) => [one.old_cwd, one.new_cwd, one.cwd])).toEqual([
    [path, join(path, 'sub'), join(path, 'sub')],
  ]);
});

test('UserPromptExpansion tells of a typed skill, adds to its prompt, and may stop it', async () => {
  const script =
    'cat > seen.json; grep -q Bob seen.json && { echo "not Bob" >&2; exit 2; }; echo "speak softly"';
  await using here = await withHooks(
    { UserPromptExpansion: [{ matcher: 'greet', hooks: [{ type: 'command', command: script }] }] },
    [say('greeted')],
    { '.coppice/skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nGreet $0.' },
  );
  expect((await here.ask('/greet Ada')).stdout).toBe('greeted\n');
  const sent = JSON.stringify(here.server.requests[0]?.body.messages);
  expect([sent.includes('Greet Ada.'), sent.includes('speak softly')]).toEqual([true, true]);
  const seen = JSON.parse(readFileSync(join(here.repo.path, 'seen.json'), 'utf8')) as Told;
  expect(seen).toMatchObject({ expansion_type: 'slash_command', command_name: 'greet', command_args: 'Ada' });
  const stopped = await here.ask('/greet Bob');
  expect([stopped.stderr.includes('not Bob'), here.server.requests.length]).toEqual([true, 1]);
  expect(existsSync(join(here.repo.path, 'seen.json'))).toBe(true);
});
