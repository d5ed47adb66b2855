/** Agents as a person watches them in a terminal: seen, opened, steered, stopped, sent to the background. */
import { expect, test } from 'vitest';
import { leftovers } from '../support/processes.ts';
import type { Received } from '../support/received.ts';
import { gate, pauseAfter, say, slowly, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const isChild = ({ system }: Received): boolean => system.includes('You are an agent of Coppice');
const start = (n: number | string, more: object = {}) =>
  use('AgentTool', { prompt: `Job ${n}.`, description: `Do job ${n}`, name: `scout${n}`, ...more });
const send = (on: { type(text: string): void; key(name: string): void }, text: string) => {
  on.type(text);
  on.key('enter');
};

test('ten agents that write at once: one is opened and steered, one is stopped, and the keyboard stays quick', async () => {
  await using on = await scene([
    Array.from({ length: 10 }, (_, n) => start(n, { run_in_background: true })),
    say('Ten are at it.'),
  ]);
  const words = 'word '.repeat(3000);
  on.server.lane(({ raw }) => raw.includes('turn left'), say('Turned left.'));
  on.server.always(isChild, ({ results }) =>
    // Each writes about thirty pieces a second, over and over.
    results.length < 1 ? slowly([say(words), use('Bash', { command: 'true' })], 33) : slowly(say(words), 33),
  );
  on.server.always((request) => !isChild(request) && request.raw.includes('Ten are at it.'), say('Heard.'));
  await using terminal = await on.screen([], { rows: 40, columns: 120 });
  send(terminal, 'go');
  for (const n of [0, 9]) await terminal.waitFor(new RegExp(`○ scout${n} · Do job ${n} +writing`));
  terminal.type('typed meanwhile');
  await terminal.waitFor('❯ typed meanwhile');
  terminal.key('ctrl+u');
  await terminal.waitUntilGone('typed meanwhile');

  const focused = () => /^❯ ○ (\w+)/.exec(terminal.screen().find((row) => row.startsWith('❯ ○')) ?? '')?.[1];
  const moved = async (): Promise<string | undefined> => {
    const before = focused();
    terminal.key('down');
    await terminal.waitFor(() => focused() !== undefined && focused() !== before);
    return focused();
  };
  await moved();
  await moved();
  const opened = await moved();
  terminal.key('enter');
  await terminal.waitFor(new RegExp(`^ ${opened} · Do job \\d +writing`, 'm'));
  await terminal.waitFor('word word word');
  send(terminal, 'turn left');
  await terminal.waitFor('sent: it reads it at its next tool round');
  terminal.key('esc');
  await terminal.waitFor(() => focused() === opened);
  const stopped = await moved();
  terminal.key('x');
  await terminal.waitFor(`Stopped ${stopped}.`);
  await terminal.waitFor(() => !terminal.screen().some((row) => row.includes(`○ ${stopped} ·`)));
  terminal.key('esc');
  await terminal.waitFor('↓ agents');
  send(terminal, '/exit');
  await terminal.exit(30_000);
  expect(await leftovers(on.repo.tag, 5000)).toEqual([]);
}, 90_000);

test('Ctrl+B lets the conversation go on without an agent that it waits for, and its end is told once', async () => {
  const hold = gate();
  await using on = await scene([start('a'), say('Going on.'), say('Heard of it.')]);
  on.server.always(isChild, pauseAfter(say('Here it is.'), 2, hold));
  await using terminal = await on.screen();
  send(terminal, 'go');
  await terminal.waitFor(/scouta · Do job a .*waited for/);
  terminal.key('ctrl+b');
  await terminal.waitFor('Going on.');
  await terminal.waitFor(/scouta · Do job a(?!.*waited for)/);
  hold.open();
  await terminal.waitFor('Heard of it.');
  expect(terminal.text()).toMatch(/Agent Do job a +done/);
  expect(terminal.text()).not.toContain('task-notification');
  const parents = on.server.requests.filter((request) => !isChild(request));
  expect(parents[1]?.results[0]?.text).toContain('runs in the background');
  expect(parents[2]?.prompt.split('<task-notification>')).toHaveLength(2);
  expect(parents[2]?.prompt).toContain('Here it is.');
  send(terminal, '/exit');
  await terminal.exit(30_000);
});

test('a question of an agent is asked with its name while the tree says that it waits', async () => {
  await using on = await scene([start('a', { run_in_background: true }), say('Going on.')]);
  on.server.lane(isChild, use('Bash', { command: 'touch made' }), say('Done.'));
  on.server.always((request) => !isChild(request) && on.server.remaining() === 0, say('Heard.'));
  await using terminal = await on.screen();
  send(terminal, 'go');
  await terminal.waitFor(/\? scouta · Do job a +waits for an answer/);
  expect(terminal.text()).toContain('touch made');
  terminal.key('1');
  await terminal.waitFor('Heard.');
  send(terminal, '/exit');
  await terminal.exit(30_000);
});
