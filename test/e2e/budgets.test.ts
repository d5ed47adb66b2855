import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { reply, say, status, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { scene } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const isChild = ({ body }: Received): boolean => !JSON.stringify(body.messages[0]).includes('"go"');
const isHook = ({ system }: Received): boolean => system.includes('You decide for a hook');
const run = ['-p', 'go', '--output-format', 'json'];
const spawn = use('AgentTool', { prompt: 'Look around.', description: 'Look around' });
const costly = (block: Parameters<typeof reply>[0]) => reply(block, { usage: { input_tokens: 500 } });
const work = costly([say('Half of it is done.'), use('TaskListTool', {})]);
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  terminal.key('enter');
};

test('an agent parks with its partial result at its own limit, and its parent is told how to go on', async () => {
  await using server = await modelServer();
  server.lane(isChild, work);
  server.script(spawn, say('It has parked.'));
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, [...run, '--settings', '{"limits":{"agent":{"tokens":400}}}']);
  expect([ran.code, server.violations]).toEqual([0, []]);
  const told = server.requests.at(-1)?.results[0]?.text ?? '';
  expect(told).toMatch(
    /Half of it is done[\s\S]*Reached the limit of 400 tokens[\s\S]*same allowance again[\s\S]*SendMessageTool/,
  );
});

test('what an agent uses counts for the session, which ends with its own subtype', async () => {
  await using server = await modelServer();
  server.lane(isChild, work, say('All of it.'));
  server.script(spawn, say('never'));
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, [...run, '--max-tokens', '400']);
  expect(ran.code).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    subtype: 'error_max_budget_usd',
    errors: ['Reached the limit of 400 tokens of the session.'],
  });
  expect(server.requests).toHaveLength(2);
});

test('the lesser of a definition’s turns and the setting counts for an agent', async () => {
  await using server = await modelServer();
  server.lane(isChild, use('TaskListTool', {}), use('TaskListTool', {}), use('TaskListTool', {}));
  server.script(
    use('AgentTool', { prompt: 'Look.', description: 'Look', subagent_type: 'short' }),
    say('ok'),
  );
  await using place = await tempRepo({ server });
  const agents = JSON.stringify({ short: { description: 'd', prompt: 'p', maxTurns: 2 } });
  const settings = '{"limits":{"agent":{"turns":9}}}';
  expect(await runCoppice(place, [...run, '--agents', agents, '--settings', settings])).toMatchObject({
    code: 0,
  });
  expect(server.requests.filter(isChild)).toHaveLength(2);
  expect(server.requests.at(-1)?.results[0]?.text).toContain('Reached the limit of 2 turns');
});

test('agents, hooks that ask a model and what they use are in the cost, after a resume too', async () => {
  await using server = await modelServer();
  const million = (block: Parameters<typeof reply>[0]) =>
    reply(block, { usage: { input_tokens: 1_000_000 } });
  server.lane(isHook, million(say('{"ok": true}')));
  server.lane(isChild, million(say('Looked.')));
  server.script(million(spawn), million(say('first')), million(say('second')));
  await using place = await tempRepo({ server });
  const prices = { input: 1, output: 0, cacheWrite: 1, cacheRead: 1, window: 90_000_000 };
  const settings = JSON.stringify({
    modelTiers: { small: 'house-small', medium: 'house' },
    prices: { 'house-small': { ...prices, input: 0.25 }, house: prices },
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'prompt', prompt: 'Fine?' }] }] },
  });
  const first = JSON.parse((await runCoppice(place, [...run, '--settings', settings])).stdout);
  expect(first.total_cost_usd).toBeCloseTo(3.25, 6);
  expect(Object.keys(first.modelUsage).sort()).toEqual(['house', 'house-small']);
  server.lane(isHook, million(say('{"ok": true}')), million(say('{"ok": true}')));
  const again = ['-p', 'go', '--continue', '--output-format', 'json', '--settings', settings];
  const second = JSON.parse((await runCoppice(place, again)).stdout);
  expect(second.total_cost_usd).toBeCloseTo(4.5, 6);
  const over = await runCoppice(place, [...again, '--max-budget-usd', '4.4']);
  expect(JSON.parse(over.stdout)).toMatchObject({ subtype: 'error_max_budget_usd' });
  expect(server.violations).toEqual([]);
}, 60_000);

test('a question on the side waits with everybody where the service asks for it', async () => {
  await using server = await modelServer();
  const times: number[] = [];
  server.lane(isHook, status(429, { retryAfter: 1 }), () => {
    times.push(Date.now());
    return say('{"ok": true}');
  });
  server.script(({ time }: Received) => {
    times.push(time);
    return say('done');
  });
  await using place = await tempRepo({ server });
  const hook = { hooks: [{ type: 'prompt', prompt: 'Fine?' }] };
  const settings = JSON.stringify({ hooks: { UserPromptSubmit: [hook] } });
  expect(await runCoppice(place, ['-p', 'go', '--settings', settings])).toMatchObject({
    code: 0,
    stdout: 'done\n',
  });
  expect(server.requests.filter(isHook)).toHaveLength(2);
  expect(times).toHaveLength(2);
});

test.each([
  ['the model', ['--model', 'house', '--max-budget-usd', '1']],
  ['a fallback', ['--fallback-model', 'house', '--max-budget-usd', '1']],
  ['the setting', ['--model', 'house', '--settings', '{"limits":{"session":{"usd":1}}}']],
])('a money limit without a known price refuses to start and says why: %s', async (_, args) => {
  await using on = await scene();
  const ran = await on.ask('go', ...args);
  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toMatch(/money limit is set, and the model house has no known price.*prices\.house/);
  expect(on.server.requests).toHaveLength(0);
});

test('at four fifths a notice, at the limit a question before the next request; more lets it go on, no stops it', async () => {
  await using on = await scene([
    costly(use('TaskListTool', {})),
    costly(use('TaskListTool', {})),
    say('Went on.'),
    reply(say('Half'), { usage: { input_tokens: 1100 } }),
    say('never'),
  ]);
  await on.repo.write(
    join(on.repo.home, '.coppice/settings.json'),
    '{"limits":{"session":{"tokens":1000},"warnAt":0.5}}',
  );
  await using terminal = await on.screen();
  await submit(terminal, 'go');
  await terminal.waitFor(/50 % of the limit of 1000 tokens of the session is used/);
  await terminal.waitFor('Reached the limit of 1000 tokens of the session.');
  expect(on.server.requests).toHaveLength(2);
  terminal.key('1');
  await terminal.waitFor('Went on.');
  await submit(terminal, 'once more');
  await terminal.waitFor('Half');
  await submit(terminal, 'and more');
  await terminal.waitFor(/Reached the limit of 2\d{3} tokens/);
  terminal.key('2');
  await terminal.waitUntilGone('Stop here');
  expect(on.server.requests).toHaveLength(4);
  await submit(terminal, '/cost');
  await terminal.waitFor(/session +│ 2\d{3} tokens/);
  await submit(terminal, 'a last try');
  await terminal.waitFor(() => terminal.screen().join('\n').includes('Stop here'));
  expect(on.server.violations).toEqual([]);
}, 60_000);
