import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Found, GrepRequest } from '../../src/contract/search.ts';
import { ripgrep } from '../../src/search/ripgrep.ts';

const root = mkdtempSync(join(tmpdir(), 'search-'));
const signal = new AbortController().signal;
const search = ripgrep({ env: { PATH: process.env.PATH ?? '' } });
const files = {
  'a.ts': 'one\ntwo needle\nthree\r\n',
  'src/b.ts': 'Needle\n',
  'src/deep/c.tsx': 'no\nneedle\nno\nno\nneedle\n',
  'src/deep/name with space.md': 'needle\n',
  '.hidden/d.ts': 'needle\n',
  '.git/e.ts': 'needle\n',
  'node_modules/f.ts': 'needle\n',
  'secret.ts': 'needle\n',
  '.gitignore': 'node_modules\nsecret.ts\n',
  'long.txt': `${'x'.repeat(1_000)} needle\n`,
};
Object.entries(files).forEach(([name, text], index) => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
  utimesSync(join(root, name), 1_000 - index, 1_000 - index);
});

const names = (result: Found<string>) =>
  'problem' in result ? result : result.found.map((path) => relative(root, path));
const grep = (request: Partial<GrepRequest>): GrepRequest => ({
  pattern: 'needle',
  root,
  ignoreCase: false,
  multiline: false,
  before: 0,
  after: 0,
  signal,
  ...request,
});

describe.skipIf(process.platform !== 'linux')('an ignore file that never ends', () => {
  it('stops the search with one sentence, before it has taken the memory of the computer', async () => {
    const endless = mkdtempSync(join(tmpdir(), 'search-'));
    symlinkSync('/dev/zero', join(endless, '.ignore'));
    expect(await search.files({ root: endless, glob: '**', signal })).toEqual({
      problem: expect.stringMatching(/^The search needed more than 2 GB of memory .*ignore file/),
    });
  });
});

describe('files', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/b.ts', '.hidden/d.ts']],
    ['**/*.ts', ['a.ts', 'src/b.ts', '.hidden/d.ts']],
    ['**/*.{ts,tsx}', ['a.ts', 'src/b.ts', 'src/deep/c.tsx', '.hidden/d.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**/*.ts*', ['src/b.ts', 'src/deep/c.tsx']],
    ['src/**', ['src/b.ts', 'src/deep/c.tsx', 'src/deep/name with space.md']],
    ['*/deep/*.md', ['src/deep/name with space.md']],
    ['src/b.ts', ['src/b.ts']],
    ['*.none', []],
  ])('that match %s are found newest first, without what git ignores', async (glob, expected) => {
    expect(names(await search.files({ root, glob, signal }))).toEqual(expected);
  });

  it('below a folder that is not there are a problem in a sentence', async () => {
    expect(await search.files({ root: join(root, 'nowhere'), glob: '*', signal })).toEqual({
      problem: expect.stringContaining('this folder does not exist'),
    });
  });
});

describe('text', () => {
  it.each([
    [{}, ['a.ts', 'src/deep/c.tsx', 'src/deep/name with space.md', '.hidden/d.ts', 'long.txt']],
    [{ glob: '*.ts' }, ['a.ts', '.hidden/d.ts']],
    [{ glob: '!*.ts' }, ['src/deep/c.tsx', 'src/deep/name with space.md', 'long.txt']],
    [{ glob: 'src/**' }, ['src/deep/c.tsx', 'src/deep/name with space.md']],
    [{ type: 'ts', ignoreCase: true }, ['a.ts', 'src/b.ts', 'src/deep/c.tsx', '.hidden/d.ts']],
    [{ type: 'ts', glob: 'src/**' }, ['src/deep/c.tsx']],
    [{ pattern: 'one\\ntwo', multiline: true }, ['a.ts']],
    [{ root: join(root, 'a.ts') }, ['a.ts']],
    [{ pattern: '-l' }, []],
  ])('is found with %o', async (request, expected) => {
    expect(names(await search.filesWith(grep(request)))).toEqual(expected);
  });

  it('comes as lines with context, by path', async () => {
    const result = await search.lines(grep({ glob: '*.{ts,tsx}', before: 1 }), 100);
    expect(result).toEqual({
      cut: false,
      found: [
        { path: join(root, '.hidden/d.ts'), line: 1, text: 'needle', matches: true },
        { path: join(root, 'a.ts'), line: 1, text: 'one', matches: false },
        { path: join(root, 'a.ts'), line: 2, text: 'two needle', matches: true },
        { path: join(root, 'src/deep/c.tsx'), line: 1, text: 'no', matches: false },
        { path: join(root, 'src/deep/c.tsx'), line: 2, text: 'needle', matches: true },
        { path: join(root, 'src/deep/c.tsx'), line: 4, text: 'no', matches: false },
        { path: join(root, 'src/deep/c.tsx'), line: 5, text: 'needle', matches: true },
      ],
    });
  });

  it('is cut where it is too much', async () => {
    const result = await search.lines(grep({}), 2);
    expect('problem' in result || [result.found.length, result.cut]).toEqual([2, true]);
    const long = await search.lines(grep({ glob: 'long.txt' }), 2);
    expect('problem' in long || long.found[0]?.text.length).toBeLessThan(600);
  });

  it('is counted', async () => {
    expect(await search.counts(grep({ root: join(root, 'src') }))).toEqual({
      cut: false,
      found: [
        { path: join(root, 'src/deep/c.tsx'), count: 2 },
        { path: join(root, 'src/deep/name with space.md'), count: 1 },
      ],
    });
  });

  it('with a pattern that is none gives the reason', async () => {
    const result = await search.filesWith(grep({ pattern: 'a(b' }));
    expect(result).toEqual({ problem: expect.stringMatching(/regex parse error[\s\S]*unclosed group/) });
  });

  it('is not looked for after an interruption', async () => {
    expect(await search.filesWith(grep({ signal: AbortSignal.abort() }))).toEqual({
      problem: 'Interrupted.',
    });
  });
});
