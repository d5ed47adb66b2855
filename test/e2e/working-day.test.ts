import { test } from 'vitest';
import { judgedDay } from '../day/judged.ts';

// Other widths and themes: test/long/working-days.test.ts.
test('ten turns of a working day at 80 columns, light', () => judgedDay(80, 'light'), 180_000);
