import { expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { createGovernor } from '../../src/loop/governor.ts';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, status, use } from '../support/replies.ts';
import { openCrew } from './crew.ts';

const isChild = ({ system }: Received) => system.includes('You are the agent type');
const jobs = ['one', 'two', 'three', 'four', 'five'];
const one = 'one' as SessionId;
const two = 'two' as SessionId;

it('five agents at once and one refusal: one countdown, one request more, everybody finishes', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  for (const job of jobs)
    server.lane(({ raw }) => raw.includes(`Do job ${job}.`) && raw.includes('agent type'), ...answers(job));
  server.script(
    jobs.map((job) => use('AgentTool', { prompt: `Do job ${job}.`, description: `Do job ${job}` })),
    say('All done.'),
  );
  await crew.say('go');
  const children = server.requests.filter(isChild);
  expect(children).toHaveLength(2 * jobs.length + 1);
  const retries = crew.seen.filter((event) => event.type === 'retry');
  expect(retries).toMatchObject([
    { session: crew.root.session.id, agent: 'main', kind: 'rate_limit', status: 429 },
  ]);
  expect(server.requests.at(-1)?.results.map(({ text }) => text.includes('finished'))).toEqual(
    jobs.map(() => true),
  );
  expect(server.violations).toEqual([]);
});

/** Two requests each; the first of the third agent is refused. */
const answers = (job: string) => [
  ...(job === 'three' ? [status(429, { retryAfter: 1 })] : []),
  use('TaskListTool', {}),
  say(`${job} finished`),
];

it('nobody waits while nothing is limited', () => {
  const governor = createGovernor(() => 1_000);
  expect(governor.pass(new AbortController().signal)).toBeUndefined();
  expect(governor.hear(one, { requestsRemaining: 40, resetAt: 2_000 })).toBeUndefined();
  expect(governor.pass(new AbortController().signal)).toBeUndefined();
});

it('all who wait go on in the order in which they came, told once', async () => {
  let now = 0;
  const governor = createGovernor(() => now);
  expect([governor.wait(one, 20), governor.wait(two, 30)]).toEqual([true, false]);
  const order: number[] = [];
  const waits = [1, 2, 3].map(async (n) => {
    await governor.pass(new AbortController().signal);
    order.push(n);
  });
  now = 30;
  await Promise.all(waits);
  expect(order).toEqual([1, 2, 3]);
});

it('an interrupt ends the wait of its own session alone', async () => {
  let now = 0;
  const governor = createGovernor(() => now);
  governor.wait(one, 20);
  const [left, stays] = [new AbortController(), new AbortController()];
  const order: string[] = [];
  const stayed = governor.pass(stays.signal)?.then(() => order.push('stayed'));
  const gone = governor.pass(left.signal)?.then(() => order.push('left'));
  left.abort();
  await gone;
  expect(order).toEqual(['left']);
  now = 20;
  await stayed;
  expect(order).toEqual(['left', 'stayed']);
});

it.each([
  ['no requests left', { requestsRemaining: 0, resetAt: 5_000 }, 5_000],
  ['no tokens left', { tokensRemaining: 0, resetAt: 5_000 }, 5_000],
  ['a reset that has been', { requestsRemaining: 0, resetAt: -1 }, undefined],
  ['a reset too far away to be believed', { requestsRemaining: 0, resetAt: 3_600_000 }, undefined],
  ['some left', { requestsRemaining: 1, resetAt: 5_000 }, undefined],
])('headers that say: %s', (_what, limits, shown) => {
  expect(createGovernor(() => 0).hear(one, limits)).toBe(shown);
});
