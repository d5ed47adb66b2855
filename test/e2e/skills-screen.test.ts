/** Skills before a person: they come while the program runs, and what they would run is asked about first. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openTerminal } from '../support/terminal.ts';

test('a command that is written while the program runs is in the menu and can be typed', async () => {
  await using server = await modelServer([say('Greeted.')]);
  await using place = await tempRepo({ server });
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  const file = join(place.state, 'commands', 'greet.md');
  await place.write(file, '---\ndescription: Greets somebody\nargument-hint: <who>\n---\nGreet $ARGUMENTS.');
  terminal.type('/gree');
  await terminal.waitFor('Greets somebody');
  terminal.key('ctrl+u');
  terminal.type('/greet Ada');
  terminal.key('enter');
  await terminal.waitFor('Greeted.');
  expect(server.requests[0]?.prompt).toContain('Greet Ada.');
});

test('a skill of the project that would run something is asked about when it is typed', {
  timeout: 60_000,
}, async () => {
  await using server = await modelServer([say('Deployed.')]);
  await using place = await tempRepo({ server, files: { '.coppice/skills/plain/SKILL.md': 'Do it.' } });
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  await place.write(
    join(place.path, '.coppice/skills/deploy/SKILL.md'),
    '---\ndescription: Deploys it\nallowed-tools: Bash(echo *)\n---\nTo !`echo the moon`.',
  );
  terminal.type('/depl');
  await terminal.waitFor('Deploys it');
  terminal.key('ctrl+u');
  terminal.type('/deploy');
  terminal.key('enter');
  await terminal.waitFor('This folder has changed');
  await terminal.waitFor('deploy/SKILL.md can run commands');
  terminal.key('enter');
  await terminal.waitFor('Deployed.');
  expect(server.requests[0]?.prompt).toContain('To the moon.');
});
