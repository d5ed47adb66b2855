import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tidy } from '../../src/app/tidy.ts';
import type { World } from '../../src/app/world.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');

const worldWith = (cleanupPeriodDays: number | undefined, wrong?: string) => {
  const own = mkdtempSync(join(tmpdir(), 'tidy-'));
  const dir = join(own, 'projects', '-work');
  mkdirSync(dir, { recursive: true });
  for (const days of [1, 10, 29, 31, 400]) {
    const path = join(dir, `${days}.jsonl`);
    writeFileSync(path, '{}\n');
    utimesSync(path, new Date(NOW - days * DAY), new Date(NOW - days * DAY));
  }
  const world = {
    homes: { own },
    loaded: () => ({
      settings: { cleanupPeriodDays },
      problems: wrong === undefined ? [] : [{ scope: 'user', key: wrong }],
    }),
    stores: { memoryOnly: false },
  } as unknown as World;
  return { world, left: () => readdirSync(dir).filter((name) => name.endsWith('.jsonl')).length };
};

test.each([
  [undefined, undefined, 2, 3],
  [5, undefined, 4, 1],
  [0, undefined, 0, 5],
  [undefined, 'theme', 2, 3],
  [undefined, 'cleanupPeriodDays', 0, 5],
  [undefined, '', 0, 5],
])('conversations older than cleanupPeriodDays (%s, wrong: %s) go: %i', async (days, wrong, gone, left) => {
  const place = worldWith(days, wrong);
  expect(await tidy(place.world, NOW)).toBe(gone);
  expect(place.left()).toBe(left);
});
