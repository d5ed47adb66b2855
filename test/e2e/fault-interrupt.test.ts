/** Esc in the middle of tools, and signals from outside: the terminal comes back, nothing runs on (F02, F13). */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalBreaches } from '../support/invariants.ts';
import { leftovers } from '../support/processes.ts';
import { gate, pauseAfter, reply, say, use } from '../support/replies.ts';
import { type Scene, scene, untilFile } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

test('F02: Esc while the second of three calls runs', async () => {
  await using on = await scene([
    [
      use('Bash', { command: 'echo fast' }, 'toolu_fast'),
      use('Bash', { command: 'echo began > began.txt; sleep 10' }, 'toolu_slow'),
      use('Write', { file_path: 'third.txt', content: 'x' }, 'toolu_ask'),
    ],
    say('as you wish'),
  ]);
  const allow = ['--allowedTools', 'Bash', 'Edit(began.txt)'];
  await using screen = await on.screen(allow);
  screen.type('three things\r');
  await untilFile(join(on.repo.path, 'began.txt'), 'began');
  screen.key('esc');
  await screen.waitFor('nterrupted', 1000);
  screen.type('never mind\r');
  await screen.waitFor('as you wish');
  const results = on.server.requests[1]?.results ?? [];
  expect(results.map(({ id }) => id)).toEqual(['toolu_fast', 'toolu_slow', 'toolu_ask']);
  expect(results.map(({ error }) => error)).toEqual([false, true, true]);
  expect(results[0]?.text).toBe('fast');
  expect(results[1]?.text).toMatch(/[Ii]nterrupted/);
  expect(results[2]?.text).toMatch(/[Ii]nterrupted/);
  expect(existsSync(join(on.repo.path, 'third.txt'))).toBe(false);
  screen.kill('SIGTERM');
  const exit = await screen.exit();
  expect(
    await on.breaches({
      kept: ['three things', 'never mind', 'as you wish'],
      terminal: { raw: screen.raw, exit },
    }),
  ).toEqual([]);
});

test('F02: Esc while a call waits for an answer', async () => {
  await using on = await scene([
    [
      use('Bash', { command: 'echo fast' }, 'toolu_a'),
      use('Write', { file_path: 'n.txt', content: 'x' }, 'toolu_b'),
    ],
    say('fine'),
  ]);
  await using screen = await on.screen(['--allowedTools', 'Bash(echo *)']);
  screen.type('two things\r');
  await screen.waitFor('n.txt');
  await screen.waitFor(/1\. Yes/);
  screen.key('esc');
  await screen.waitUntilGone('1. Yes', 1000);
  screen.type('other\r');
  await screen.waitFor('fine');
  expect(on.server.requests[1]?.results.map(({ id, error }) => [id, error])).toEqual([
    ['toolu_a', false],
    ['toolu_b', true],
  ]);
  expect(existsSync(join(on.repo.path, 'n.txt'))).toBe(false);
});

const ENDED = 'cat >> "$RUN_ENDED"; echo >> "$RUN_ENDED"';
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

interface State {
  /** Brings the screen into the state; answers what must be in the transcript afterwards. */
  enter(on: Scene, screen: Terminal): Promise<readonly string[]>;
}
const hold = gate();
const states: Readonly<Record<string, State>> = {
  streaming: {
    async enter(on, screen) {
      on.server.script(
        pauseAfter(reply(say('the first half of a long answer and its rest'), { chunk: 24 }), 3, hold),
      );
      screen.type('tell me\r');
      await screen.waitFor('the first half');
      return ['tell me', 'the first half'];
    },
  },
  'a command running': {
    async enter(on, screen) {
      on.server.script([say('Wait.'), use('Bash', { command: 'echo up > up.txt; sleep 300 & sleep 300' })]);
      screen.type('run it\r');
      await untilFile(join(on.repo.path, 'up.txt'), 'up');
      return ['run it', 'Wait.'];
    },
  },
  'a question open': {
    async enter(on, screen) {
      on.server.script(use('Write', { file_path: 'new.txt', content: 'x' }));
      screen.type('write it\r');
      await screen.waitFor(/1\. Yes/);
      return ['write it'];
    },
  },
  'an editor open': {
    async enter(on, screen) {
      screen.type('unfinished');
      await screen.waitFor('unfinished');
      screen.key('ctrl+g');
      await untilFile(join(on.repo.root, 'editing'));
      return [];
    },
  },
  'nothing going on': { enter: async () => [] },
};

describe('F13', () => {
  test.each(
    Object.entries(states).flatMap(([name, state]) =>
      signals.map(([signal, code]) => [signal, name, state, code] as const),
    ),
  )('%s while %s', async (signal, _, state, code) => {
    await using on = await scene([], {
      files: {
        '.coppice/settings.json': JSON.stringify({
          hooks: { SessionEnd: [{ hooks: [{ type: 'command', command: ENDED }] }] },
        }),
      },
    });
    const editor = join(on.repo.root, 'editor.sh');
    writeFileSync(editor, `#!/bin/sh\necho on > '${join(on.repo.root, 'editing')}'\nsleep 300\n`);
    chmodSync(editor, 0o755);
    const ended = join(on.repo.root, 'ended.txt');
    await using screen = await on.screen(
      ['--permission-mode', 'default', '--allowedTools', 'Bash', 'Edit(up.txt)'],
      {
        env: { RUN_ENDED: ended, EDITOR: editor },
      },
    );
    await screen.waitFor('? for keys');
    await screen.waitFor(/sonnet/i);
    const kept = await state.enter(on, screen);
    screen.kill(signal);
    const exit = await screen.exit(3000);
    // A hang-up ends the program as the signal itself would: 128 + 1 for a shell.
    expect(exit.signal === 0 ? exit.code : 128 + exit.signal).toBe(code);
    expect(readFileSync(ended, 'utf8').match(/SessionEnd/g)).toHaveLength(1);
    expect(await on.breaches({ kept, terminal: { raw: screen.raw, exit } })).toEqual([]);
  });

  test('two SIGINT at once leave the terminal as it was', async () => {
    await using on = await scene([pauseAfter(say('half of it'), 3, hold)]);
    await using screen = await on.screen();
    screen.type('tell me\r');
    await screen.waitFor('half of it');
    screen.kill('SIGINT');
    screen.kill('SIGINT');
    const exit = await screen.exit(3000);
    expect(exit.code).toBe(130);
    expect(await on.breaches({ kept: ['tell me'], terminal: { raw: screen.raw, exit } })).toEqual([]);
  });

  test('a terminal that is closed ends the program', async () => {
    await using on = await scene([pauseAfter(say('half of it'), 3, hold)]);
    await using screen = await on.screen();
    screen.type('tell me\r');
    await screen.waitFor('half of it');
    screen.hangUp();
    expect(await leftovers(on.repo.tag)).toEqual([]);
    expect(await on.breaches({ kept: ['tell me', 'half of it'] })).toEqual([]);
  });
});

describe('without a screen', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s ends the run, its commands, and its session', async (signal, code) => {
    await using on = await scene([
      [say('Wait.'), use('Bash', { command: 'echo up > up.txt; sleep 300 & sleep 300' })],
    ]);
    const run = on.start([
      '-p',
      'run it',
      '--output-format',
      'json',
      '--allowedTools',
      'Bash',
      'Edit(up.txt)',
    ]);
    run.endInput();
    await untilFile(join(on.repo.path, 'up.txt'), 'up');
    run.kill(signal);
    const ran = await run.ended;
    expect(ran).toMatchObject(signal === 'SIGHUP' ? { signal } : { code, signal: null });
    expect(JSON.parse(ran.stdout)).toMatchObject({ type: 'result', is_error: true });
    expect(await on.breaches({ kept: ['run it', 'Wait.'] })).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s while it waits for the next line of input',
    async (signal) => {
      await using on = await scene([say('first')]);
      const run = on.start([
        '-p',
        '--input-format',
        'stream-json',
        '--output-format',
        'stream-json',
        '--verbose',
      ]);
      run.write('{"type":"user","message":{"role":"user","content":"one"}}\n');
      await run.waitFor('"result":"first"');
      run.kill(signal);
      const ran = await run.ended;
      expect(ran).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143, signal: null });
      expect(await on.breaches({ kept: ['one', 'first'] })).toEqual([]);
    },
  );

  test('a signal while a hook holds up the start', async () => {
    const hold = 'echo on > "$HELD"; sleep 300';
    await using on = await scene([], {
      files: {
        '.coppice/settings.json': JSON.stringify({
          hooks: { SessionStart: [{ hooks: [{ type: 'command', command: hold }] }] },
        }),
      },
    });
    const held = join(on.repo.root, 'held.txt');
    const run = on.start(['-p', 'hello', '--trust'], { env: { HELD: held } });
    run.endInput();
    await untilFile(held, 'on');
    run.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 143, signal: null });
    expect(on.server.requests).toHaveLength(0);
    expect(await on.breaches()).toEqual([]);
  });

  test('a signal to a screen that is just opening gives the terminal back', async () => {
    await using on = await scene();
    // From the first key it takes, over its first frame, to the whole screen.
    for (const sight of ['', 'Coppice', 'What shall we do?', 'claude-']) {
      await using screen = await on.screen();
      await screen.waitFor(sight);
      screen.kill('SIGTERM');
      const exit = await screen.exit();
      expect([sight, exit.code, terminalBreaches({ raw: screen.raw, exit })]).toEqual([sight, 143, []]);
    }
    expect(await on.breaches()).toEqual([]);
  });

  test('a command left in the background ends with the run', async () => {
    await using on = await scene([
      use('Bash', { command: 'sleep 300', run_in_background: true }),
      say('it runs'),
    ]);
    const ran = await on.ask('start', '--allowedTools', 'Bash');
    expect([ran.code, ran.stdout]).toEqual([0, 'it runs\n']);
    expect(await on.breaches({ kept: ['start', 'it runs'] })).toEqual([]);
  });
});
