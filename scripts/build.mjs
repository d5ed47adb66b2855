/**
 * Bundles src/ into dist/ (or $COPPICE_DIST): one small entry, everything else in lazy chunks.
 * `--prune` also removes the chunks that an earlier build left for programs still running from them.
 */
import './node-version.mjs';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { directBuiltins } from './build-builtins.mjs';
import { patches } from './build-patches.mjs';
import { publish } from './publish.mjs';

/** Packages that bring binaries or WebAssembly of their own and stay where npm put them. */
const EXTERNAL = ['@vscode/ripgrep', '@anthropic-ai/sandbox-runtime', '@cf-wasm/photon'];

/** Libraries inside the bundle reach for `require` where they want a module of Node. */
const BANNER = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

const started = performance.now();
const root = resolve(import.meta.dirname, '..');
const out = resolve(process.env.COPPICE_DIST ?? join(root, 'dist'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/app/entry.ts', 'src/app/main.ts', ...globSync('src/**/*.worker.ts', { cwd: root })],
  outdir: out,
  entryNames: '[name]',
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  legalComments: 'none',
  logLevel: 'silent',
  loader: { '.md': 'text' },
  external: EXTERNAL,
  banner: { js: BANNER },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    COPPICE_VERSION: JSON.stringify(version),
  },
  plugins: [patches],
}).catch((failure) => {
  process.stderr.write(`The build failed: ${failure.message}\n`);
  process.exit(1);
});

const files = outputFiles.map(({ path, text }) => ({ path, contents: Buffer.from(directBuiltins(text)) }));
publish(out, version, files, process.argv.includes('--prune') ? 0 : 24 * 3600_000);
const kilobytes = Math.round(files.reduce((sum, file) => sum + file.contents.length, 0) / 1024);
const spent = Math.round(performance.now() - started);
process.stderr.write(`built ${files.length} files, ${kilobytes} KB, in ${spent} ms\n`);
