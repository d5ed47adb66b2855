/**
 * Bundles src/ into dist/ (or $COPPICE_DIST): a small entry, the program as one script, and workers.
 * `--prune` also removes what an earlier build left for programs that start from it right now.
 */
import './node-version.mjs';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { patches } from './build-patches.mjs';
import { publish } from './publish.mjs';

/** Packages that bring binaries or WebAssembly of their own and stay where npm put them. */
const EXTERNAL = ['@vscode/ripgrep', '@anthropic-ai/sandbox-runtime', '@cf-wasm/photon'];

/** Libraries inside a bundled module reach for `require` where they want a module of Node. */
const BANNER = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

const started = performance.now();
const root = resolve(import.meta.dirname, '..');
const out = resolve(process.env.COPPICE_DIST ?? join(root, 'dist'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Scripts, unlike modules, can be given the code that V8 kept of an earlier run (src/app/kept-code.ts); `import()` in
 * one is an experiment of Node's, so that packages outside the bundle are required.
 */
const SCRIPT = {
  format: 'cjs',
  supported: { 'dynamic-import': false },
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__url', 'import.meta.dirname': '__dirname' },
};
const MODULES = { format: 'esm', splitting: true, banner: { js: BANNER } };

const [main] = await bundled(['src/app/main.ts'], SCRIPT);
const contents = Buffer.from(wrapped(main.contents));
const program = `main-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.cjs`;
const files = [
  { path: join(out, program), contents },
  ...(await bundled(globSync('src/**/*.worker.ts', { cwd: root }), MODULES)),
  ...(await bundled(['src/app/entry.ts'], {
    ...SCRIPT,
    define: { ...SCRIPT.define, COPPICE_PROGRAM: JSON.stringify(program) },
  })),
];
publish(out, version, files, process.argv.includes('--prune') ? 0 : 600_000);
const kilobytes = Math.round(files.reduce((sum, file) => sum + file.contents.length, 0) / 1024);
const spent = Math.round(performance.now() - started);
process.stderr.write(`built ${files.length} files, ${kilobytes} KB, in ${spent} ms\n`);

async function bundled(entryPoints, options) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: out,
    entryNames: '[name]',
    chunkNames: 'chunk-[hash]',
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    target: 'node24',
    jsx: 'automatic',
    legalComments: 'none',
    logLevel: 'silent',
    loader: { '.md': 'text' },
    external: EXTERNAL,
    plugins: [patches],
    ...options,
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      COPPICE_VERSION: JSON.stringify(version),
      ...options.define,
    },
  }).catch((failure) => {
    process.stderr.write(`The build failed: ${failure.message}\n`);
    process.exit(1);
  });
  return outputFiles.map(({ path, contents }) => ({ path, contents: Buffer.from(contents) }));
}

/** As `Bundle` in src/app/kept-code.ts calls it, in ASCII: what esbuild leaves as it is stands in patterns. */
function wrapped(script) {
  const text = `(function(require,__filename,__dirname,__url){const module={exports:{}};${script}\nreturn module.exports})`;
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
