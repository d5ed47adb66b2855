import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openTerminal } from '../support/terminal.ts';

const reading = [use('Read', { file_path: 'README.md' }), say('All read.')];
const settings = (event: string, hook: object) => JSON.stringify({ hooks: { [event]: [{ hooks: [hook] }] } });

/** Opens a conversation whose one hook is held; sees its words; lets it go; sees the answer. */
const watch = async (
  hook: object,
  server: Awaited<ReturnType<typeof modelServer>>,
  release: () => void,
): Promise<void> => {
  await using place = await tempRepo({ server });
  await place.write(
    join(place.home, '.coppice/settings.json'),
    settings('PreToolUse', { ...hook, statusMessage: 'Weighing it up' }),
  );
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor('Weighing it up');
  release();
  await terminal.waitFor('All read.');
  await terminal.waitUntilGone('Weighing it up');
};

test('the words of a prompt hook are seen while the small model thinks', async () => {
  const held = gate();
  await using server = await modelServer(reading);
  server.lane(/decide for a hook/, pauseAfter(say('{"ok": true}'), 3, held));
  await watch({ type: 'prompt', prompt: 'Is this fine? $ARGUMENTS' }, server, held.open);
});

test('the words of an agent hook are seen while its verifier works', async () => {
  const held = gate();
  await using server = await modelServer(reading);
  server.lane(
    (request) => request.prompt.includes('Look whether this is fine'),
    pauseAfter(say('{"ok": true}'), 3, held),
  );
  await watch({ type: 'agent', prompt: 'Look whether this is fine: $ARGUMENTS' }, server, held.open);
});

test('the words of an http hook are seen until the server answers', async () => {
  let waiting: ServerResponse | undefined;
  const web = createServer((_request, response) => {
    waiting = response;
  }).listen(0, '127.0.0.1');
  await using server = await modelServer(reading);
  const { port } = web.address() as AddressInfo;
  await watch({ type: 'http', url: `http://127.0.0.1:${port}/hook` }, server, () => waiting?.end());
  web.closeAllConnections();
  web.close();
});

test('a background hook that exits with 2 wakes an idle conversation with what it printed', async () => {
  await using server = await modelServer([say('First answer.'), say('Awake again.')]);
  await using place = await tempRepo({ server });
  const hook = {
    type: 'command',
    command: 'until test -e "$HOME/go"; do sleep 0.02; done; echo the build broke; exit 2',
    asyncRewake: true,
  };
  await place.write(join(place.home, '.coppice/settings.json'), settings('UserPromptSubmit', hook));
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor('First answer.');
  await place.write(join(place.home, 'go'), '');
  await terminal.waitFor('Awake again.');
  expect(server.requests[1]?.prompt).toContain('the build broke');
  expect(server.violations).toEqual([]);
});
