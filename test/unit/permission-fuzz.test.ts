import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzScripts, fuzzWords } from '../support/shell-fuzz-run.ts';
import { makeStubs, type Stubs } from '../support/shell-stubs.ts';

const seed = 20_260;

describe(`generated from seed ${seed} and run for real`, () => {
  let stubs: Stubs;
  beforeAll(() => {
    stubs = makeStubs(['good', 'evil']);
  });
  afterAll(() => stubs.remove());

  it('no script is allowed in which the forbidden command runs', () => {
    const { wrong, allowed, caught } = fuzzScripts(seed, 2_000, stubs);
    expect(wrong).toEqual([]);
    // It means something only if scripts were allowed, and the forbidden command does run in others.
    expect(allowed).toBeGreaterThan(40);
    expect(caught).toBeGreaterThan(5);
  }, 120_000);

  it('words that are called fixed are what bash makes of them', () => {
    const { wrong, compared } = fuzzWords(seed, 1_000);
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  }, 60_000);
});
