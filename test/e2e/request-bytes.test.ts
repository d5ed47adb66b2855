/** What goes over the wire: a prefix that never changes, and a first request that is small. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say, think, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

/** Everything before the end of the messages, cache marks aside. */
const prefix = (raw: string): string =>
  raw.replaceAll(/,?"cache_control":\{[^}]*\}/g, '').replace(/\]\}$/, '');

test('over 30 turns every request begins with the one before', async () => {
  await using on = await scene();
  mkdirSync(join(on.repo.path, 'deep'));
  const steps = Array.from({ length: 24 }, (_, at) => at).flatMap((at) => {
    if (at === 3) return [use('Bash', { command: 'cd deep && pwd' }), say(`answer ${at}`)];
    if (at === 7)
      return [use('Bash', { command: 'sleep 0.2; echo bell', run_in_background: true }), say(`answer ${at}`)];
    if (at === 11)
      return [
        use('Write', { file_path: join(on.repo.path, 'deep/x.txt'), content: 'x' }),
        say(`answer ${at}`),
      ];
    if (at === 15)
      return [
        [think('hm'), say('Both:'), use('Glob', { pattern: '*' }), use('Grep', { pattern: 'x' })],
        say(`answer ${at}`),
      ];
    if (at === 19) return [use('Teleport', {}), say(`answer ${at}`)];
    return [say(`answer ${at}`)];
  });
  on.server.script(...steps);
  on.server.always(
    (request) => request.prompt.includes('bell') && request.results.length === 0,
    say('noted'),
  );
  await using screen = await on.screen(['--allowedTools', 'Bash', '--permission-mode', 'default'], {
    env: { COPPICE_SANDBOXED: '1' },
  });
  for (let at = 0; at < 24; at++) {
    if (at === 5 || at === 6 || at === 9 || at === 10) screen.key('shift+tab');
    screen.type(`question ${at}\r`);
    if (at === 11) {
      await screen.waitFor(/answer 11|1\. Yes/);
      if (!screen.text().includes('answer 11')) screen.key('enter');
    }
    await screen.waitFor(`answer ${at}`);
    if (at === 7) await screen.waitFor('noted');
  }
  const requests = on.server.requests.map(({ raw }) => prefix(raw));
  expect(requests.length).toBeGreaterThanOrEqual(30);
  const breaks = requests.flatMap((raw, at) => {
    const before = requests[at - 1];
    return before === undefined || raw.startsWith(before)
      ? []
      : [`request ${at + 1}: ${difference(before, raw)}`];
  });
  // Deliberate breaks: none in these turns. Compaction and /clear begin a new prefix by their nature.
  expect(breaks).toEqual([]);
  expect(on.server.violations).toEqual([]);
  expect(requests.at(-1)).toMatch(/plan mode/i);
  expect(requests.at(-1)).toContain('bell');
}, 60_000);

const difference = (one: string, other: string): string => {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return `${one.slice(Math.max(0, at - 80), at + 80)}  became  ${other.slice(Math.max(0, at - 80), at + 80)}`;
};

test('a date change is told behind what was sent before', async () => {
  await using on = await scene([say('one'), say('two')]);
  const id = '11111111-2222-4333-8444-555555555555';
  const at = (day: string) => ({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock(day))}` },
  });
  await on.run(['-p', 'first', '--session-id', id], at('2031-05-01T12:00:00Z'));
  await on.run(['-p', 'second', '--resume', id], at('2031-05-02T12:00:00Z'));
  const [first = '', second = ''] = on.server.requests.map(({ raw }) => prefix(raw));
  expect(first).toContain('2031-05-01');
  expect(second.startsWith(first)).toBe(true);
  expect(second.slice(first.length)).toContain('2031-05-02');
});

/** Moves the clock of the program, as a night in front of it does. */
const clock = (day: string): string =>
  `const real=Date;const ahead=real.parse('${day}')-real.now();globalThis.Date=class extends real{constructor(...a){a.length?super(...a):super(real.now()+ahead)}static now(){return real.now()+ahead}}`;

test('the first request is small', async () => {
  await using on = await scene([say('a'), say('b')]);
  const size = (raw: string | undefined) => {
    const { system, tools } = JSON.parse(raw ?? '{}');
    return Buffer.byteLength(JSON.stringify(system)) + Buffer.byteLength(JSON.stringify(tools));
  };
  await on.ask('x', '--tools', 'Bash,Read,Edit,Write,Glob,Grep');
  expect(size(on.server.requests[0]?.raw)).toBeLessThanOrEqual(12 * 1024);
  await on.ask('x');
  expect(size(on.server.requests[1]?.raw)).toBeLessThanOrEqual(24 * 1024);
});
