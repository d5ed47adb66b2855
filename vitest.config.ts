import { defineConfig } from 'vitest/config';
import { hermetic, markdownAsText, shared } from './vitest.shared.ts';

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    ...shared,
    env: hermetic(),
    // A shared machine may pause a terminal for seconds; a fault of ours fails every time.
    retry: process.env.CI ? 2 : 0,
    include: ['test/{unit,stores,session,ui,e2e,architecture}/**/*.test.{ts,tsx}'],
  },
});
