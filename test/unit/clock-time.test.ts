import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = `import { clockTime } from ${JSON.stringify(join(import.meta.dirname, '../../src/lib/clock-time.ts'))};
console.log(clockTime('2026-01-31T23:05:09.123Z'));`;

it.each([
  ['UTC', '23:05:09'],
  ['Asia/Kolkata', '04:35:09'],
  ['America/New_York', '18:05:09'],
])('a time of day is that of the person (%s)', (TZ, shown) => {
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TZ },
  });
  expect(out.toString().trim()).toBe(shown);
});
