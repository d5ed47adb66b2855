import { expect, test } from 'vitest';
import { countSteps, type Death, killAndGoOn } from '../support/notice-kills.ts';
import { dice } from '../support/trap-forms.ts';

const SEED = Number(process.env.SEED ?? 7);

test('killed at steps of its own while agents work in the background, each end is told exactly once', {
  timeout: 120_000,
}, async () => {
  const at = dice(SEED);
  const steps = await countSteps();
  for (let n = 0; n < 6; n += 1) {
    const death: Death = {
      at: 1 + at.below(steps),
      torn: at.below(2) === 0,
      ...(n % 3 === 0 ? { again: 1 + at.below(20) } : {}),
    };
    expect((await killAndGoOn(death)).wrong, `SEED=${SEED} ${JSON.stringify(death)} of ${steps}`).toEqual([]);
  }
});
