import { describe, expect, test } from 'vitest';
import { modelUse, withUse } from '../../src/contract/message.ts';
import { mask } from '../../src/lib/mask.ts';
import { canonicalModel, cost, factsOf } from '../../src/model/facts.ts';
import { delayOf, rateLimitsOf, retryAfterMs } from '../../src/model/retry.ts';
import { createEventReader } from '../../src/model/sse.ts';
import { isKnownModel, modelId } from '../../src/model/tiers.ts';

const usage = (input: number, output: number, write = 0, read = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: write,
  cache_read_input_tokens: read,
});

describe('facts', () => {
  test.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['claude-3-7-sonnet-latest', 'claude-3-7-sonnet'],
    ['qwen-coder', 'qwen-coder'],
  ])('%s is known as %s', (model, canonical) => {
    expect(canonicalModel(model)).toBe(canonical);
  });

  test('settings win over the table', () => {
    const own = {
      id: 'claude-opus-5-5',
      window: 5,
      maxOutput: 6,
      price: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 },
    };
    expect(factsOf('claude-opus-5-5', [own])).toEqual(own);
    expect(factsOf('claude-opus-5-5').window).toBe(1_000_000);
  });

  test.each([
    ['claude-opus-5-5', usage(1_000_000, 1_000_000, 1_000_000, 1_000_000), 4 + 20 + 5 + 0.2],
    ['claude-sonnet-4-5', usage(1000, 100), 0.0045],
    ['claude-haiku-5-5', usage(10_000, 1000), 0.001 + 0.0005],
    ['claude-haiku-5-5', usage(1, 1000, 0, 200_000), 0.000_000_5 + 0.0025 + 0.01],
  ])('%s costs what the table says', (model, used, dollars) => {
    expect(cost(modelUse(used), factsOf(model))).toBeCloseTo(dollars, 9);
  });

  test('many short prompts together are not one long one', () => {
    const one = usage(60_000, 0);
    const all = withUse(withUse({}, 'claude-haiku-5-5', modelUse(one)), 'claude-haiku-5-5', modelUse(one));
    const [use] = Object.values(all);
    expect(use && cost(use, factsOf('claude-haiku-5-5'))).toBeCloseTo(0.012, 9);
  });

  test('a model without a price has no cost', () => {
    expect(cost(usage(1, 1), factsOf('qwen-coder'))).toBeUndefined();
  });
});

describe('names of models', () => {
  const env = { ANTHROPIC_DEFAULT_SONNET_MODEL: 'sonnet-of-env', ANTHROPIC_SMALL_FAST_MODEL: 'tiny' };
  test.each([
    ['small', {}, 'claude-haiku-5-5'],
    ['Opus', {}, 'claude-opus-5-5'],
    ['medium', { env }, 'sonnet-of-env'],
    ['haiku', { env }, 'tiny'],
    ['large', { tiers: { large: 'qwen-coder' } }, 'qwen-coder'],
    ['large', { tiers: { opus: 'qwen-coder' } }, 'qwen-coder'],
    ['fast', { tiers: { fast: 'qwen-mini' } }, 'qwen-mini'],
    ['inherit', {}, 'parent-model'],
    ['claude-opus-4-6', {}, 'claude-opus-4-6'],
    ['qwen-coder', {}, 'qwen-coder'],
    ['constructor', {}, 'constructor'],
  ])('%s with %o is %s', (name, sources, id) => {
    expect(modelId(name, sources, 'parent-model')).toBe(id);
  });

  test.each([
    ['small', true],
    ['inherit', true],
    ['claude-anything', true],
    ['gpt-mini', false],
    ['constructor', false],
    ['qwen-coder', true],
    ['priced', true],
    ['sonnet-of-env', true],
  ])('%s is known: %s', (name, known) => {
    const facts = [{ id: 'priced', window: 1, maxOutput: 1 }];
    expect(isKnownModel(name, { env, tiers: { large: 'qwen-coder' }, facts })).toBe(known);
  });
});

describe('waiting', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  test.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '30', 'retry-after': '9' }, 30],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%o asks for %s ms', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
  });

  test('the wait doubles, never shrinks by chance, and has a limit', () => {
    const least = (attempt: number) => delayOf(attempt, undefined, { random: () => 0 });
    const most = (attempt: number) => delayOf(attempt, undefined, { random: () => 0.999 });
    for (let attempt = 1; attempt < 6; attempt++) expect(least(attempt + 1)).toBeGreaterThan(most(attempt));
    expect(least(1)).toBe(500);
    expect(most(50)).toBeLessThan(48_001);
    expect(delayOf(3, 2000)).toBeGreaterThanOrEqual(2000);
  });

  test('rate headers are read', () => {
    const limits = rateLimitsOf(
      new Headers({
        'anthropic-ratelimit-requests-remaining': '9',
        'anthropic-ratelimit-tokens-remaining': '1000',
        'anthropic-ratelimit-tokens-reset': '2026-11-21T12:00:00Z',
      }),
    );
    expect(limits).toEqual({ requestsRemaining: 9, tokensRemaining: 1000, resetAt: now });
    expect(rateLimitsOf(new Headers())).toBeUndefined();
  });
});

describe('server-sent events', () => {
  const stream =
    'event: a\r\ndata: {"x":1}\r\n\r\n: comment\n\ndata: one\ndata: two\n\nevent: b\rdata:3\r\r\n';
  const whole = [
    { event: 'a', data: '{"x":1}' },
    { event: '', data: 'one\ntwo' },
    { event: 'b', data: '3' },
  ];
  test.each([1, 2, 3, 5, 7, 1000])('cut into pieces of %s', (size) => {
    const read = createEventReader();
    const pieces = stream.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => read(piece))).toEqual(whole);
  });
});

test.each([
  ['key sk-ant-SECRET1 here', 'key [masked] here'],
  ['{"k":"sk-ant-SECRET1"}', '{"k":"[masked]"}'],
  [`Basic ${btoa('sk-ant-SECRET1')}`, 'Basic [masked]'],
  ['p%40ss%20word!', '[masked]'],
  ['short x stays', 'short x stays'],
])('mask(%j)', (text, masked) => {
  expect(mask(text, ['sk-ant-SECRET1', 'p@ss word!', 'x', undefined, ''])).toBe(masked);
});
