/** The keys of the prompt in the built program: put aside, edit, own commands, vim, keys of one's own, the transcript. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gate, pauseAfter, reply, say, use } from '../support/replies.ts';
import { scene, untilFile } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const prompt = (terminal: Terminal): string =>
  terminal
    .screen()
    .findLast((row) => /^[❯!] /.test(row))
    ?.slice(2) ?? '';
const shows = (terminal: Terminal, text: string) => terminal.waitFor(() => prompt(terminal) === text);
const IDLE = 'What shall we do?';

describe('the prompt', () => {
  it('puts a draft aside and brings it back after the next prompt', async () => {
    await using on = await scene([say('quick answer')]);
    await using terminal = await on.screen();
    terminal.type('a long draft');
    await shows(terminal, 'a long draft');
    terminal.key('ctrl+s');
    await shows(terminal, IDLE);
    terminal.type('quick');
    terminal.key('enter');
    await terminal.waitFor('quick answer');
    await shows(terminal, 'a long draft');
  });

  it.each([['ctrl+g'], ['ctrl+x', 'ctrl+e']])(
    'gives the whole keyboard to the editor (%s %s)',
    async (...keys) => {
      await using on = await scene([]);
      const editor = join(on.repo.tmp, 'editor');
      writeFileSync(
        editor,
        '#!/bin/sh\nprintf ready\nread line\nprintf "%s, %s" "$(cat "$1")" "$line" >"$1"\n',
      );
      await using terminal = await on.screen([], { env: { EDITOR: `sh ${editor}` } });
      terminal.type('typed here');
      await shows(terminal, 'typed here');
      for (const key of keys) if (key) terminal.key(key);
      await terminal.waitFor('ready');
      for (const letter of 'and there') terminal.type(letter);
      terminal.key('enter');
      await shows(terminal, 'typed here, and there');
    },
  );

  it('runs a command of one’s own once, shows it once, and the model answers', async () => {
    await using on = await scene([say('I saw it')]);
    await using terminal = await on.screen();
    terminal.type('!echo one-$((1+1))');
    await terminal.waitFor('! echo one-');
    terminal.key('enter');
    await terminal.waitFor('I saw it');
    expect(terminal.text().match(/one-2/g)).toHaveLength(1);
    expect(terminal.text().match(/echo one-/g)).toHaveLength(1);
    expect(on.server.requests[0]?.raw).toContain('<bash-input>echo one-$((1+1))</bash-input>');
    terminal.key('up');
    await shows(terminal, 'echo one-$((1+1))');
  });

  it('keeps quiet about it where that is wished, and tells the model with the next prompt', async () => {
    await using on = await scene([say('now')]);
    await on.repo.write(join(on.repo.state, 'settings.json'), '{"respondToBashCommands": false}');
    await using terminal = await on.screen();
    terminal.type('!echo quiet');
    await terminal.waitFor('! echo quiet');
    terminal.key('enter');
    await terminal.waitFor(/! echo quiet\n {2}quiet/);
    expect(on.server.requests).toEqual([]);
    await shows(terminal, IDLE);
    terminal.type('next');
    terminal.key('enter');
    await terminal.waitFor('now');
    expect(on.server.requests[0]?.raw).toContain('<bash-input>echo quiet</bash-input>');
  });

  it('lets a command of one’s own run between a call and its result', async () => {
    await using on = await scene([
      use('Bash', { command: 'until test -f go; do sleep 0.05; done' }),
      say('both seen'),
      say('and that'),
    ]);
    await using terminal = await on.screen(['--allowedTools', 'Bash']);
    terminal.type('wait');
    terminal.key('enter');
    await terminal.waitFor('Running Bash');
    terminal.type('!touch go && echo made');
    await terminal.waitFor('! touch go');
    terminal.key('enter');
    await terminal.waitFor('both seen');
    expect(on.server.violations).toEqual([]);
    await terminal.waitFor(() => on.server.requests.some(({ raw }) => raw.includes('<bash-input>touch go')));
    expect(on.server.violations).toEqual([]);
  });

  it('stops all agents on Ctrl+X Ctrl+K twice', async () => {
    await using on = await scene([
      use('AgentTool', { description: 'wait for ever now', prompt: 'wait', run_in_background: true }),
      say('started'),
      say('noted'),
    ]);
    const open = gate();
    on.server.always(({ prompt }) => prompt.endsWith('wait'), pauseAfter(reply(say('late')), 2, open));
    await using terminal = await on.screen();
    terminal.type('go');
    terminal.key('enter');
    await terminal.waitFor('started');
    terminal.key('ctrl+x');
    await terminal.waitFor('ctrl+x …');
    terminal.key('ctrl+k');
    await terminal.waitFor('again to stop one agent');
    terminal.key('ctrl+x');
    terminal.key('ctrl+k');
    await terminal.waitFor('Stopped one agent.');
    open.open();
  });
});

describe('vim and keys of one’s own', () => {
  it('follow the settings while the program runs', async () => {
    await using on = await scene([]);
    const keys = join(on.repo.state, 'keybindings.json');
    const bind = (bindings: Record<string, string | null>) =>
      on.repo.write(keys, JSON.stringify({ bindings: [{ context: 'Chat', bindings }] }));
    await bind({ 'ctrl+u': null, 'ctrl+q': 'chat:nonsense' });
    await on.repo.write(
      join(on.repo.state, 'settings.json'),
      '{"editorMode": "vim", "vimInsertModeRemaps": {"jj": "<Esc>"}}',
    );
    await using terminal = await on.screen();
    await terminal.waitFor('found "chat:nonsense"');
    await terminal.waitFor('-- INSERT --');
    terminal.type('one two');
    terminal.key('ctrl+u');
    await shows(terminal, 'one two');
    terminal.type('jj');
    await terminal.waitFor('-- NORMAL --');
    terminal.type('bdwi');
    await shows(terminal, 'one');
    await terminal.waitFor('-- INSERT --');
    await bind({ 'ctrl+u': 'chat:stash' });
    while (prompt(terminal) !== IDLE) {
      terminal.key('ctrl+u');
      await terminal.settle(80);
    }
  });

  it('are made and opened by /keybindings', async () => {
    await using on = await scene([]);
    const editor = join(on.repo.tmp, 'editor');
    writeFileSync(
      editor,
      '#!/bin/sh\nprintf \'{"bindings": [{"context": "Chatt", "bindings": {}}]}\' >"$1"\n',
    );
    await using terminal = await on.screen([], { env: { EDITOR: `sh ${editor}` } });
    terminal.type('/keybindings');
    terminal.key('enter');
    await terminal.waitFor(/"Chatt",\s+expected\s+one\s+of\s+Global/);
    expect(terminal.text().match(/"Chatt"/g)).toHaveLength(1);
    expect(readFileSync(join(on.repo.state, 'keybindings.json'), 'utf8')).toContain('Chatt');
  });
});

describe('the transcript', () => {
  it('opens before anything was said', async () => {
    await using on = await scene([]);
    await using terminal = await on.screen();
    terminal.key('ctrl+o');
    await terminal.waitFor('Transcript');
    terminal.key('q');
    await shows(terminal, IDLE);
  });

  it('shows results short and whole, opens in the editor, and goes into the scrollback', async () => {
    await using on = await scene([use('Bash', { command: 'seq 100 160' }), say('counted')]);
    const editor = join(on.repo.tmp, 'editor');
    const seen = join(on.repo.tmp, 'seen');
    writeFileSync(editor, `#!/bin/sh\ncp "$1" ${seen}\n`);
    await using terminal = await on.screen(['--allowedTools', 'Bash'], {
      env: { EDITOR: `sh ${editor}` },
    });
    terminal.type('count');
    terminal.key('enter');
    await terminal.waitFor('counted');
    terminal.key('ctrl+o');
    await terminal.waitFor(/ 158\n/);
    terminal.key('ctrl+e');
    await terminal.waitFor('show all');
    expect(terminal.screen().join('\n')).not.toContain(' 158');
    terminal.key('ctrl+e');
    await terminal.waitFor(() => terminal.screen().join('\n').includes(' 158'));
    terminal.key('{');
    await terminal.waitFor(() => terminal.screen()[1]?.includes('❯ count') ?? false);
    terminal.key('v');
    await untilFile(seen, '❯ count');
    await terminal.waitFor('Transcript');
    terminal.key('[');
    await terminal.waitFor(/ 158\n[\s\S]*What shall we do\?/);
  });
});
