import { defineConfig } from 'vitest/config';
import { longLog } from './test/support/long-log.ts';
import { hermetic, markdownAsText, shared } from './vitest.shared.ts';

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    ...shared,
    env: hermetic(),
    include: ['test/long/**/*.test.{ts,tsx}'],
    testTimeout: 600_000,
    maxWorkers: 1,
    reporters: ['default', longLog(import.meta.dirname, 'test/long/last-run.txt')],
  },
});
