import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { resumeLong } from '../support/long-session.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

test('broken settings: each file, key and cure is named, the rest counts, the answer comes', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write(`${place.state}/settings.json`, '{ "language": "German", "cleanupPeriodDays": "soon" }');
  await place.write('.coppice/settings.json', '{ "model": ');
  server.script(say('done'));
  const ran = await runCoppice(place, ['-p', 'go']);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(ran.stderr).toMatch(/home\/\.coppice\/settings\.json.*cleanupPeriodDays.*"soon"/);
  expect(ran.stderr).toMatch(/project\/\.coppice\/settings\.json/);
  expect(server.requests[0]?.system).toContain('Answer in German.');
});

test('a circle of imports is named and left out; what is in it is read once', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write('AGENTS.md', 'Rule one.\n@two.md\n');
  await place.write('two.md', 'Rule two.\n@AGENTS.md\n');
  server.script(say('done'));
  const ran = await runCoppice(place, ['-p', 'go']);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(ran.stderr).toMatch(/Imports go in a circle: .*AGENTS\.md -> .*two\.md -> .*AGENTS\.md/);
  expect(server.requests[0]?.raw.match(/Rule one\./g)).toHaveLength(1);
  expect(server.requests[0]?.raw.match(/Rule two\./g)).toHaveLength(1);
});

test('a search with a bad expression says so, and how to go on', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  server.script(reply([use('Grep', { pattern: '(' }), use('Glob', { pattern: '[' })]), say('done'));
  expect(await runCoppice(place, ['-p', 'go'])).toMatchObject({ code: 0 });
  const [grep, glob] = server.requests.at(-1)?.results ?? [];
  expect(grep).toMatchObject({ error: true, text: expect.stringMatching(/regex parse error/) });
  expect(glob?.text).not.toMatch(/at \w+ \(/);
});

test('a conversation of 120 MB goes on in bounded memory, with the last words whole', async () => {
  const long = await resumeLong(120_000_000);
  expect(long).toMatchObject({ ran: { code: 0, stdout: 'done\n' }, violations: [] });
  expect(long.ran.stderr).toMatch(/very long: older messages were shortened/);
  expect(long.request).toContain('last words');
  expect(long.peakMegabytes).toBeLessThan(700);
});

test('a paste of 10 MB is folded, and sent whole', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  server.script(say('got it'));
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.ready();
  await terminal.waitFor('Coppice');
  const line = `${'pasted text '.repeat(8)}\n`;
  terminal.paste(line.repeat(Math.ceil(10_000_000 / line.length)));
  await terminal.waitFor(/Pasted text #1/, 60_000);
  terminal.key('enter');
  const request = await server.waitForRequests(1, 60_000);
  expect(request.raw.length).toBeGreaterThan(10_000_000);
  await terminal.waitFor('got it', 60_000);
  terminal.type('/exit');
  terminal.key('enter');
  const exit = await terminal.exit(30_000);
  expect(await breaches({ place, server, terminal: { raw: terminal.raw, exit } })).toEqual([]);
});

test('what a wrong flag is answered with breaks between words in a terminal', async () => {
  await using place = await tempRepo();
  await using terminal = await openTerminal(place, ['--output-format', 'x'], { columns: 40 });
  expect((await terminal.exit(20_000)).code).toBe(2);
  expect(terminal.text().replace(/ +$/gm, '')).toContain(
    "error: option '--output-format <format>'\nargument 'x' is invalid. Allowed choices\nare text, json, stream-json.",
  );
});
