/** Tool servers before a person: what changes in the folder is asked about, forms are filled in, resources are named. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { serversText, toolServer } from '../support/tool-server-config.ts';

const enter = async (terminal: Terminal, text: string) => {
  terminal.type(text);
  terminal.key('enter');
};

test('a server that is new in .mcp.json waits for a yes, and starts with it', {
  timeout: 60_000,
}, async () => {
  await using server = await modelServer([]);
  await using place = await tempRepo({ server, files: { '.mcp.json': serversText({ old: toolServer() }) } });
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  await enter(terminal, '/mcp reconnect old');
  await terminal.waitFor('old is connected.');
  await place.write(
    join(place.path, '.mcp.json'),
    serversText({ old: toolServer({ many: 1 }), fresh: toolServer() }),
  );
  await terminal.waitFor('This folder has changed');
  await terminal.waitFor('tool server fresh');
  terminal.key('esc');
  await terminal.waitFor('What changed in this folder is off');
  await enter(terminal, '/mcp');
  await terminal.waitFor(/old\s+│ connected\s+│\s+10 /);
  await terminal.waitFor(/fresh\s+│ needs approval/);
  await enter(terminal, '/mcp enable fresh');
  await terminal.waitFor('This folder has changed');
  terminal.key('enter');
  await terminal.waitFor('fresh is connected.');
  await enter(terminal, '/mcp reconnect old');
  await terminal.waitFor(/(?:old is connected\.[\s\S]*){2}/);
  await enter(terminal, '/mcp');
  await terminal.waitFor(/old\s+│ connected\s+│\s+11 /);
  await terminal.waitFor(/fresh\s+│ connected\s+│\s+10 /);
});

test('a form is filled in field by field, and what does not fit is asked again', {
  timeout: 60_000,
}, async () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Your name' },
      age: { type: 'integer', maximum: 150 },
      colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
    },
    required: ['name', 'age'],
  };
  await using server = await modelServer([use('mcp__ts__ask', { schema }), say('Thanks.')]);
  await using place = await tempRepo({ server });
  const config = ['--trust', '--mcp-config', serversText({ ts: toolServer() }), '--allowed-tools', 'mcp__ts'];
  await using terminal = await openTerminal(place, config);
  await terminal.waitFor('claude-');
  await enter(terminal, '/mcp reconnect ts');
  await terminal.waitFor('ts is connected.');
  await enter(terminal, 'go');
  await terminal.waitFor('name (1 of 3)');
  await enter(terminal, 'Ada');
  await terminal.waitFor('age (2 of 3)');
  await enter(terminal, '200');
  await terminal.waitFor('colour (3 of 3)');
  terminal.key('enter');
  await terminal.waitFor('200 is not at most 150.');
  await enter(terminal, '36');
  await terminal.waitFor('Thanks.');
  expect(server.requests[1]?.results[0]?.text).toBe(
    JSON.stringify({ action: 'accept', content: { name: 'Ada', colour: 'green', age: 36 } }),
  );
});

test('a resource is completed after @, and goes along with the prompt', async () => {
  await using server = await modelServer([say('Read.')]);
  await using place = await tempRepo({ server });
  const resources = [{ uri: 'note://one', name: 'The note' }];
  await using terminal = await openTerminal(place, [
    '--trust',
    '--mcp-config',
    serversText({ ts: toolServer({ resources }) }),
  ]);
  await terminal.waitFor('claude-');
  await enter(terminal, '/mcp reconnect ts');
  await terminal.waitFor('ts is connected.');
  terminal.type('read @ts:');
  await terminal.waitFor('The note');
  terminal.key('tab');
  terminal.key('enter');
  await terminal.waitFor('Read.');
  expect(server.requests[0]?.prompt).toContain('text of note://one');
});
