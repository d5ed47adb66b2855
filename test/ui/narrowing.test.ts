import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTerminal } from '../support/terminal.ts';

const root = join(import.meta.dirname, '..', '..');

/** A finished line, then a frame as wide as the terminal with a caret in its middle, as the prompt has it. */
const PROGRAM = `
import { createElement as h } from 'react';
import { Box, Text, render, useCursor, useInput, useWindowSize } from 'ink';

function Frame() {
  const { columns } = useWindowSize();
  useInput(() => {});
  useCursor().setCursorPosition({ x: 5, y: Math.ceil(60 / Math.floor((columns + 1) / 5)) + 1 });
  return h(Box, { flexDirection: 'column' },
    h(Text, null, 'wide '.repeat(60)),
    h(Box, { borderStyle: 'round', width: '100%' }, h(Text, null, 'prompt at ' + columns)),
    h(Text, null, 'foot'.padEnd(columns - 1, '.')));
}
process.stdout.write('finished line\\n');
render(h(Frame), { incrementalRendering: process.argv[2] === 'incremental' });
`;

let house: string;

beforeAll(async () => {
  house = realpathSync(mkdtempSync(join(tmpdir(), 'narrowing-')));
  const { patches } = await import(join(root, 'scripts', 'build-patches.mjs'));
  await build({
    stdin: { contents: PROGRAM, resolveDir: root },
    outfile: join(house, 'frame.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    define: { 'process.env.DEV': '"false"' },
    plugins: [patches],
  });
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

test.each(['whole', 'incremental'])(
  'a terminal that gets narrower keeps one frame (%s rendering)',
  async (rendering) => {
    await using terminal = await openTerminal(
      { path: house, root: house, env: { TERM_PROGRAM: 'vscode' } },
      [],
      {
        columns: 100,
        rows: 30,
        command: [process.execPath, join(house, 'frame.mjs'), rendering],
      },
    );
    await terminal.waitFor('prompt at 100');
    for (const columns of [60, 40, 100, 37]) {
      terminal.resize(columns, 30);
      await terminal.waitFor(`prompt at ${columns}`);
      await terminal.waitFor(() => /foot/.test(terminal.screen().join('\n')));
    }
    await terminal.settle();
    const rows = terminal.text().trimEnd().split('\n');
    const wide = Math.ceil(300 / 37);
    expect(rows[0]).toBe('finished line');
    expect(rows.filter((row) => row.includes('prompt at'))).toHaveLength(1);
    expect(rows.filter((row) => row.includes('foot'))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith('╭'))).toHaveLength(1);
    expect(rows.filter((row) => row.startsWith('wide')).length).toBeLessThanOrEqual(wide + 1);
  },
);
