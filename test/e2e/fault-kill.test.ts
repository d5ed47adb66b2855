/** Killed between a call and its result, and torn at the end of the transcript. */
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { resultOf, scene, untilFile } from '../support/scene.ts';

const BASH = ['--allowedTools', 'Bash', '--permission-mode', 'acceptEdits'];

test('F01: killed while a command runs, the call is answered as interrupted and not run again', async () => {
  await using on = await scene([
    [say('I shall wait.'), use('Bash', { command: 'echo ran >> ran.txt; sleep 30' })],
  ]);
  const first = on.start(['-p', 'wait for it', '--output-format', 'stream-json', '--verbose', ...BASH]);
  first.endInput();
  await untilFile(join(on.repo.path, 'ran.txt'), 'ran');
  first.kill('SIGKILL');
  await first.ended;
  expect(await on.breaches({ ending: 'killed', kept: ['wait for it', 'I shall wait.'] })).toEqual([]);
  const id = String(JSON.parse(first.stdout().split('\n')[0] ?? '{}').session_id);

  on.server.script(say('Gone on.'));
  const second = await on.ask('go on', '--resume', id, '--output-format', 'json', ...BASH);
  expect(resultOf(second)).toMatchObject({ subtype: 'success', result: 'Gone on.', session_id: id });
  const request = on.server.requests[1];
  expect(request?.results).toHaveLength(1);
  expect(request?.results[0]).toMatchObject({ error: true, text: expect.stringContaining('interrupted') });
  expect(request?.prompt).toContain('go on');
  expect(readFileSync(join(on.repo.path, 'ran.txt'), 'utf8')).toBe('ran\n');
  expect(await on.breaches({ kept: ['wait for it', 'I shall wait.', 'go on'], resumed: request })).toEqual(
    [],
  );
});

test('F03: a torn last line is told of, kept aside, and never glued to what comes', async () => {
  await using on = await scene(Array.from({ length: 6 }, (_, turn) => say(`answer ${turn}`)));
  let id = '';
  for (let turn = 0; turn < 6; turn++) {
    const ran = await on.ask(
      `question ${turn}`,
      '--output-format',
      'json',
      ...(turn === 0 ? [] : ['--resume', id]),
    );
    id = String(resultOf(ran).session_id);
  }
  const [path = ''] = on.transcripts();
  const whole = join(on.repo.root, 'whole');
  cpSync(on.repo.state, whole, { recursive: true });
  const text = readFileSync(path, 'utf8');
  const answer = text.lastIndexOf('\n', text.indexOf('answer 5')) + 1;
  const answerEnd = text.indexOf('\n', answer) + 1;
  const halfAnswer = Math.floor((answerEnd - answer) / 2);
  const last = text.trimEnd().length - text.trimEnd().lastIndexOf('\n');
  const damages: Readonly<Record<string, () => void>> = {
    ...Object.fromEntries(
      [2, 3, 5, 10, 50, Math.floor(last / 2)].map((cut) => [
        `cut ${cut}`,
        () => truncateSync(path, text.length - cut),
      ]),
    ),
    'cut in the answer': () => truncateSync(path, answerEnd - halfAnswer),
    'NUL bytes': () => appendFileSync(path, Buffer.alloc(4096)),
    'half a character': () => appendFileSync(path, Buffer.from([0xe2, 0x82])),
  };
  for (const [name, damage] of Object.entries(damages)) {
    rmSync(on.repo.state, { recursive: true });
    cpSync(whole, on.repo.state, { recursive: true });
    damage();
    on.server.script(say('resumed once'), say('resumed twice'));
    const once = await on.ask(`after ${name}`, '--resume', id);
    expect([name, once.code, once.stdout]).toEqual([name, 0, 'resumed once\n']);
    expect(once.stderr.split('damaged tail')).toHaveLength(2);
    expect(once.stderr).toContain(path);
    expect(readdirSync(dirname(path)).some((file) => file.includes('damaged-'))).toBe(true);
    for (let turn = 0; turn < 5; turn++) expect(on.sent(-1)).toContain(`answer ${turn}`);
    expect(on.sent(-1)).toContain('question 5');
    const twice = await on.ask('and again', '--resume', id);
    expect([name, twice.code, twice.stdout, twice.stderr]).toEqual([name, 0, 'resumed twice\n', '']);
    expect(on.sent(-1)).toContain(`after ${name}`);
    expect(on.sent(-1)).toContain('resumed once');
  }
  // Without its line end alone the last line is whole: nothing is damaged, and nothing is glued to it.
  rmSync(on.repo.state, { recursive: true });
  cpSync(whole, on.repo.state, { recursive: true });
  truncateSync(path, text.length - 1);
  on.server.script(say('resumed once'), say('resumed twice'));
  for (const [prompt, answer] of [
    ['after cut 1', 'resumed once'],
    ['and again', 'resumed twice'],
  ] as const) {
    const ran = await on.ask(prompt, '--resume', id);
    expect([ran.code, ran.stdout]).toEqual([0, `${answer}\n`]);
    for (let turn = 0; turn < 6; turn++) expect(on.sent(-1)).toContain(`answer ${turn}`);
  }
  expect(on.sent(-1)).toContain('resumed once');
  rmSync(whole, { recursive: true });
  expect(on.server.violations).toEqual([]);
});
