import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTool } from '../../src/tools/read.ts';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());
const at = (name: string) => join(bench.folder, name);
const read = (name: string, more: object = {}) => bench.call('Read', { file_path: at(name), ...more });
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);
const put = (name: string, content: string | Buffer) => writeFileSync(at(name), content);

put('three', 'a\n\nc\n');
put('long', `${lines(1, 5_000).join('\n')}\n`);
put('empty', '');
put('wide', `${'x'.repeat(3_000)}\nend`);
put('crlf', 'a\r\nb\r\n');
put('latin', Buffer.from('caf\xe9\n', 'latin1'));
put('utf16', Buffer.from('\ufeffhi\n', 'utf16le'));
put('binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
put('Report.md', '#\n');
mkdirSync(at('folder'));
symlinkSync('loop', at('loop'));
execFileSync('mkfifo', [at('fifo')]);

describe('a file is shown', () => {
  it.each([
    ['with numbered lines', 'three', {}, '     1\ta\n     2\t\n     3\tc'],
    ['from a line on', 'three', { offset: 2 }, '     2\t\n     3\tc'],
    [
      'for some lines, with where to go on',
      'three',
      { limit: 1 },
      '     1\ta\n[Lines 2 to 3 are not shown. Go on with offset 2.]',
    ],
    ['when it is empty', 'empty', {}, '[The file is empty.]'],
    ['without carriage returns', 'crlf', {}, '     1\ta\n     2\tb'],
    ['in Latin-1', 'latin', {}, '     1\tcafé\n[Stored as Latin-1.]'],
    ['in UTF-16', 'utf16', {}, '     1\thi\n[Stored as UTF-16LE.]'],
    ['with long lines cut', 'wide', {}, `     1\t${'x'.repeat(2_000)} [1000 more characters]\n     2\tend`],
  ])('%s', async (_, name, more, text) => {
    expect(await read(name, more)).toMatchObject({ status: 'ok', text });
  });

  it('up to 2,000 lines', async () => {
    const outcome = await read('long');
    expect(outcome.text.split('\n')).toHaveLength(2_001);
    expect(outcome.text).toMatch(
      /\n {2}2000\tline 2000\n\[Lines 2001 to 5000 are not shown\. Go on with offset 2001\.\]$/,
    );
  });

  it('up to a number of characters', async () => {
    put(
      'heavy',
      `${lines(1, 3_000)
        .map((line) => line.repeat(40))
        .join('\n')}\n`,
    );
    const outcome = await read('heavy', { limit: 3_000 });
    expect(outcome.text.length).toBeLessThan(100_200);
    expect(outcome.text).toMatch(/\[Lines \d+ to 3000 are not shown\. Go on with offset \d+\.\]$/);
  });

  it('to hooks and transcripts in their shape', async () => {
    expect((await read('three', { offset: 2, limit: 1 })).response).toEqual({
      type: 'text',
      file: { filePath: at('three'), content: '', numLines: 1, startLine: 2, totalLines: 3 },
    });
  });
});

describe('a file is not shown', () => {
  it.each([
    ['but said to be binary', 'binary', /is a binary file of 7 bytes.*Use a command such as file/],
    ['but said to be a folder', 'folder', /is a folder\. To see what is in it use Glob/],
    ['but said to be a pipe, at once', 'fifo', /is a device, pipe or socket/],
    ['when its link leads nowhere', 'loop', /leads back to itself|does not exist/],
    [
      'when it is not there, with names that are',
      'report.txt',
      /does not exist\. Did you mean .*Report\.md\?/,
    ],
  ])('%s', async (_, name, reason) => {
    expect(await read(name)).toMatchObject({ status: 'error', text: expect.stringMatching(reason) });
  });

  it('behind its end', async () => {
    expect(await read('three', { offset: 9 })).toMatchObject({
      status: 'error',
      text: `${at('three')} has 3 lines; "offset" 9 is behind its end.`,
    });
  });
});

it('a big file is read in pieces, and known afterwards like any other', async () => {
  const text = `${lines(1, 1_500_000).join('\n')}\n`;
  put('big', text);
  expect(text.length).toBeGreaterThan(16 * 1024 * 1024);
  const outcome = await read('big', { offset: 1_400_000, limit: 2 });
  expect(outcome.text).toBe(
    '1400000\tline 1400000\n1400001\tline 1400001\n[Lines 1400002 to 1500000 are not shown. Go on with offset 1400002.]',
  );
  expect(
    await bench.call('Edit', { file_path: at('big'), old_string: 'line 1400000\n', new_string: 'here\n' }),
  ).toMatchObject({ status: 'ok' });
  put('big', `${text}more\n`);
  expect(
    await bench.call('Edit', { file_path: at('big'), old_string: 'here\n', new_string: 'x\n' }),
  ).toMatchObject({ status: 'error' });
});

it('a reader of media gets what is no text', async () => {
  const tool = readTool({
    media: {
      accepts: (path) => path.endsWith('.png'),
      read: async ({ path, bytes, pages }) => ({ status: 'ok', text: `${path} ${bytes.length} ${pages}` }),
    },
  });
  put('a.png', Buffer.from([0, 1, 2]));
  const call = tool.prepare({ file_path: 'a.png', pages: '1-2' }, bench.state());
  const outcome = 'run' in call && (await call.run(bench.context()));
  expect(outcome).toMatchObject({
    status: 'ok',
    text: `${at('a.png')} 3 1-2`,
    effects: [{ type: 'seen', path: at('a.png') }],
  });
});
