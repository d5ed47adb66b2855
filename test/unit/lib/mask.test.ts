import { expect, test } from 'vitest';
import { mask, maskAll, maskPieces } from '../../../src/lib/mask.ts';

const secrets = ['sk-key-"1"', undefined, 'abc'];

test('a secret is masked as it is, in JSON, in a URL and in base64; short ones are left', () => {
  for (const spelling of ['sk-key-"1"', 'sk-key-\\"1\\"', 'sk-key-%221%22', btoa('sk-key-"1"')])
    expect(mask(`<${spelling}> abc`, secrets)).toBe('<[masked]> abc');
});

test('plain data without a secret stays the very same; thinking is never altered', () => {
  const clean = { a: ['x'] };
  expect(maskAll(clean, secrets)).toBe(clean);
  const thinking = { type: 'thinking', thinking: 'sk-key-"1"' };
  expect(maskAll({ n: 1, t: 'sk-key-"1"', l: [thinking, 'sk-key-"1"'] }, secrets)).toEqual({
    n: 1,
    t: '[masked]',
    l: [thinking, '[masked]'],
  });
});

test.each([1, 2, 3, 5])('in pieces of %i nothing of it is shown, and all the rest comes in order', (size) => {
  const text = 'sk sk-key sk-key-"1"sk-key-"1" sk-key-"1 end s';
  const pieces = maskPieces(secrets);
  let shown = '';
  for (let at = 0; at < text.length; at += size) {
    shown += pieces.take(text.slice(at, at + size));
    expect('sk sk-key [masked][masked] sk-key-"1 end s'.startsWith(shown)).toBe(true);
  }
  expect(shown + pieces.rest()).toBe('sk sk-key [masked][masked] sk-key-"1 end s');
});
