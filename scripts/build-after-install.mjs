/** Run by npm after it changed node_modules: builds dist/, unless this is an install without the tools to. */
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('esbuild');
} catch {
  process.stderr.write(
    'Coppice is not built: this install has no development dependencies. Run "npm ci && npm run build".\n',
  );
  process.exit(0);
}
await import('./build.mjs');
