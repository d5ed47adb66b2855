import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { splitHead } from '../../../src/catalog/instruction-text.ts';
import {
  type Instructions,
  type InstructionsWanted,
  instructions,
  type LoadedInstructions,
} from '../../../src/catalog/instructions.ts';

interface World extends AsyncDisposable {
  readonly root: string;
  at(path: string): string;
  open(more?: Partial<InstructionsWanted>): Instructions;
  /** `path type reason` per file, paths below the folder. */
  told(loaded: LoadedInstructions): readonly string[];
}

const world = async (files: Readonly<Record<string, string>>): Promise<World> => {
  const root = await mkdtemp(join(tmpdir(), 'coppice-instructions-'));
  const at = (path: string): string => join(root, path);
  for (const [path, text] of Object.entries({ 'repo/.git/HEAD': 'x', ...files })) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  }
  return {
    root,
    at,
    open: (more) =>
      instructions({
        project: at('repo'),
        cwd: at('repo'),
        homes: { own: at('home/.coppice'), foreign: at('home/.claude'), user: at('home') },
        managed: { own: at('etc'), foreign: at('etc-foreign') },
        compatibility: 'with foreign',
        excludes: [],
        externalImports: 'not yet',
        ...more,
      }),
    told: ({ files: found }) =>
      found.map((file) => `${file.path.slice(root.length + 1)} ${file.memoryType} ${file.loadReason}`),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
};

it('loads managed, user, and every directory from the top down to the working directory, local ones last', async () => {
  await using w = await world({
    'etc/AGENTS.md': 'managed',
    'etc-foreign/CLAUDE.md': 'managed foreign',
    'home/.coppice/AGENTS.md': 'user',
    'home/.claude/CLAUDE.md': 'user foreign',
    'home/.claude/rules/style.md': 'user rule',
    'AGENTS.md': 'above',
    'repo/AGENTS.md': 'project',
    'repo/CLAUDE.md': 'project foreign',
    'repo/.claude/CLAUDE.md': 'inner',
    'repo/.claude/rules/b.md': 'rule b',
    'repo/.claude/rules/deep/a.md': 'rule a',
    'repo/CLAUDE.local.md': 'local',
    'repo/app/AGENTS.md': 'app',
    'repo/other/AGENTS.md': 'other',
  });
  const loaded = await w.open({ cwd: w.at('repo/app') }).load('session_start');
  expect(w.told(loaded)).toEqual([
    'etc/AGENTS.md Managed session_start',
    'etc-foreign/CLAUDE.md Managed session_start',
    'home/.coppice/AGENTS.md User session_start',
    'home/.claude/CLAUDE.md User session_start',
    'home/.claude/rules/style.md User session_start',
    'AGENTS.md Project session_start',
    'repo/AGENTS.md Project session_start',
    'repo/CLAUDE.md Project session_start',
    'repo/.claude/CLAUDE.md Project session_start',
    'repo/.claude/rules/b.md Project session_start',
    'repo/.claude/rules/deep/a.md Project session_start',
    'repo/CLAUDE.local.md Local session_start',
    'repo/app/AGENTS.md Project session_start',
  ]);
  expect(loaded.notes).toEqual([]);
  expect(loaded.files.at(-1)).toMatchObject({
    path: w.at('repo/app/AGENTS.md'),
    memoryType: 'Project',
    text: 'app',
  });
});

it('reads only our own files when compatibility is off', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'a',
    'repo/CLAUDE.md': 'b',
    'home/.claude/CLAUDE.md': 'c',
    'repo/.coppice/rules/r.md': 'd',
  });
  expect(w.told(await w.open({ compatibility: 'own only' }).load('session_start'))).toEqual([
    'repo/AGENTS.md Project session_start',
    'repo/.coppice/rules/r.md Project session_start',
  ]);
});

it('a file already loaded, by link or by equal content, is skipped', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'same\n',
    'repo/.claude/CLAUDE.md': '<!-- note -->\nsame',
  });
  await symlink('AGENTS.md', w.at('repo/CLAUDE.md'));
  expect(w.told(await w.open().load('session_start'))).toEqual(['repo/AGENTS.md Project session_start']);
});

it('imports follow their file, also from the home, at most four deep', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'Read @docs/one.md, and (@docs/with\\ blank.md).\nAsk @alice about @types/node.',
    'repo/docs/one.md': 'one @two.md',
    'repo/docs/two.md': 'two @three.md',
    'repo/docs/three.md': 'three @four.md',
    'repo/docs/four.md': 'four @five.md',
    'repo/docs/five.md': 'five',
    'repo/docs/with blank.md': 'blank',
    'home/.claude/CLAUDE.md': 'mine: @~/notes.md',
    'home/notes.md': 'notes',
  });
  const loaded = await w.open().load('session_start');
  expect(w.told(loaded)).toEqual([
    'home/.claude/CLAUDE.md User session_start',
    'home/notes.md User include',
    'repo/AGENTS.md Project session_start',
    'repo/docs/one.md Project include',
    'repo/docs/two.md Project include',
    'repo/docs/three.md Project include',
    'repo/docs/four.md Project include',
    'repo/docs/with blank.md Project include',
  ]);
  expect(loaded.files.at(-2)).toMatchObject({ parent: w.at('repo/docs/three.md') });
  expect(loaded.notes).toEqual([
    `${w.at('repo/docs/four.md')} imports ${w.at('repo/docs/five.md')}, which is more than 4 imports deep and was left out.`,
  ]);
});

it('a circle of imports ends with one sentence', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'a @b.md',
    'repo/b.md': 'b @c.md',
    'repo/c.md': 'c @b.md',
  });
  const loaded = await w.open().load('session_start');
  expect(loaded.files).toHaveLength(3);
  expect(loaded.notes).toEqual([
    `Imports go in a circle: ${w.at('repo/b.md')} -> ${w.at('repo/c.md')} -> ${w.at('repo/b.md')}. The last step was left out.`,
  ]);
});

it('what lies outside the project is named, not read, until a person agrees', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'see @../secret.md and @~/.ssh/id',
    'secret.md': 'secret',
    'home/.ssh/id': 'key',
    'other/CLAUDE.md': 'linked',
  });
  await symlink(w.at('other/CLAUDE.md'), w.at('repo/CLAUDE.md'));
  const loaded = await w.open().load('session_start');
  expect(w.told(loaded)).toEqual(['repo/AGENTS.md Project session_start']);
  expect(loaded.external).toEqual([
    { path: w.at('secret.md'), from: w.at('repo/AGENTS.md') },
    { path: w.at('home/.ssh/id'), from: w.at('repo/AGENTS.md') },
    { path: w.at('other/CLAUDE.md'), from: w.at('repo/CLAUDE.md') },
  ]);
  expect((await w.open({ externalImports: 'allowed' }).load('session_start')).files).toHaveLength(4);
});

it('code holds no imports and keeps its comments', async () => {
  const text = [
    '`@a.md` and ``@a.md``',
    '```md',
    '@a.md',
    '<!-- kept -->',
    '```',
    '~~~',
    '@a.md',
    '~~~',
    '<!-- gone',
    '@a.md',
    '-->',
    'end <!-- inline -->',
  ].join('\n');
  await using w = await world({ 'repo/AGENTS.md': text, 'repo/a.md': 'a' });
  const loaded = await w.open().load('session_start');
  expect(loaded.files).toHaveLength(1);
  expect(loaded.files[0]?.text).toBe(
    [
      '`@a.md` and ``@a.md``',
      '```md',
      '@a.md',
      '<!-- kept -->',
      '```',
      '~~~',
      '@a.md',
      '~~~',
      'end <!-- inline -->',
    ].join('\n'),
  );
});

it('nested files come on first touch, rules with paths on the first matching file, each once', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'top',
    'repo/api/AGENTS.md': 'api',
    'repo/api/v2/CLAUDE.md': 'v2',
    'repo/api/.claude/rules/all.md': 'api rule',
    'repo/node_modules/x/AGENTS.md': 'not ours',
    'repo/.claude/rules/ts.md': '---\npaths: "**/*.{ts,tsx}, lib/**"\n---\ntyped',
    'repo/.claude/rules/rs.md': '---\npaths: **/*.rs\n---\nrusty',
    'repo/.claude/rules/always.md': '---\nglobs: ["*.md"]\nalwaysApply: true\n---\nalways',
    'home/.claude/rules/py.md': '---\npaths:\n  - "**/*.py"\n---\nsnakes',
  });
  const open = w.open();
  expect(w.told(await open.load('session_start'))).toEqual([
    'repo/AGENTS.md Project session_start',
    'repo/.claude/rules/always.md Project session_start',
  ]);
  const first = await open.touched(w.at('repo/api/v2/x.ts'));
  expect(w.told(first)).toEqual([
    'repo/api/AGENTS.md Project nested_traversal',
    'repo/api/.claude/rules/all.md Project nested_traversal',
    'repo/api/v2/CLAUDE.md Project nested_traversal',
    'repo/.claude/rules/ts.md Project path_glob_match',
  ]);
  expect(first.files.at(-1)).toMatchObject({
    globs: ['**/*.{ts,tsx}', 'lib/**'],
    trigger: w.at('repo/api/v2/x.ts'),
  });
  expect((await open.touched(w.at('repo/api/v2/y.ts'))).files).toEqual([]);
  expect((await open.touched(w.at('repo/node_modules/x/y.js'))).files).toEqual([]);
  expect((await open.touched(w.at('elsewhere/y.ts'))).files).toEqual([]);
  expect(w.told(await open.touched(w.at('repo/a.rs')))).toEqual([
    'repo/.claude/rules/rs.md Project path_glob_match',
  ]);
  expect(w.told(await open.touched(w.at('repo/a.py')))).toEqual([
    'home/.claude/rules/py.md User path_glob_match',
  ]);
  expect(w.told(await open.load('compact'))).toEqual([
    'repo/AGENTS.md Project compact',
    'repo/.claude/rules/always.md Project compact',
  ]);
  expect((await open.touched(w.at('repo/api/v2/x.ts'))).files).toHaveLength(4);
});

it('excludes by path and by glob', async () => {
  await using w = await world({
    'repo/AGENTS.md': 'a',
    'repo/CLAUDE.md': 'b',
    'repo/.claude/rules/x.md': 'c',
    'home/.claude/CLAUDE.md': 'd',
  });
  const excludes = ['CLAUDE.md', '**/rules/**', '~/.claude/CLAUDE.md'];
  expect(w.told(await w.open({ excludes }).load('session_start'))).toEqual([
    'repo/AGENTS.md Project session_start',
  ]);
});

it('long, binary, empty and missing files cost a sentence at most', async () => {
  await using w = await world({
    'repo/AGENTS.md': `${'x'.repeat(200_000)}`,
    'repo/CLAUDE.md': 'a\0b',
    'repo/.claude/CLAUDE.md': '\n<!-- nothing -->\n',
    'repo/CLAUDE.local.md': 'see @gone.md',
  });
  const loaded = await w.open().load('session_start');
  expect(loaded.files.map((file) => file.text.length)).toEqual([131_072, 12]);
  expect(loaded.notes).toEqual([
    `${w.at('repo/AGENTS.md')} is long: the last 68928 bytes were left out. Move details into files that are read when needed.`,
    `${w.at('repo/CLAUDE.md')} is not a text file and was not read.`,
    `${w.at('repo/CLAUDE.local.md')} imports ${w.at('repo/gone.md')}, which does not exist.`,
  ]);
});

it.each([
  ['---\npaths: "**/*.{ts,tsx}, lib/**"\n---\nx', ['**/*.{ts,tsx}', 'lib/**']],
  ['---\npaths: **/*.rs\n---\nx', ['**/*.rs']],
  ['---\r\npaths:\r\n  - "a/**"\r\n  - b.md\r\nother: 1\r\n---\r\nx', ['a/**', 'b.md']],
  ['---\nglobs: [\'*.md\', "*.txt"]\n---\nx', ['*.md', '*.txt']],
  ['---\nglobs: *.md\nalwaysApply: true\n---\nx', undefined],
  ['---\ndescription: y\n---\nx', undefined],
  ['---\n---\nx', undefined],
])('the head of a rule %j is about %j', (text, globs) => {
  expect(splitHead(text)).toEqual({ ...(globs ? { globs } : {}), body: 'x' });
});
