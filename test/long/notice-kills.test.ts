import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { countSteps, type Death, killAndGoOn } from '../support/notice-kills.ts';
import { dice } from '../support/trap-forms.ts';

const SEED = Number(process.env.SEED ?? randomInt(1_000_000));

test('killed at any step of its own while agents work in the background, each end is told exactly once', {
  timeout: 1_200_000,
}, async () => {
  const at = dice(SEED);
  const steps = await countSteps();
  const wrong: string[] = [];
  let killed = 0;
  let wentOn = 0;
  for (let point = 1; point <= Math.max(steps, 60); point += 1) {
    const death: Death = {
      at: 1 + ((point - 1) % steps),
      torn: at.below(2) === 0,
      ...(at.below(3) === 0 ? { again: 1 + at.below(30) } : {}),
    };
    const outcome = await killAndGoOn(death);
    if (outcome.killed) killed += 1;
    if (!outcome.before) wentOn += 1;
    wrong.push(...outcome.wrong.map((text) => `${JSON.stringify(death)}: ${text}`));
  }
  console.info(`SEED=${SEED}: ${steps} steps, killed at ${killed} points, went on after ${wentOn}`);
  expect(wrong, `SEED=${SEED}`).toEqual([]);
  expect(killed).toBeGreaterThanOrEqual(60);
});
