import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bash } from '../support/judging.ts';
import { makeScript, seeded } from '../support/shell-fuzz.ts';
import { makeStubs, type Stubs } from '../support/shell-stubs.ts';

/** Seed and number of scripts: the short run is fixed; SHELL_FUZZ_SEED and SHELL_FUZZ_SCRIPTS make a long one. */
const seed = Number(process.env.SHELL_FUZZ_SEED ?? 20_260);
const scripts = Number(process.env.SHELL_FUZZ_SCRIPTS ?? 2_500);

describe(`${scripts} generated scripts from seed ${seed}, run for real`, () => {
  const places = { home: '/home/u' };
  let stubs: Stubs;
  beforeAll(() => {
    stubs = makeStubs(['good', 'evil']);
  });
  afterAll(() => stubs.remove());

  const judged = (script: string) => {
    const here = { ...places, cwd: stubs.project, project: stubs.project };
    const named = bash(script, { allow: ['Bash(good *)', 'Bash(echo *)', 'Bash(cat *)'] }, here);
    const open = bash(script, { allow: ['Bash'], deny: ['Bash(evil *)'] }, here);
    return named.decision === 'allow' || open.decision === 'allow';
  };

  it('never allows one in which the forbidden command runs', () => {
    const random = seeded(seed);
    const wrong: string[] = [];
    const count = { allowed: 0, asked: 0, caught: 0 };
    for (let i = 0; i < scripts; i++) {
      const script = makeScript(random);
      if (judged(script)) {
        count.allowed++;
        if (stubs.run(script).has('evil')) wrong.push(script);
      } else if (count.asked < 60 && i % 7 === 0) {
        count.asked++;
        if (stubs.run(script).has('evil')) count.caught++;
      }
    }
    expect(wrong).toEqual([]);
    // The run means something only if scripts of both kinds occurred, and the forbidden command can run at all.
    expect(count.allowed).toBeGreaterThan(scripts / 50);
    expect(count.caught).toBeGreaterThan(5);
  }, 600_000);
});
