import { afterEach, describe, expect, it } from 'vitest';
import type { Answer, Question } from '../../src/contract/ask.ts';
import { createPurse } from '../../src/loop/purse.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { ok, openHouse, tool } from './house.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const costly = () => reply(use('Echo', { text: 'x' }), { usage: { input_tokens: 90, output_tokens: 10 } });
const house = async (server: ModelServer, maxTokens: number, answers: readonly Answer[]) => {
  const asked: Question[] = [];
  const left = [...answers];
  const here = await openHouse(server, {
    tools: [tool('Echo', ({ text }) => ok(text))],
    limits: { maxTokens },
    answer: (question) => {
      asked.push(question);
      return left.shift() ?? { kind: 'none', reason: 'nobody', source: 'headless' };
    },
  });
  open.push(server, here);
  return { ...here, asked };
};

describe('a limit of tokens', () => {
  it('asks before the next request, goes on with the same amount again, and stops when told so', async () => {
    const server = await modelServer([costly(), costly(), costly(), say('never')]);
    const here = await house(server, 100, [
      { kind: 'confirm', value: 'more' },
      { kind: 'confirm', value: 'stop' },
    ]);
    expect(await here.say('go')).toMatchObject({ stop: 'budget', error: 'Reached the limit of 200 tokens.' });
    expect(server.requests).toHaveLength(2);
    expect(here.asked).toMatchObject([
      { kind: 'confirm', body: 'Reached the limit of 100 tokens.' },
      { kind: 'confirm', body: 'Reached the limit of 200 tokens.' },
    ]);
  });

  it('is told of once at four fifths', async () => {
    const server = await modelServer([costly(), costly(), costly(), say('done')]);
    const here = await house(server, 350, []);
    expect(await here.say('go')).toMatchObject({ stop: 'end_turn' });
    expect(here.seen.filter((event) => event.type === 'notice')).toMatchObject([
      { text: '80 % of the limit of 350 tokens is used (300 tokens).' },
    ]);
  });
});

describe('a purse', () => {
  it.each([
    ['turns', { maxTurns: 2 }, { turns: 2 }, 'max_turns', 'Reached the limit of 2 turns of the session.'],
    [
      'money',
      { maxCostUsd: 1 },
      { usd: 1.5 },
      'budget',
      'Reached the budget of $1 of the session (used $1.5000).',
    ],
    ['tokens', { maxTokens: 10 }, { tokens: 10 }, 'budget', 'Reached the limit of 10 tokens of the session.'],
  ])('of %s is used up, extended, used up again', (_what, limits, use, stop, text) => {
    const purse = createPurse(limits, { whose: ' of the session', now: () => new Date(0) });
    expect(purse.reached()).toBeUndefined();
    purse.spend(use);
    expect(purse.reached()).toMatchObject({ stop, text });
    purse.extend();
    expect(purse.reached()).toBeUndefined();
    purse.spend(use);
    expect(purse.reached()).toMatchObject({ stop });
  });

  it('counts the minutes of the clock', () => {
    let now = 0;
    const purse = createPurse({ maxMinutes: 1 }, { now: () => new Date(now) });
    now = 50_000;
    expect([purse.reached(), purse.nearing()]).toEqual([undefined, expect.stringContaining('80 %')]);
    now = 60_000;
    expect(purse.reached()).toMatchObject({ text: 'Reached the limit of 1 minute.' });
  });

  it('puts one question for all who wait, again where who asked is gone, and never after a no until it may', async () => {
    const purse = createPurse({}, { now: () => new Date(0) });
    const answers = ['yes', 'gone', 'yes', 'no', 'yes'] as const;
    let asked = 0;
    const question = async () => answers[asked++] ?? 'no';
    const two = () => Promise.all([purse.once(question), purse.once(question)]);
    expect([await two(), asked]).toEqual([[true, true], 1]);
    expect([await two(), asked]).toEqual([[false, true], 3]);
    expect([await two(), await two(), asked]).toEqual([[false, false], [false, false], 4]);
    purse.reopen();
    expect([await two(), asked]).toEqual([[true, true], 5]);
  });

  it('warns of each of its limits once, and again when more of it was added', () => {
    const purse = createPurse({ maxTokens: 10, maxTurns: 10 }, { now: () => new Date(0) });
    purse.spend({ tokens: 8 });
    expect([purse.nearing(), purse.nearing()]).toEqual([expect.stringContaining('10 tokens'), undefined]);
    purse.spend({ turns: 9, tokens: 3 });
    expect([purse.nearing(), purse.nearing()]).toEqual([expect.stringContaining('10 turns'), undefined]);
    purse.extend();
    purse.spend({ tokens: 6 });
    expect(purse.nearing()).toMatch(/21 tokens is used \(17 tokens\)/);
    expect(purse.levels()).toEqual([
      { kind: 'turns', used: 9, allowed: 10 },
      { kind: 'tokens', used: 17, allowed: 21 },
    ]);
  });
});
