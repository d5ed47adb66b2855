import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ttyInput } from '../../src/front/ui/tty-input.ts';

const TEXT = 'a\x1b[200~one\ntwo\x1b[201~b\x1b[200~x\x1b[201~c';

test.each([1, 2, 3, 5, 7, 100])('a paste that comes in pieces of %i is handed over whole', async (size) => {
  const real = new PassThrough({ encoding: 'utf8' });
  const input = ttyInput(real as unknown as NodeJS.ReadStream);
  const got: string[] = [];
  const drain = () => {
    for (let text = input.stream.read(); text !== null; text = input.stream.read()) got.push(String(text));
  };
  for (let at = 0; at < TEXT.length; at += size) {
    real.write(TEXT.slice(at, at + size));
    drain();
  }
  expect(got.join('')).toBe(TEXT);
  // The begin mark itself may come in pieces; from then on nothing is handed over before the end.
  if (size > 5) expect(got.some((piece) => piece.includes('\x1b[200~one\ntwo\x1b[201~'))).toBe(true);
});
