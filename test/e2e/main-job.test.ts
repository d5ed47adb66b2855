/** The main job on the screen: type, watch it work, approve, refuse, go away, come back. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, say, think, use } from '../support/replies.ts';
import { entriesOf, scene } from '../support/scene.ts';

test('a session: ask, read, approve an edit, allow for the session, refuse with a word, leave and come back', async () => {
  await using on = await scene();
  const main = join(on.repo.path, 'src/main.ts');
  on.server.script(
    [think('Where is it?'), say('I look at **main**.'), use('Read', { file_path: main })],
    use('Edit', { file_path: main, old_string: 'hello', new_string: 'goodbye' }),
    say('Changed the greeting.'),
    use('Bash', { command: 'git add -A' }),
    use('Bash', { command: 'git add -A' }),
    say('It passed twice.'),
    use('Write', { file_path: join(on.repo.path, 'extra.md'), content: '# extra\n' }),
    say('Then I leave it.'),
  );
  await using screen = await on.screen();
  screen.type('change the greeting\r');
  await screen.waitFor('I look at main.');
  await screen.waitFor(/goodbye[\s\S]*1\. Yes/);
  screen.type('1');
  await screen.waitFor('Changed the greeting.');
  expect(readFileSync(main, 'utf8')).toBe("console.log('goodbye');\n");

  screen.type('test it twice\r');
  await screen.waitFor(/git add -A[\s\S]*2\. Yes/);
  screen.type('2');
  await screen.waitFor('It passed twice.');

  screen.type('write more\r');
  await screen.waitFor(/extra\.md[\s\S]*4\. No/);
  screen.type('4');
  screen.type('not needed at all\r');
  await screen.waitFor('Then I leave it.');
  expect(existsSync(join(on.repo.path, 'extra.md'))).toBe(false);
  expect(on.server.requests.at(-1)?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('not needed at all'),
  });
  screen.key('ctrl+d');
  screen.key('ctrl+d');
  const exit = await screen.exit();
  expect(exit.code).toBe(0);
  const id = /coppice --resume ([0-9a-f-]{36})/.exec(screen.text())?.[1] ?? '';
  const kept = [
    'change the greeting',
    'Changed the greeting.',
    'test it twice',
    'It passed twice.',
    'write more',
    'Then I leave it.',
  ];
  expect(await on.breaches({ kept, terminal: { raw: screen.raw, exit } })).toEqual([]);

  on.server.script(reply(say('Welcome back.')));
  await using again = await on.screen(['--resume', id]);
  await again.waitFor('It passed twice.');
  again.type('still there?\r');
  await again.waitFor('Welcome back.');
  again.kill('SIGTERM');
  await again.exit();
  expect(await on.breaches({ kept, resumed: on.server.requests.at(-1) })).toEqual([]);
  expect(entriesOf(on.transcripts()[0] ?? '').length).toBeGreaterThan(15);
});

test('a session open elsewhere is refused, naming it, and a copy is offered', async () => {
  await using on = await scene([say('one'), say('copied')]);
  await using screen = await on.screen();
  screen.type('hello\r');
  await screen.waitFor('one');
  const id = /([0-9a-f-]{36})\.jsonl$/.exec(on.transcripts()[0] ?? '')?.[1] ?? '';
  const refused = await on.ask('me too', '--resume', id);
  expect(
    await on
      .breaches({ patience: 0, ending: 'killed', failure: { ran: refused, names: String(screen.pid) } })
      .then((all) => all.filter((one) => !one.startsWith('Process '))),
  ).toEqual([]);
  expect(refused.stderr).toContain('--fork-session');
  const copy = await on.ask('me too', '--resume', id, '--fork-session');
  expect([copy.code, copy.stdout]).toEqual([0, 'copied\n']);
});

test('a first prompt on the command line is sent, and what is typed at once is not lost', async () => {
  await using on = await scene([say('first answer'), say('second answer')]);
  await using screen = await on.screen(['say something first']);
  screen.type('and then this\r');
  await screen.waitFor('first answer');
  await screen.waitFor('second answer');
  expect(on.server.requests[0]?.prompt).toContain('say something first');
  expect(on.sent(-1)).toContain('and then this');
});
