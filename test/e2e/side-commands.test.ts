/** Commands beside the conversation: asked on the side, branched off, coloured, gone. */
import { expect, it } from 'vitest';
import { gate, pauseAfter, reply, say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const line = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  terminal.key('enter');
};

it('/btw is answered while a call runs, and leaves no trace in the conversation', async () => {
  await using on = await scene([
    use('Bash', { command: 'until test -f go; do sleep 0.05; done' }),
    say('the flag is --quiet'),
    say('turn over'),
    say('still here'),
  ]);
  await using terminal = await on.screen(['--allowedTools', 'Bash']);
  await line(terminal, 'begin');
  await terminal.waitFor('Running Bash');
  await line(terminal, '/btw which flag was it?');
  await terminal.waitFor('the flag is --quiet');
  expect(on.sent(1)).toContain('which flag was it?');
  await on.repo.write('go', '');
  await terminal.waitFor('turn over');
  await line(terminal, 'and now');
  await terminal.waitFor('still here');
  expect(on.sent(-1)).not.toContain('which flag');
  expect(on.sent(-1)).not.toContain('--quiet');
  expect(on.server.violations).toEqual([]);
});

it('/branch goes on in a copy and leaves the other as it was', async () => {
  await using on = await scene([say('first answer'), say('in the copy')]);
  await using terminal = await on.screen();
  await line(terminal, 'first question');
  await terminal.waitFor('first answer');
  await line(terminal, '/branch other way');
  await terminal.waitFor('You are in a copy now');
  expect(terminal.text().match(/first answer/g)).toHaveLength(1);
  await line(terminal, 'second question');
  await terminal.waitFor('in the copy');
  expect(on.sent(-1)).toContain('first question');
  await line(terminal, '/exit');
  await terminal.exit(30_000);
  const listed = on.transcripts();
  expect(listed).toHaveLength(2);
});

it('commands typed during a turn wait for its end, come back with Up, and instant ones do not wait', async () => {
  const open = gate();
  await using on = await scene([pauseAfter(reply(say('slow')), 2, open)]);
  await using terminal = await on.screen();
  await line(terminal, 'begin');
  await terminal.waitFor('Working');
  await line(terminal, '/status');
  await terminal.waitFor('settings problems');
  await line(terminal, '/plan');
  await terminal.waitFor(/\/plan\s+queued/);
  terminal.key('up');
  await terminal.waitFor(/❯ \/plan\n/);
  terminal.key('enter');
  await terminal.waitFor(/\/plan\s+queued/);
  open.open();
  await terminal.waitFor('Plan mode is on.');
});

it('the prompt takes a colour, and commands that are gone say where to look', async () => {
  await using on = await scene([]);
  await using terminal = await on.screen();
  const rule = () => terminal.cells().findLast((row) => row[0]?.text === '─')?.[0]?.fg;
  await line(terminal, '/status');
  await terminal.waitFor('settings problems');
  const before = rule();
  await line(terminal, '/color pink');
  await terminal.waitFor('The prompt is pink.');
  expect(rule()).not.toEqual(before);
  await line(terminal, '/vim');
  await terminal.waitFor('/config editorMode=vim');
  await line(terminal, '/staus');
  await terminal.waitFor(/There is no command \/staus\. Did you mean .*\/status\?/);
});
