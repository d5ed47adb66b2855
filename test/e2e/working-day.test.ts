import { test } from 'vitest';
import { judgedDay } from '../day/judged.ts';

test.concurrent.each([
  [80, 'light'],
  [120, 'dark'],
] as const)('ten turns of a working day at %i columns, %s', judgedDay, 180_000);
