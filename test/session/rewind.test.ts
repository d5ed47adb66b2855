import { expect, test } from 'vitest';
import { fold } from '../../src/loop/fold.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { ok, openHouse, tool } from './house.ts';

const texts = (raw: unknown): string => JSON.stringify(raw);

const prompt = async (house: Awaited<ReturnType<typeof openHouse>>, words: string): Promise<string> => {
  const { entries } = await house.transcript();
  const found = entries.findLast((entry) => entry.type === 'user' && entry.display === words);
  if (!found) throw new Error(`No prompt "${words}".`);
  return found.uuid;
};

test('the conversation goes back to before a prompt, and the next request has forgotten the rest', async () => {
  await using server = await modelServer([
    say('first answer'),
    use('Echo', { text: 'x' }),
    say('second answer'),
    say('third answer'),
  ]);
  const house = await openHouse(server, { tools: [tool('Echo', ({ text }) => ok(text))] });
  await house.say('one');
  const before = house.session.state();
  await house.say('two');
  const spent = house.session.state().usage;
  expect(await house.session.rewind(await prompt(house, 'two'), 'drop')).toBeUndefined();
  const now = house.session.state();
  expect([now.messages, now.turns, now.contextTokens]).toEqual([
    before.messages,
    before.turns,
    before.contextTokens,
  ]);
  expect([now.usage, now.mailRead]).toEqual([spent, house.session.state().mailRead]);
  await house.say('three');
  const sent = texts(server.requests.at(-1)?.body.messages);
  expect([
    sent.includes('one'),
    sent.includes('first answer'),
    sent.includes('two'),
    sent.includes('second answer'),
    sent.includes('three'),
  ]).toEqual([true, true, false, false, true]);
  expect(server.violations).toEqual([]);
  const folded = fold(house.id, (await house.transcript()).entries);
  expect(folded?.messages).toEqual(house.session.state().messages);
  await house.close();
});

test('what was asked before is not asked again after a rewind and a resume', async () => {
  await using server = await modelServer([say('a'), say('b'), say('c')]);
  const house = await openHouse(server);
  await house.say('one');
  await house.say('two');
  await house.session.rewind(await prompt(house, 'one'), 'drop');
  await house.session.close('other');
  const again = await openHouse(server, { resume: house.id, home: house.home });
  await again.session.idle();
  expect(server.requests).toHaveLength(2);
  await again.say('three');
  expect(texts(server.requests.at(-1)?.body.messages)).not.toContain('"two"');
  await again.close();
});

test('from a prompt on it can live on as a summary', async () => {
  await using server = await modelServer([
    say('first answer'),
    say('second answer'),
    say('SUMMARY OF TWO'),
    say('third'),
  ]);
  const house = await openHouse(server);
  await house.say('one');
  await house.say('two');
  expect(await house.session.rewind(await prompt(house, 'two'), 'summarise')).toBeUndefined();
  expect(server.requests[2]?.prompt).toContain('only what happened from this request on');
  await house.say('three');
  const sent = texts(server.requests.at(-1)?.body.messages);
  expect([
    sent.includes('first answer'),
    sent.includes('second answer'),
    sent.includes('SUMMARY OF TWO'),
  ]).toEqual([true, false, true]);
  await house.close();
});

test('a point that is gone, and a turn that runs, are refused', async () => {
  await using server = await modelServer([say('a'), say('b')]);
  const house = await openHouse(server);
  await house.say('one');
  const gone = await prompt(house, 'one');
  await house.session.rewind(gone, 'drop');
  expect(await house.session.rewind(gone, 'drop')).toContain('not in this conversation any more');
  await house.close();
});

test('a summary of what was taken back is counted, here and by whoever resumes', async () => {
  const used = (output_tokens: number) => ({ usage: { input_tokens: 100, output_tokens } });
  await using server = await modelServer([
    reply([say('first')], used(1)),
    reply([say('second')], used(20)),
    reply([say('SUMMARY')], used(300)),
  ]);
  const house = await openHouse(server);
  await house.say('one');
  await house.say('two');
  expect(await house.session.rewind(await prompt(house, 'two'), 'summarise')).toBeUndefined();
  const { usage } = house.session.state();
  expect([usage.input_tokens, usage.output_tokens]).toEqual([300, 321]);
  expect(fold(house.id, (await house.transcript()).entries)?.usage).toEqual(usage);
  await house.close();
});
