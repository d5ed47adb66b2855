import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const isChild = ({ body }: Received): boolean => !JSON.stringify(body.messages[0]).includes('"go"');
const run = ['-p', 'go', '--output-format', 'json'];
const spawn = use('AgentTool', { prompt: 'Look around.', description: 'Look around' });
const work = reply([say('Half of it is done.'), use('TaskListTool', {})], { usage: { input_tokens: 500 } });

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
