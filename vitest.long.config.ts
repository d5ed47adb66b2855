import { defineConfig } from 'vitest/config';
import { hermetic, markdownAsText, shared } from './vitest.shared.ts';

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    ...shared,
    env: hermetic(),
    include: ['test/long/**/*.test.{ts,tsx}'],
    testTimeout: 600_000,
    maxWorkers: 1,
  },
});
