/** Terminals that change size without end, stop, go away, or are fed what was never meant for them (F13 and its kin). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leftovers } from '../support/processes.ts';
import { gate, pauseAfter, reply, say, slowly, use } from '../support/replies.ts';
import { COPPICE } from '../support/run-binary.ts';
import { scene, untilFile } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const leave = async (screen: Terminal) => {
  screen.kill('SIGTERM');
  return { raw: screen.raw, exit: await screen.exit() };
};

const words = Array.from({ length: 120 }, (_, at) => `word${at}`).join(' ');

/** A window dragged narrower and wider again, column by column; then thrown from one size to another. */
const drags: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  dragged: [...Array(70).keys(), ...[...Array(70).keys()].toReversed()].map((less) => [120 - less, 40]),
  thrown: Array.from(
    { length: 12 },
    () =>
      [
        [20, 5],
        [200, 60],
        [41, 7],
        [1, 1],
        [120, 40],
      ] as const,
  ).flat(),
};

test.each(Object.entries(drags))(
  'a window %s while an answer streams ends with one prompt, and every word once',
  async (_, sizes) => {
    const hold = gate();
    const streaming = pauseAfter(slowly(reply(say(words), { chunk: 8 }), 12), 60, hold);
    await using on = await scene([streaming, say('still here')]);
    await using screen = await on.screen();
    screen.type('tell me\r');
    await screen.waitFor('word3 ');
    for (const [columns, rows] of sizes) {
      screen.resize(columns, rows);
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    hold.open();
    await screen.waitFor('word119');
    await screen.waitUntilGone('esc to interrupt');
    screen.type('and now');
    await screen.waitFor('and now');
    await screen.settle();
    const shown = screen.screen();
    expect(shown.filter((row) => /^─{10,}$/.test(row.trim()))).toHaveLength(2);
    expect(shown.join('\n').split('word60 ')).toHaveLength(2);
    expect(shown.join('\n').split('❯ and now')).toHaveLength(2);
    expect(screen.text()).toContain('❯ tell me');
    screen.key('enter');
    await screen.waitFor('still here');
    expect(await on.breaches({ kept: ['tell me', words, 'and now'], terminal: await leave(screen) })).toEqual(
      [],
    );
  },
);

test('stopped and continued from outside while it streams, it goes on and takes keys', async () => {
  const hold = gate();
  await using on = await scene([pauseAfter(reply(say(words), { chunk: 8 }), 4, hold), say('still here')]);
  await using screen = await on.screen();
  screen.type('tell me\r');
  await screen.waitFor('word1 ');
  for (let round = 0; round < 5; round++) {
    screen.kill('SIGSTOP');
    screen.kill('SIGCONT');
  }
  screen.kill('SIGSTOP');
  hold.open();
  screen.type('typed while it stood');
  screen.resize(100, 30);
  screen.kill('SIGCONT');
  await screen.waitFor('word119');
  await screen.waitFor('typed while it stood');
  await screen.waitUntilGone('esc to interrupt');
  screen.key('enter');
  await screen.waitFor('still here');
  expect(on.server.requests).toHaveLength(2);
  expect(
    await on.breaches({ kept: ['tell me', words, 'typed while it stood'], terminal: await leave(screen) }),
  ).toEqual([]);
});

test.each([
  ['the leader of its session', []],
  ['without a signal, in a session of its own', ['setsid', '-w']],
  ['told to ignore the signal', ['/bin/sh', '-c', 'trap "" HUP; exec "$@"', 'sh']],
] as const)('the terminal goes away in mid-turn, to a program that is %s', async (_, before) => {
  const hold = gate();
  await using on = await scene([
    [say('I shall wait.'), use('Bash', { command: 'echo up > up.txt; sleep 300 & sleep 300' })],
    pauseAfter(say('half of it'), 3, hold),
  ]);
  await using screen = await on.screen(['--allowedTools', 'Bash', 'Edit(up.txt)'], {
    command: ['env', ...before, process.execPath, COPPICE],
  });
  screen.type('tell me\r');
  await untilFile(join(on.repo.path, 'up.txt'), 'up');
  screen.hangUp();
  expect(await leftovers(on.repo.tag)).toEqual([]);
  expect(await on.breaches({ kept: ['tell me', 'I shall wait.'] })).toEqual([]);
});

test('with few descriptors each failure is one sentence to the model, and the conversation goes on', async () => {
  const calls = [
    use('Bash', { command: 'echo hi' }),
    use('Read', { file_path: 'README.md' }),
    use('Grep', { pattern: 'Sample' }),
    use('Glob', { pattern: '**' }),
  ];
  const spoiled: string[] = [];
  for (const limit of [24, 28, 32, 40, 64]) {
    await using on = await scene([calls, say('done')]);
    const ran = await on.run(['-p', 'go', '--allowedTools', 'Bash'], {
      command: ['/bin/sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', process.execPath, COPPICE],
    });
    expect([limit, ran.code, ran.stdout]).toEqual([limit, 0, 'done\n']);
    const results = on.server.requests.at(-1)?.results ?? [];
    expect(results).toHaveLength(4);
    spoiled.push(...results.filter(({ error }) => error).map(({ text }) => text));
    expect(await on.breaches({ kept: ['go', 'done'] })).toEqual([]);
  }
  expect(spoiled.length).toBeGreaterThan(0);
  for (const text of spoiled) expect(text).toMatch(/^[^\n]*too many files are open[^\n]*$/);
});

/** A program in which something of its own fails as soon as a file is there. */
const withBomb = async (fails: string) => {
  const on = await scene([say('hello there')]);
  const hooks = { SessionEnd: [{ hooks: [{ type: 'command', command: 'echo ended >> ended.txt' }] }] };
  await on.repo.write('.claude/settings.json', JSON.stringify({ hooks }));
  const bomb = join(on.repo.root, 'bomb.cjs');
  const go = join(on.repo.root, 'now');
  writeFileSync(
    bomb,
    `setInterval(() => { if (require('fs').existsSync(${JSON.stringify(go)})) ${fails}; }, 20).unref();`,
  );
  return { on, env: { NODE_OPTIONS: `--require=${bomb}` }, fail: () => writeFileSync(go, '') };
};

test.each([
  ['a fault of its own', "throw new Error('a fault')"],
  ['a promise that nobody waits for', "void Promise.reject(new Error('a fault'))"],
])('%s gives the terminal back, says so in one line, closes, and loses nothing', async (_, fails) => {
  const { on, env, fail } = await withBomb(fails);
  await using _scene = on;
  await using screen = await on.screen([], { env });
  screen.type('hello\r');
  await screen.waitFor('hello there');
  screen.type('half a thought');
  await screen.waitFor('half a thought');
  fail();
  const exit = await screen.exit();
  expect(exit.code).toBe(1);
  expect(screen.text()).toMatch(/^coppice: It ended by a fault of its own: a fault\./m);
  expect(screen.text()).not.toMatch(/^ +at .+:\d+/m);
  expect(await on.breaches({ kept: ['hello', 'hello there'], terminal: { raw: screen.raw, exit } })).toEqual(
    [],
  );
  expect(await on.repo.read('ended.txt')).toBe('ended\n');
  await using again = await on.screen(['--continue']);
  await again.waitFor('half a thought');
});
