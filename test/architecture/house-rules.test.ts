import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { OWNER } from './rooms.ts';
import { sources } from './sources.ts';

const LONGEST = 300;
const AMBIENT = [
  /\bprocess\.(cwd|chdir|exit|env)\b/,
  /\bconsole\.\w/,
  /\b(cwd|chdir|exit|env)\b[^;\n]*from 'node:process'/,
];
const IMPORT = /^import\s+(type\s)?(?:[^'"]*?from\s*)?'([^'.][^']*)'|\bimport\(\s*()'([^'.][^']*)'/gm;
const VAGUE =
  /^(index|utils?|helpers?|common|managers?|services?|misc|shared)$|-(utils?|helpers?|manager|service)$/;

test('the sources were found', () => {
  expect(sources.length).toBeGreaterThan(10);
});

test(`no file is longer than ${LONGEST} lines`, () => {
  const long = sources.filter(({ text }) => text.split('\n').length - 1 > LONGEST);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('the surroundings of the process are asked for in app/ alone', () => {
  const elsewhere = sources.filter(({ path }) => !path.startsWith('src/app/'));
  const asking = elsewhere.flatMap(({ path, code }) =>
    AMBIENT.flatMap((ask) => code.match(ask)?.[0] ?? []).map((ask) => `${path}: ${ask}`),
  );
  expect(asking).toEqual([]);
});

test('text for the terminal goes through the host, which makes it harmless', () => {
  const OWN = /^src\/(app\/(entry|first-frame|host)\.ts|front\/ui\/)/;
  const raw = sources.filter(({ path, code }) => !OWN.test(path) && /\bstd(out|err)\.write\(/.test(code));
  // The screen's own bytes.
  expect(raw.map(({ path }) => path)).toEqual(['src/app/screen-house.ts']);
});

test('what conversations share is handed on in parts: who opens or composes them knows the whole, and nobody assigns to it', () => {
  const KNOWS =
    /^src\/app\/(house|root(-beginning)?|next-root|loop-deps|toolset|builtin-commands|screen-house|stage|interactive|print|headless-(rounds|slash)|teammate|quiet-house|hook-console)\.ts$/;
  const naming = sources.filter(({ path, code }) => !KNOWS.test(path) && /\bHouse\b/.test(code));
  expect(naming.map(({ path }) => path)).toEqual([]);
  expect(sources.filter(({ code }) => /\bhouse(\.\w+)+ = /.test(code)).map(({ path }) => path)).toEqual([]);
  // The one conversation that is open is put in its place by whoever opened it.
  const putting = sources.filter(({ code }) => /\.become\(/.test(code));
  expect(putting.map(({ path }) => path)).toEqual(['src/app/root.ts']);
});

test('a file is named by its one job', () => {
  const vague = sources.filter(({ path }) => VAGUE.test(basename(path).replace(/(\.d)?\.tsx?$/, '')));
  expect(vague.map(({ path }) => path)).toEqual([]);
});

test('a file has a name in kebab-case', () => {
  const shouting = sources.filter(
    ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.worker|\.d)?\.tsx?$/.test(basename(path)),
  );
  expect(shouting.map(({ path }) => path)).toEqual([]);
});

test('nothing passes on what another file exports', () => {
  const barrels = sources.filter(({ code }) =>
    /^export\s+(type\s+)?(\*|\{[^}]*\})[^;\n]*\sfrom\s/m.test(code),
  );
  expect(barrels.map(({ path }) => path)).toEqual([]);
});

test('no state lives at the top of a module', () => {
  const stateful = sources.flatMap(({ path, code }) =>
    code
      .split('\n')
      .filter((line) =>
        /^(export )?(let|var) |^(export )?const \w+(: [^=]+)? = new (Map|Set|WeakMap)(<.*>)?\(\)/.test(line),
      )
      .map((line) => `${path}: ${line}`),
  );
  expect(stateful).toEqual([]);
});

test('a library has one room that knows it', () => {
  const EVERYWHERE = ['zod'];
  const rooms = new Map<string, Set<string>>();
  for (const { path, code } of sources) {
    for (const [, typeOnly, named, , loaded] of code.matchAll(IMPORT)) {
      const name = named ?? loaded;
      if (typeOnly !== undefined || name === undefined || name.startsWith('node:')) continue;
      const library = name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
      const room = /^src\/([^/]+)/.exec(path)?.[1] ?? path;
      rooms.set(library, (rooms.get(library) ?? new Set()).add(room));
    }
  }
  const unowned = [...rooms].filter(([library]) => !(library in OWNER) && !EVERYWHERE.includes(library));
  expect(unowned.filter(([, its]) => its.size > 1).map(([library, its]) => [library, ...its])).toEqual([]);
});
