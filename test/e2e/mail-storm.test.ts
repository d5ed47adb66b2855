import { test } from 'vitest';
import { mailStorm } from './mail-storm.ts';

test('mail to a lead that is killed twice arrives once and in order', async () => {
  await mailStorm({ senders: 3, direct: 20, broadcasts: 5, kills: 2, seed: 7 });
}, 90_000);
