import { expect, test } from 'vitest';
import { resumeLong } from '../support/long-session.ts';

test('a conversation of 500 MB goes on in less than 700 MB of memory', async () => {
  const long = await resumeLong(500_000_000);
  expect(long).toMatchObject({ ran: { code: 0, stdout: 'done\n' }, violations: [] });
  expect(long.request).toContain('last words');
  expect(long.peakMegabytes).toBeLessThan(700);
});
