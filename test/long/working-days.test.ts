import { test } from 'vitest';
import { judgedDay } from '../day/judged.ts';

test.each([
  [40, 'dark'],
  [80, 'dark'],
  [80, 'dark-daltonized'],
  [120, 'dark'],
  [120, 'light'],
  [120, 'light-daltonized'],
  [200, 'ansi'],
  [200, 'none'],
] as const)('ten turns of a working day at %i columns, %s', judgedDay);
