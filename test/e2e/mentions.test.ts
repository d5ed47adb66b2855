/** `@` in a prompt: on the screen and without one, in the queue, under rules, with pictures; commands shown once. */
import { describe, expect, it } from 'vitest';
import { gate, pauseAfter, reply, say, use } from '../support/replies.ts';
import { pngFile } from '../support/sample-files.ts';
import { scene } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

/** The row between the rules. */
const prompt = (terminal: Terminal): string =>
  terminal
    .screen()
    .findLast((row, at, rows) => /^[❯!] /.test(row) && rows[at - 1]?.startsWith('───'))
    ?.slice(2) ?? '';

describe('@', () => {
  it('brings files, lines, folders and pictures along without a screen, and a file counts as read', async () => {
    await using on = await scene([
      use('Edit', { file_path: 'src/main.ts', old_string: 'hello', new_string: 'bye' }),
      say('done'),
    ]);
    await on.repo.write('notes.txt', 'one\ntwo\nlast-line\n');
    await on.repo.write('dot.png', pngFile(4, 4));
    const ran = await on.ask(
      'mend @src/main.ts by @notes.txt#L2 in @src/ as @dot.png shows',
      '--trust',
      '--permission-mode',
      'acceptEdits',
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
    const sent = on.sent(0);
    expect(sent).toContain("     1\\tconsole.log('hello');");
    expect(sent).toContain('     2\\ttwo');
    expect(sent).not.toContain('last-line');
    expect(sent).toContain('src\\">\\nmain.ts\\n</attached>');
    expect(sent).toContain(pngFile(4, 4).toString('base64'));
    expect(on.server.requests[1]?.results[0]).toMatchObject({ error: false });
  });

  it('is bound by rules that deny reading', async () => {
    await using on = await scene([say('seen')]);
    await on.repo.write('.env', 'TOKEN=very-secret\n');
    await on.repo.write('.coppice/settings.json', '{"permissions": {"deny": ["Read(./.env)"]}}');
    await on.ask('look at @.env', '--trust');
    expect(on.sent(0)).not.toContain('very-secret');
    expect(on.sent(0)).toContain('Not attached');
  });

  it('is told to hooks as it was typed', async () => {
    await using on = await scene([say('ok')]);
    await on.repo.write(
      '.coppice/settings.json',
      JSON.stringify({
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'cat > heard.json' }] }] },
      }),
    );
    await on.ask('see @src/main.ts', '--trust');
    expect(JSON.parse(await on.repo.read('heard.json')).prompt).toBe('see @src/main.ts');
  });

  it('stays as typed in the queue, comes back with Up, and names what it brought', async () => {
    const open = gate();
    await using on = await scene([pauseAfter(reply(say('first')), 2, open), say('second')]);
    await using terminal = await on.screen();
    terminal.type('begin');
    terminal.key('enter');
    await terminal.waitFor('Working');
    terminal.type('then see @src/main.ts');
    await terminal.waitFor(() => prompt(terminal) === 'then see @src/main.ts');
    terminal.key('enter');
    await terminal.waitFor('queued');
    terminal.key('up');
    await terminal.waitFor(() => prompt(terminal) === 'then see @src/main.ts');
    terminal.key('enter');
    open.open();
    await terminal.waitFor('second');
    expect(terminal.text()).toContain('❯ then see @src/main.ts\n  + src/main.ts\n');
    expect(on.sent(1)).toContain("console.log('hello');");
  });

  it('completes files deep down, folders on the way, and paths elsewhere', async () => {
    await using on = await scene([]);
    await on.repo.write('packages/deep/inner/target-file.ts', '');
    await using terminal = await on.screen();
    terminal.type('@pkdptarg');
    await terminal.waitFor('❯ packages/deep/inner/target-file.ts');
    terminal.key('tab');
    await terminal.waitFor(() => prompt(terminal) === '@packages/deep/inner/target-file.ts');
    terminal.key('ctrl+u');
    terminal.type('@packages');
    await terminal.waitFor('❯ packages/\n');
    terminal.key('ctrl+u');
    terminal.type('@/us');
    await terminal.waitFor('❯ /usr/');
  });
});

describe('a command that becomes a prompt', () => {
  it('is shown once, as it was typed', async () => {
    await using on = await scene([say('written')]);
    await using terminal = await on.screen();
    terminal.type('/init short please');
    terminal.key('enter');
    await terminal.waitFor('written');
    expect(terminal.text().match(/\/init short please/g)).toHaveLength(1);
    expect(terminal.text()).not.toContain('The user adds');
    expect(on.sent(0)).toContain('The user adds: short please');
    terminal.key('ctrl+o');
    await terminal.waitFor('Transcript');
    expect(terminal.screen().join('\n')).toContain('❯ /init short please');
  });
});
