import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAY_IMPORT, OWNER, TOP } from './rooms.ts';

const root = join(import.meta.dirname, '..', '..');
const rooms = Object.keys(MAY_IMPORT);
const FRONTS = ['ui', 'headless', 'lines', 'acp'];

/** One file per clause that breaks exactly this clause: [rule, file, its text]. */
const faults: (readonly [rule: string, file: string, text: string])[] = [
  ['no-circles', 'src/lib/planted-a.ts', "import type { B } from './planted-b.ts';\nexport type A = B[];\n"],
  ['nothing-unresolved', 'src/lib/planted-lost.ts', "import './nowhere.ts';\n"],
  [
    'src-never-imports-test',
    'src/lib/planted-test.ts',
    "import type { P } from '../../test/planted.ts';\nexport type Q = P;\n",
  ],
  ...rooms.flatMap((room) =>
    [...rooms, TOP]
      .filter((other) => other !== room && !MAY_IMPORT[room]?.includes(other))
      .map(
        (other) =>
          [
            `${room}-looks-down`,
            `src/${room}/planted-${other}.ts`,
            `import type { P } from '../${other}/planted.ts';\nexport type Q = P;\n`,
          ] as const,
      ),
  ),
  ...FRONTS.flatMap((front) =>
    FRONTS.filter((other) => other !== front).map(
      (other) =>
        [
          'fronts-stand-alone',
          `src/front/${front}/planted-${other}.ts`,
          `import type { P } from '../${other}/planted.ts';\nexport type Q = P;\n`,
        ] as const,
    ),
  ),
  ...Object.entries(OWNER).map(
    ([library, room]) =>
      [
        `${library}-only-in-${room}`,
        `src/contract/planted-${library.replaceAll(/\W/g, '-')}.ts`,
        `import * as library from '${entryOf(library)}';\nexport const planted = library;\n`,
      ] as const,
  ),
];

/** What the faults lean on. */
const ground: (readonly [file: string, text: string])[] = [
  ['src/lib/planted-b.ts', "import type { A } from './planted-a.ts';\nexport type B = A[];\n"],
  ...[...rooms, TOP, ...FRONTS.map((front) => `front/${front}`)].map(
    (room) => [`src/${room}/planted.ts`, 'export type P = 1;\n'] as const,
  ),
  ['test/planted.ts', 'export type P = 1;\n'],
];

let house: string;
let clean: Cruise;
let planted: Cruise;

beforeAll(async () => {
  house = mkdtempSync(join(tmpdir(), 'planted-'));
  for (const name of ['src', 'tsconfig.json', 'package.json'])
    cpSync(join(root, name), join(house, name), { recursive: true });
  cpSync(join(root, 'test', 'architecture', 'rooms.ts'), join(house, 'test', 'architecture', 'rooms.ts'));
  cpSync(join(root, 'CHANGELOG.md'), join(house, 'CHANGELOG.md'));
  cpSync(join(root, '.dependency-cruiser.mjs'), join(house, '.dependency-cruiser.mjs'));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  clean = await cruise(house);
  for (const [file, text] of [...ground, ...faults.map(([, file, text]) => [file, text] as const)]) {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), text);
  }
  planted = await cruise(house);
}, 120_000);

afterAll(() => rmSync(house, { recursive: true, force: true }));

test('src keeps every rule, and the tool saw it all', () => {
  expect(clean.violations).toEqual([]);
  expect(clean.modules).toBeGreaterThan(10);
});

test('every room of src is named in the rules', () => {
  expect(clean.rooms.filter((room) => room !== TOP && !rooms.includes(room))).toEqual([]);
});

describe('a planted fault is caught by', () => {
  test.each(faults)('%s in %s', (rule, file) => {
    expect(planted.violations).toContainEqual([rule, file]);
  });
});

type Cruise = { modules: number; rooms: string[]; violations: [rule: string, file: string][] };

async function cruise(cwd: string): Promise<Cruise> {
  const bin = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const args = [bin, 'src', '--config', '.dependency-cruiser.mjs', '--output-type', 'json'];
  const run = promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 256 * 1024 * 1024 });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  const { modules, summary } = JSON.parse(stdout) as {
    modules: { source: string }[];
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  const sources = modules.map(({ source }) => source).filter((source) => source.startsWith('src/'));
  return {
    modules: sources.length,
    rooms: [...new Set(sources.flatMap((source) => /^src\/([^/]+)\//.exec(source)?.[1] ?? []))],
    violations: summary.violations.map(({ rule, from }) => [rule.name, from]),
  };
}

/** Where a package has no main export, one of its parts stands for it. */
function entryOf(library: string): string {
  return library === '@modelcontextprotocol/sdk' ? `${library}/client/index.js` : library;
}
