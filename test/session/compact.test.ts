import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { estimate } from '../../src/loop/estimate.ts';
import { lightened } from '../../src/loop/shorten.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, status, tooLong, use } from '../support/replies.ts';
import { ok, openHouse, tool } from './house.ts';

const open: { close(): Promise<void> }[] = [];
const servers: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  for (const one of servers.splice(0)) await one[Symbol.asyncDispose]();
});

const WINDOW = 12_000;
const BYTES_PER_TOKEN = 3;

const word = fc.constantFrom('build', 'строка', '変更', '🙂', 'a\nb', '"quoted"', '<system-reminder>');
const words = (most: number) =>
  fc.array(word, { minLength: 1, maxLength: most }).map((parts) => parts.join(' '));
const step = fc.record({
  prompt: words(40),
  answer: words(200),
  result: fc.option(words(1500), { nil: undefined }),
});

describe('a conversation that cannot be summarised', () => {
  it('is shortened: under 60 % of the window, whole pairs, and what matters byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const server = await modelServer();
        const results = steps.flatMap(({ result }) => (result === undefined ? [] : [result]));
        let next = 0;
        const here = await openHouse(server, {
          tools: [tool('Look', () => ok(results[next++] ?? ''))],
          window: WINDOW * 100,
        });
        for (const { prompt, answer, result } of steps) {
          server.script(...(result === undefined ? [] : [use('Look', { text: 'x' })]), say(answer));
          await here.say(prompt);
        }
        const small = await openHouse(server, { window: WINDOW, resume: here.id, home: await copyOf(here) });
        server.script(status(400, { message: 'no summary today' }), say('done'));
        await small.session.compact();
        await small.say('go on');
        const request = server.requests.at(-1);
        const texts = (request?.body.messages ?? []).flatMap(({ content }) =>
          typeof content === 'string'
            ? [content]
            : content.map((block) => ('text' in block ? block.text : '')),
        );
        expect(Buffer.byteLength(request?.raw ?? '') / BYTES_PER_TOKEN).toBeLessThan(WINDOW * 0.6);
        expect(server.violations).toEqual([]);
        expect(texts).toContain(steps.at(-1)?.prompt);
        expect(texts).toContain('instructions');
        expect(texts).toContain('<system-reminder>\nopen task 1\n</system-reminder>');
        await small.close();
        await here.close();
        await server[Symbol.asyncDispose]();
      }),
      { numRuns: 15 },
    );
  });

  const copyOf = async ({ home }: { readonly home: string }): Promise<string> => {
    const { cp } = await import('node:fs/promises');
    const to = `${home}-copy-${Math.random().toString(36).slice(2)}`;
    await cp(home, to, { recursive: true, filter: (path) => !/lock/.test(path) });
    return to;
  };
});

describe('a conversation that is too long for its own summary', () => {
  it('is summarised without its tool output, and the summary is paid for', async () => {
    const server = await modelServer();
    servers.push(server);
    server.script(use('Look', { text: 'x' }), say('seen'), tooLong(), say('SUMMARY'), say('on it'));
    const here = await openHouse(server, { tools: [tool('Look', () => ok('y'.repeat(50_000)))] });
    open.push(here);
    await here.say('look');
    const before = here.session.state().usage.output_tokens;
    await here.session.compact('keep names');
    expect(here.session.state().usage.output_tokens).toBeGreaterThan(before);
    const [long, light] = server.requests.slice(-2);
    expect(long?.raw.length).toBeGreaterThan(50_000);
    expect(light?.raw.length).toBeLessThan(10_000);
    expect(light?.raw).toContain('keep names');
    await here.say('go on');
    expect(server.requests.at(-1)?.raw).toContain('SUMMARY');
    expect(server.violations).toEqual([]);
  });
});

it.each([
  ['a refusal', reply([say('I cannot do that.')], { stop: 'refusal' })],
  ['a call with words', [say('Let me look first.'), use('Look', { text: 'x' })]],
  ['half of it', reply([say('The user wan')], { stop: 'max_tokens' })],
  ['one that leaves no room', say('long '.repeat(WINDOW))],
])('%s is no summary', async (_, answer) => {
  const server = await modelServer();
  servers.push(server);
  server.script(say('said before'), answer, say('on it'));
  const here = await openHouse(server, { window: WINDOW });
  open.push(here);
  await here.say('first of all');
  await here.session.compact();
  await here.say('go on');
  const last = server.requests.at(-1)?.raw ?? '';
  expect(last).toContain('shortened without a summary');
  expect(last).toContain('said before');
  expect(Buffer.byteLength(last) / BYTES_PER_TOKEN).toBeLessThan(WINDOW * 0.6);
});

it('pictures weigh what they cost, not what their bytes are', () => {
  const picture = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png', data: 'x'.repeat(900_000) },
  };
  expect(estimate([picture])).toBeLessThan(2_000);
  const pages = {
    type: 'document' as const,
    source: { type: 'base64' as const, media_type: 'application/pdf', data: 'x'.repeat(9_000_000) },
  };
  expect(estimate([pages])).toBeLessThan(31_000);
  expect(estimate('変'.repeat(300))).toBeGreaterThanOrEqual(300);
  expect(lightened([{ role: 'user', content: [picture] }])).toEqual([
    { role: 'user', content: [{ type: 'text', text: '[image]' }] },
  ]);
});

it('a first request that is too long by itself is refused once, not compacted', async () => {
  const server = await modelServer();
  servers.push(server);
  server.script(tooLong());
  const here = await openHouse(server);
  open.push(here);
  expect(await here.say('z'.repeat(10_000))).toMatchObject({ stop: 'failed' });
  expect(server.requests).toHaveLength(1);
});
