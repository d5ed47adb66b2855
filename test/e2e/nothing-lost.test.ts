/** What a person wrote is there again: after a kill, in a dialog, in another conversation, however long it is. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { pngFile } from '../support/sample-files.ts';
import { scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const killed = async (screen: Terminal) => {
  screen.kill('SIGKILL');
  await screen.exit();
  await screen[Symbol.asyncDispose]();
};

const draftFiles = (state: string): string[] =>
  readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.draft'));
const draftsIn = (state: string): string =>
  draftFiles(state)
    .filter((name) => name.endsWith('.draft'))
    .map((name) => readFileSync(join(state, name), 'utf8').split('\n', 1)[0])
    .join('\n');

test('pictures and folded text of a draft come back after a kill, and are sent whole', async () => {
  await using on = await scene([say('one'), say('seen')]);
  writeFileSync(join(on.repo.path, 'shot.png'), pngFile(20, 10));
  const first = await on.screen();
  first.type('hello\r');
  await first.waitFor('one');
  first.type('look at ');
  first.paste('shot.png');
  await first.waitFor('[Image #1]');
  first.paste('folded line\n'.repeat(500));
  await first.waitFor(/Pasted text #1/);
  await until('the draft', () => /\[Image #1\].*folded line/.test(draftsIn(on.repo.state)));
  await killed(first);
  await using second = await on.screen(['--continue']);
  await second.waitFor('folded line');
  second.key('enter');
  await second.waitFor('seen');
  const request = on.sent(-1);
  expect(request).toContain(pngFile(20, 10).toString('base64'));
  expect(request).toContain(JSON.stringify('folded line\n'.repeat(500)).slice(1, -3));
  expect(draftFiles(on.repo.state)).toEqual([]);
});

test('queued messages and a draft come through a kill while it works', async () => {
  const hold = gate();
  await using on = await scene([pauseAfter(say('thinking it over'), 3, hold), say('went on'), say('and on')]);
  const first = await on.screen();
  first.type('begin\r');
  await first.waitFor('thinking it');
  first.type('queued one\r');
  first.type('queued two\r');
  await first.waitFor('queued two');
  first.type('half a thought');
  await until('the draft', () => draftsIn(on.repo.state).includes('half a thought'));
  await killed(first);
  hold.open();
  await using second = await on.screen(['--continue']);
  await second.waitFor('half a thought');
  await until('a request with both', () => /queued one.*queued two/s.test(on.sent(-1)));
  expect(on.sent(-1).split('queued one')).toHaveLength(2);
  expect(on.server.violations).toEqual([]);
});

test('a draft outlives a question, a picker and the way into another conversation', async () => {
  const hold = gate();
  await using on = await scene([
    say('first talk'),
    pauseAfter(use('Write', { file_path: 'new.txt', content: 'x' }), 2, hold),
    say('written'),
  ]);
  expect((await on.ask('about apples')).code).toBe(0);
  await using screen = await on.screen();
  screen.type('write it\r');
  await on.server.waitForRequests(2);
  screen.type('a thought ');
  await screen.waitFor('a thought');
  // Keys belong to the prompt, whatever question comes, until nobody has typed for 700 ms.
  await new Promise((resolve) => setTimeout(resolve, 900));
  hold.open();
  await screen.waitFor(/1\. Yes/, 5000);
  screen.key('enter');
  await screen.waitFor('written', 5000);
  await screen.waitFor('❯ a thought', 5000);
  screen.key('ctrl+s');
  await screen.waitUntilGone('❯ a thought', 5000);
  screen.type('/resume\r');
  await screen.waitFor('about apples', 5000);
  screen.key('enter');
  await screen.waitFor('first talk', 5000);
  await screen.waitFor('❯ a thought', 5000);
});

test('a prompt of 400 KB is an Up away in the next program', async () => {
  const long = 'a long prompt, line after line\n'.repeat(13_000);
  await using on = await scene([say('one'), say('two')]);
  const first = await on.screen();
  await first.waitFor('? for keys');
  first.paste(long);
  await first.waitFor(/Pasted text #1/);
  first.key('enter');
  await first.waitFor('one');
  await killed(first);
  await using second = await on.screen();
  await second.waitFor('? for keys');
  second.key('up');
  await second.waitFor(/Pasted text #1/);
  second.key('enter');
  await second.waitFor('two');
  expect(on.sent(-1)).toContain(JSON.stringify(long.trim()).slice(1, -1));
});
