import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ripgrep } from '../../src/search/ripgrep.ts';
import { globTool } from '../../src/tools/glob.ts';
import { grepTool } from '../../src/tools/grep.ts';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());
const at = (name: string) => join(bench.folder, name);
const put = (name: string, content: string, time: number) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  utimesSync(at(name), time, time);
};
put('src/old.ts', 'import a\nconst needle = 1;\nconst other = 2;\n\nneedle();\n', 1_000);
put('src/new.ts', 'Needle\n', 2_000);
put('readme.md', 'needle\n', 3_000);
put('ignored/x.ts', 'needle\n', 4_000);
put('.gitignore', 'ignored\n', 1);
put('.env', 'needle=secret\n', 1);

describe('Glob', () => {
  it.each([
    ['by age', { pattern: '**/*.ts' }, 'src/new.ts\nsrc/old.ts'],
    ['in a folder', { pattern: '*.ts', path: 'src' }, 'src/new.ts\nsrc/old.ts'],
    ['by an absolute pattern', { pattern: `${bench.folder}/src/*.ts` }, 'src/new.ts\nsrc/old.ts'],
    ['one name', { pattern: './readme.md' }, 'readme.md'],
    ['nothing', { pattern: '*.zig' }, 'No files match.'],
  ])('finds %s', async (_, input, text) => {
    expect(await bench.call('Glob', input)).toMatchObject({ status: 'ok', text });
  });

  it('is judged by where its pattern leads', () => {
    expect(bench.prepare('Glob', { pattern: '/etc/**/passwd*' })).toMatchObject({
      input: { pattern: '**/passwd*', path: '/etc' },
    });
    expect(bench.prepare('Glob', { pattern: '../../x/*.ts' })).toMatchObject({
      input: { pattern: '/*.ts', path: join(bench.folder, '../../x') },
    });
    expect(bench.prepare('Glob', { pattern: 'a/../../*.ts' })).toMatchObject({
      invalid: expect.stringContaining('".." in its middle'),
    });
  });

  it('shows at most 100 files and says so', async () => {
    for (let index = 0; index < 120; index++) put(`many/${index}.txt`, '', index + 1);
    const outcome = await bench.call('Glob', { pattern: 'many/*' });
    expect(outcome.text.split('\n')).toHaveLength(101);
    expect(outcome.text).toMatch(
      /^many\/119\.txt\n[\s\S]*\n\[120 files match; the 100 newest are shown\. Narrow the pattern for others\.\]$/,
    );
    expect(outcome.response).toMatchObject({ numFiles: 100, truncated: true });
  });

  it('says when the folder is not there', async () => {
    expect(await bench.call('Glob', { pattern: '*', path: 'no/such' })).toMatchObject({
      status: 'error',
      text: `${at('no/such')} does not exist; ${bench.folder} does. Give a "path" that exists, or leave it out.`,
    });
  });
});

describe('Grep', () => {
  it.each([
    ['files by age', { pattern: 'needle', glob: '!.env' }, 'readme.md\nsrc/old.ts'],
    [
      'lines by file',
      { pattern: 'needle', glob: '*.ts', output_mode: 'content' },
      'src/old.ts\n2:const needle = 1;\n5:needle();',
    ],
    [
      'lines without numbers',
      { pattern: 'needle', type: 'md', output_mode: 'content', '-n': false },
      'readme.md\nneedle',
    ],
    [
      'lines with context',
      { pattern: 'import|needle\\(', path: 'src/old.ts', output_mode: 'content', '-A': 1 },
      'src/old.ts\n1:import a\n2-const needle = 1;\n--\n5:needle();',
    ],
    ['any case', { pattern: 'needle', path: 'src', '-i': true }, 'src/new.ts\nsrc/old.ts'],
    ['across lines', { pattern: 'import a\\nconst', multiline: true }, 'src/old.ts'],
    [
      'counts',
      { pattern: 'needle', output_mode: 'count', glob: '*.{ts,md}' },
      'readme.md:1\nsrc/old.ts:2\n[3 lines in 2 files]',
    ],
    [
      'no more than asked',
      { pattern: 'needle', output_mode: 'content', glob: '*.ts', head_limit: 1 },
      'src/old.ts\n2:const needle = 1;\n[Only the first 1 lines are shown. Narrow the search or raise head_limit.]',
    ],
    ['nothing', { pattern: 'haystack' }, 'Nothing matches.'],
  ])('finds %s', async (_, input, text) => {
    expect(await bench.call('Grep', input)).toMatchObject({ status: 'ok', text });
  });

  it('explains a bad pattern', async () => {
    expect(await bench.call('Grep', { pattern: 'a{' })).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/The search failed: regex parse error/),
    });
  });

  it('tells hooks what was found', async () => {
    expect(
      (await bench.call('Grep', { pattern: 'needle', glob: '*.ts', output_mode: 'content' })).response,
    ).toEqual({
      mode: 'content',
      numFiles: 1,
      filenames: ['src/old.ts'],
      content: 'src/old.ts\n2:const needle = 1;\n5:needle();',
      numLines: 2,
    });
  });
});

it.each([
  [grepTool, { pattern: 'needle' }],
  [grepTool, { pattern: 'needle', output_mode: 'content' }],
  [grepTool, { pattern: 'needle', output_mode: 'count' }],
  [globTool, { pattern: '**' }],
])('what may not be read is not found by %s with %o', async (make, input) => {
  const search = ripgrep({ env: { PATH: process.env.PATH ?? '' } });
  const call = make({ search, forbidden: (path) => path.endsWith('.env') }).prepare(input, bench.state());
  const outcome = 'run' in call && (await call.run(bench.context()));
  expect(JSON.stringify(outcome)).not.toMatch(/\.env|secret/);
  expect(JSON.stringify(outcome)).toContain('readme.md');
});
