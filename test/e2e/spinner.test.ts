import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openTerminal } from '../support/terminal.ts';

test('the spinner says what the task in progress is about', async () => {
  const held = gate();
  await using server = await modelServer([
    use('TaskCreateTool', { subject: 'Round once', description: 'At the end', activeForm: 'Rounding once' }),
    use('TaskUpdateTool', { taskId: '1', status: 'in_progress' }),
    pauseAfter(say('Half of it is done.'), 3, held),
  ]);
  await using place = await tempRepo({ server });
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor(/Rounding once…/);
  held.open();
  await terminal.waitFor('Half of it is done.');
  expect(server.violations).toEqual([]);
});

test('the spinner shows the status message of a hook while it runs, and the call waits for it', async () => {
  await using server = await modelServer([use('Read', { file_path: 'README.md' }), say('All read.')]);
  await using place = await tempRepo({ server });
  const hook = {
    type: 'command',
    command: 'until test -e "$HOME/go"; do sleep 0.02; done',
    statusMessage: 'Looking closely',
  };
  const settings = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] } });
  await place.write(join(place.home, '.coppice/settings.json'), settings);
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor('Looking closely');
  expect(server.requests).toHaveLength(1);
  await place.write(join(place.home, 'go'), '');
  await terminal.waitFor('All read.');
  await terminal.waitUntilGone('Looking closely');
});
