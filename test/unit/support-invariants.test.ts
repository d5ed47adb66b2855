import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { breaches, errorBreaches, fileBreaches, terminalBreaches } from '../support/invariants.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { startCoppice } from '../support/run-binary.ts';

let place: TempRepo;
beforeAll(async () => {
  place = await tempRepo();
});
afterAll(() => place.dispose());
beforeEach(() => mkdir(place.state, { recursive: true, mode: 0o700 }));

const file = async (name: string, content: string, mode = 0o600): Promise<string> => {
  const path = join(place.state, name);
  await writeFile(path, content, { mode });
  await chmod(path, mode);
  return path;
};

test('a sound aftermath has no breach', async () => {
  await file('s.jsonl', '{"text":"said this"}\n{"text":"and');
  await file('settings.json', '{}');
  expect(await breaches({ place, kept: ['said this'], server: { violations: [] } })).toEqual([]);
});

test('each broken promise is named', async () => {
  await file('s.jsonl', '{"text":"said this"}\n{"tex\n{}\n');
  await file('settings.json', '{', 0o644);
  await file('x.json.tmp-1', 'CANARY');
  const resumed = { body: { model: 'm', messages: [{ role: 'user', content: 'other' }] } };
  expect(
    await breaches({ place, kept: ['said this', 'gone'], resumed, server: { violations: ['bad'] } }),
  ).toEqual([
    'The resumed request lacks "said this".',
    'No transcript holds "gone".',
    'The resumed request lacks "gone".',
    'The protocol was broken: bad',
    `Line 2 of ${place.state}/s.jsonl does not parse.`,
    `${place.state}/settings.json does not parse.`,
    `${place.state}/x.json.tmp-1 was left behind.`,
    `${place.state}/settings.json has mode 644.`,
    `The secret stands in ${place.state}/x.json.tmp-1.`,
  ]);
  expect(fileBreaches(place.state, 'killed')).not.toContain(`${place.state}/x.json.tmp-1 was left behind.`);
});

test('a process that outlives the run is named', async () => {
  await using running = startCoppice(place, ['60'], {
    command: ['sleep'],
  });
  expect(await breaches({ place: { ...place, state: '/none', path: '/none' }, patience: 50 })).toEqual([
    `Process ${running.pid} still runs: sleep 60`,
  ]);
});

test.each<[string, object, string[]]>([
  ['a good error', { stderr: 'Error: 401 was answered\n', code: 1 }, []],
  ['success', { stderr: '401', code: 0 }, ['A failed run ended with exit code 0.']],
  ['no cause', { stderr: 'oh', code: 1 }, ['No line of the error names 401: oh']],
])('%s is judged', (_, ran, expected) => {
  expect(
    errorBreaches({ ran: { stdout: '', stderr: '', code: 1, signal: null, ...ran }, names: '401' }),
  ).toEqual(expected);
});

test('a bare stack trace is a breach', () => {
  const stderr = 'Error: 401\n    at run (file:///x/dist/main.js:1:2)\n';
  expect(errorBreaches({ ran: { stdout: '', stderr, code: 1, signal: null }, names: '401' })).toHaveLength(1);
});

test('a terminal left raw is a breach', () => {
  const exit = { code: 0, signal: 0, termios: { before: 'a', after: 'b' } };
  expect(terminalBreaches({ raw: () => '\x1b[?25l', exit })).toEqual([
    'The terminal was left with ?25l.',
    'The line settings were left as b, not a.',
  ]);
});
