import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Plugin } from 'vite';
import type { InlineConfig } from 'vitest/node';

/** Markdown is text, as in the bundle. */
export const markdownAsText: Plugin = {
  name: 'markdown-as-text',
  enforce: 'pre',
  transform: (source, id) => (id.endsWith('.md') ? `export default ${JSON.stringify(source)};` : undefined),
};

/** Tests see an empty home (test/support/global-setup.ts makes it), our own Node first on PATH and nothing of the person's own accounts and settings. */
export function hermetic(): Record<string, string> {
  const home = join(tmpdir(), `coppice-test-home-${process.pid}`);
  return {
    HOME: home,
    USERPROFILE: home,
    TMPDIR: join(home, 'tmp'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: [join(import.meta.dirname, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
  };
}

export const shared: InlineConfig = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/bare-environment.ts'],
  pool: 'forks',
  maxWorkers: 2,
  testTimeout: 20_000,
  hookTimeout: 30_000,
};
