/** Bundles and minifies the floors, like Coppice itself, into bench/results/floors/. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { screenPatches } from '../scripts/build-patches.mjs';

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['raw.ts', 'ink.tsx', 'sdk.ts', 'spawn.ts'].map((file) => join('floors', file)),
  outdir: join('results', 'floors'),
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
  banner: {
    js: "import{createRequire as __makeRequire}from'node:module';const require=__makeRequire(import.meta.url);",
  },
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [screenPatches],
});
