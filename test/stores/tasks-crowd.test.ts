import { expect, it } from 'vitest';
import { crowd } from './task-crowd.ts';

it('eight processes create 25 tasks each and claim all 200: none lost, none twice, with kills in the middle', async () => {
  const seed = 20_261;
  const { killed } = await crowd({ workers: 8, share: 25, kills: 3, signal: 'SIGKILL', seed });
  expect(killed, `seed ${seed}`).toBeGreaterThanOrEqual(20);
}, 180_000);
