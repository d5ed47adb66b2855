/** Bundles the demo screen as the program is bundled: `node build-demo.mjs OUT`. */
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { patches } from '../../scripts/build-patches.mjs';

export const buildDemo = (outdir) =>
  build({
    entryPoints: [resolve(import.meta.dirname, 'demo-screen.ts')],
    outdir,
    bundle: true,
    splitting: true,
    minify: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    jsx: 'automatic',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import{createRequire as __makeRequire}from'node:module';const require=__makeRequire(import.meta.url);",
    },
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    plugins: [patches],
  }).then(() => join(outdir, 'demo-screen.mjs'));

if (process.argv[2]) process.stdout.write(`${await buildDemo(resolve(process.argv[2]))}\n`);
