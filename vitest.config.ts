import { defineConfig } from 'vitest/config';
import { hermetic, markdownAsText, shared } from './vitest.shared.ts';

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    ...shared,
    env: hermetic(),
    include: ['test/{unit,stores,session,ui,e2e,architecture}/**/*.test.{ts,tsx}'],
  },
});
