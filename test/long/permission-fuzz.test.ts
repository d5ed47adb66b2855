import { expect, it } from 'vitest';
import { fuzzScripts, fuzzWords } from '../support/shell-fuzz-run.ts';
import { makeStubs } from '../support/shell-stubs.ts';

/** SHELL_FUZZ_SEED chooses other scripts; the seed is printed with the test. */
const seed = Number(process.env.SHELL_FUZZ_SEED ?? 7);

it(`200,000 scripts from seed ${seed}: none is allowed in which the forbidden command runs`, () => {
  const stubs = makeStubs(['good', 'evil']);
  const { wrong } = fuzzScripts(seed, 200_000, stubs);
  stubs.remove();
  expect(wrong).toEqual([]);
}, 1_800_000);

it(`20,000 words from seed ${seed}: those called fixed are what bash makes of them`, () => {
  expect(fuzzWords(seed, 20_000).wrong).toEqual([]);
}, 600_000);
