import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

const line = (terminal: Terminal, text: string) => {
  terminal.type(text);
  terminal.key('enter');
};

test('panels, the editor and a hidden key', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ env: { ANTHROPIC_BASE_URL: server.url } });
  await place.write('AGENTS.md', 'Be brief.\n');
  const editor = join(place.tmp, 'editor');
  await place.write(editor, '#!/bin/sh\necho "Be kind." >> "$1"\n');
  await using terminal = await openTerminal(place, ['--trust'], { env: { EDITOR: `sh ${editor}` } });
  await terminal.ready();
  await terminal.waitFor('for commands');

  line(terminal, '/permissions deny Bash(curl *) user');
  await terminal.waitFor(/is now under deny in the user settings/);
  line(terminal, '/permissions');
  await terminal.waitFor('Deny comes before ask before allow');
  terminal.key('q');
  await terminal.waitUntilGone('q leave');

  line(terminal, '/memory');
  await terminal.waitFor(/AGENTS\.md.*project/);
  terminal.key('enter');
  await terminal.waitFor(/was saved/);
  expect(readFileSync(join(place.path, 'AGENTS.md'), 'utf8')).toBe('Be brief.\nBe kind.\n');

  line(terminal, '/login');
  await terminal.waitFor('API key');
  line(terminal, 'sk-test-CANARY-typed');
  await terminal.waitFor('The key is kept in your home.');
  const kept = join(place.state, 'credentials.json');
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  server.script(say('hello'));
  line(terminal, 'hi');
  await terminal.waitFor('hello');
  expect(server.requests.at(-1)?.headers['x-api-key']).toBe('sk-test-CANARY-typed');

  line(terminal, '/logout');
  const exit = await terminal.exit(30_000);
  expect(existsSync(kept)).toBe(false);
  expect(terminal.raw()).not.toContain('CANARY');
  expect(
    await breaches({ place, server, terminal: { raw: terminal.raw, exit }, kept: ['hi', 'hello'] }),
  ).toEqual([]);
});
