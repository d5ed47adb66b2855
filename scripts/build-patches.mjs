/**
 * Changes made to libraries while they are bundled. Each names the text it replaces, and the build fails when
 * that text is gone, so that a new version of a library is looked at before it is shipped.
 */
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';

const PLAIN_HEADERS = resolve(import.meta.dirname, '../src/model/plain-headers.ts');

/** Ink's bridge to the React developer tools waits at the head of its module, which a script cannot. */
const INK_DEVTOOLS = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]reconciler\.js$/,
  change: (text) =>
    swap(
      swap(text, "        await import('./devtools.js');\n", ''),
      'const loaded = await loadPackageJson();',
      'const loaded = packageInfo;',
    ),
};

/**
 * Yoga gets its WebAssembly by fetching a data URL, which loads Node's whole HTTP client (15 ms) to decode base64, and
 * waits for it at the head of its module, which a script cannot. Its code is compiled as it is called either way.
 */
const YOGA_BYTES = {
  library: 'yoga-layout',
  file: /[\\/]yoga-wasm-base64-esm\.js$/,
  change: (text) =>
    swap(
      text,
      /\(function\(\)\{return w\|\|"function"!=typeof WebAssembly\.instantiateStreaming.*?\}\)\(\)\.catch\(ca\);/s,
      'a(new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(H.slice(H.indexOf(",")+1),"base64")),d));',
    ),
};
const YOGA_AT_ONCE = {
  library: 'yoga-layout',
  file: /[\\/]yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/,
  change: (text) =>
    swap(
      text,
      'const Yoga = wrapAssembly(await loadYoga());',
      'const assembly = {};\nloadYoga(assembly);\nconst Yoga = wrapAssembly(assembly);',
    ),
};

/**
 * On a terminal that wraps lines anew when it gets narrower, Ink erases as many rows as it wrote and leaves the
 * rest behind as rubbish. Count the rows that the last frame takes up now, above the caret, and erase those. What is
 * drawn then is what was laid out for the new size: the frame of the old one may fill a small window, and stays there.
 */
const INK_NARROWING = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]ink\.js$/,
  change: (text) =>
    [
      [
        '        this.onRender();\n        this.lastTerminalWidth = currentWidth;',
        '        setImmediate(() => this.isUnmounted || this.onRender());\n        this.lastTerminalWidth = currentWidth;',
      ],
      [
        "            this.log.clear();\n            this.lastOutput = '';",
        "            __eraseRewrapped(this, currentWidth);\n            this.lastOutput = '';",
      ],
      [
        '        this.log.clear();\n        // Keep lastOutput',
        '        const { columns, rows } = getWindowSize(this.options.stdout);\n' +
          '        if (columns === this.lastTerminalWidth && rows === this.lastTerminalHeight) this.log.clear();\n' +
          '        else __eraseRewrapped(this, columns);\n' +
          '        // Keep lastOutput',
      ],
      ['export const homeAndEraseDown', `${eraseRewrapped}\nexport const homeAndEraseDown`],
    ].reduce((now, [from, to]) => swap(now, from, to), text),
};

// xterm.js, which VS Code's terminal is, leaves the caret's own line alone and moves the caret down by the rows that
// were added below it as well; every other terminal that wraps anew keeps the caret at its letter.
const eraseRewrapped = `
import __width from 'string-width';
function __eraseRewrapped(ink, columns) {
    const lines = ink.lastOutputToRender.split('\\n');
    const caret = ink.log.getCursorPosition();
    const last = lines.length - 1;
    const row = Math.min(caret?.y ?? last, last);
    const rowsOf = line => Math.max(1, Math.ceil(__width(line) / columns));
    let up = 0;
    for (const line of lines.slice(0, row)) up += rowsOf(line);
    if (process.env.TERM_PROGRAM === 'vscode') for (const line of lines.slice(row + 1)) up += rowsOf(line) - 1;
    else up += Math.floor((caret?.x ?? __width(lines[row] ?? '')) / columns);
    // Row by row: what is erased from the top of the screen to its end at once is kept as scrollback by tmux.
    ink.options.stdout.write('\\r' + ansiEscapes.eraseDown + (ansiEscapes.cursorUp() + ansiEscapes.eraseLine).repeat(up));
    ink.log.reset();
}`;

/**
 * Ink measures and takes apart every row of every frame anew, though a key changes one of them: two thirds of the
 * time from a key to its echo. What was found out about a row is kept for the frames after it, up to a bound.
 */
const INK_ROW_CACHE = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]output\.js$/,
  change: (text) =>
    `${swap(text, 'caches = new OutputCaches();', 'caches = __rowCaches();')}
let __kept;
const __rowCaches = () => (__kept && __kept.styledChars.size < 600 ? __kept : (__kept = new OutputCaches()));`,
};
const INK_SANITIZE_CACHE = {
  library: 'ink',
  file: /[\\/]ink[\\/]build[\\/]sanitize-ansi\.js$/,
  change: (text) =>
    remembered(
      text,
      'const sanitizeAnsi = (text) => {',
      'const sanitizeAnsi = __remember((text) => {',
      '};\nexport default sanitizeAnsi;',
      '});\nexport default sanitizeAnsi;',
    ),
};
const WIDTH_CACHE = {
  library: 'string-width',
  file: /[\\/]node_modules[\\/]string-width[\\/]index\.js$/,
  change: (text) =>
    `${swap(text, 'export default function stringWidth(input, options = {}) {', 'function __width(input, options = {}) {')}
${remember}
const __plainWidth = __remember((input) => __width(input));
export default function stringWidth(input, options) {
  return options || typeof input !== 'string' ? __width(input, options) : __plainWidth(input);
}`,
};

const remember = `function __remember(work) {
  let known = new Map();
  return (text) => {
    if (text.length > 1000) return work(text);
    let found = known.get(text);
    if (found === undefined) {
      found = work(text);
      if (known.size > 2000) known = new Map();
      known.set(text, found);
    }
    return found;
  };
}`;
const remembered = (text, from, to, endFrom, endTo) =>
  `${remember}\n${swap(swap(text, from, to), endFrom, endTo)}`;

/** A worker is started from its source file in tests and from its bundled file, which lies beside us, in dist/. */
const WORKER_FILES = {
  file: /[\\/]src[\\/].*\.tsx?$/,
  change: (text) => text.replace(/new URL\('\.\/([\w-]+)\.worker\.ts'/g, "new URL('./$1.worker.js'"),
};

/**
 * The platform's headers and forms bring its whole HTTP client along (25 ms), its streams take 3 ms to load: no request
 * of ours goes through either.
 */
const SDK_PLAIN_REQUESTS = {
  library: '@anthropic-ai/sdk',
  file: /[\\/]@anthropic-ai[\\/]sdk[\\/].*\.mjs$/,
  change: (text) =>
    /\bHeaders\b/.test(text)
      ? `import { PlainHeaders as Headers } from ${JSON.stringify(PLAIN_HEADERS)};\n${text.replace('body instanceof FormData ||', '').replaceAll('globalThis.ReadableStream', 'undefined')}`
      : text,
};

/**
 * Zod writes and compiles a program for every kind of object on its first look at one. Most kinds are seen a few
 * times in a run: then reading takes a tenth of what compiling does.
 */
const ZOD_COMPILES_LATE = {
  library: 'zod',
  file: /[\\/]zod[\\/]v4[\\/]core[\\/]schemas\.js$/,
  change: (text) =>
    swap(
      swap(text, 'let fastpass;\n', 'let fastpass;\n    let seen = 0;\n'),
      'ctx.jitless !== true) {\n            // always synchronous\n            if (!fastpass)\n',
      'ctx.jitless !== true && (fastpass || ++seen > 100)) {\n            if (!fastpass)\n',
    ),
};

const PATCHES = [
  ZOD_COMPILES_LATE,
  SDK_PLAIN_REQUESTS,
  INK_DEVTOOLS,
  YOGA_BYTES,
  YOGA_AT_ONCE,
  INK_NARROWING,
  INK_ROW_CACHE,
  INK_SANITIZE_CACHE,
  WIDTH_CACHE,
  WORKER_FILES,
];

const plugin = (changes) => ({
  name: 'patches',
  setup(build) {
    const used = new Set();
    build.initialOptions.metafile = true;
    for (const patch of changes) {
      build.onLoad({ filter: patch.file }, async ({ path }) => {
        used.add(patch);
        const contents = patch.change(await readFile(path, 'utf8'));
        return { contents, loader: extname(path).slice(1).replace('mjs', 'js') };
      });
    }
    build.onEnd(({ metafile }) => {
      const inputs = Object.keys(metafile?.inputs ?? {});
      const bundled = ({ library }) => inputs.some((input) => input.includes(`node_modules/${library}/`));
      const missed = changes.filter((patch) => patch.library && !used.has(patch) && bundled(patch));
      return {
        errors: missed.map(({ library, file }) => ({
          text: `no file of ${library} is like ${file} any more`,
        })),
      };
    });
  },
});

export const patches = plugin(PATCHES);
/** Without what is ours: for programs that are compared with Coppice. */
export const screenPatches = plugin(
  PATCHES.filter(({ library }) => ['ink', 'yoga-layout', 'string-width'].includes(library)),
);

function swap(text, from, to) {
  const changed = typeof from === 'string' ? text.replaceAll(from, () => to) : text.replace(from, () => to);
  if (changed !== text) return changed;
  throw new Error(
    `a library changed under its patch: "${String(from).trim().slice(0, 60)}" is not there any more`,
  );
}
