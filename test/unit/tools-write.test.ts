import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());
const at = (name: string) => join(bench.folder, name);
const write = (name: string, content: string) => bench.call('Write', { file_path: at(name), content });
const read = (name: string) => bench.call('Read', { file_path: at(name) });

it('makes a file and the folders it needs', async () => {
  expect(await write('a/b/c.txt', 'hello\n')).toMatchObject({
    status: 'ok',
    text: `Created ${at('a/b/c.txt')}`,
    response: { type: 'create', filePath: at('a/b/c.txt'), content: 'hello\n', originalFile: null },
    display: { kind: 'diff', added: 1, removed: 0, created: true },
  });
  expect(readFileSync(at('a/b/c.txt'), 'utf8')).toBe('hello\n');
  expect(statSync(at('a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
});

it('does not write over what was never read', async () => {
  writeFileSync(at('mine'), 'work\n');
  expect(await write('mine', 'new\n')).toMatchObject({
    status: 'error',
    text: expect.stringMatching(/was not read in this conversation\. Read it first/),
  });
  expect(readFileSync(at('mine'), 'utf8')).toBe('work\n');
  await read('mine');
  expect(await write('mine', 'new\n')).toMatchObject({
    status: 'ok',
    response: { type: 'update', originalFile: 'work\n' },
  });
});

describe('a rewritten file keeps', () => {
  it.each([
    ['CRLF', Buffer.from('a\r\nb\r\n'), 'x\ny\n', Buffer.from('x\r\ny\r\n')],
    ['line ends that were given', Buffer.from('a\nb\n'), 'x\r\ny\n', Buffer.from('x\r\ny\n')],
    ['its byte order mark', Buffer.from('\ufeffa\n'), 'b\n', Buffer.from('\ufeffb\n')],
    ['UTF-16', Buffer.from('\ufeffa\n', 'utf16le'), 'b\n', Buffer.from('\ufeffb\n', 'utf16le')],
    ['Latin-1', Buffer.from('\xe9\n', 'latin1'), 'è\n', Buffer.from('\xe8\n', 'latin1')],
    ['no encoding that lacks a character', Buffer.from('\xe9\n', 'latin1'), '€\n', Buffer.from('€\n')],
  ])('%s', async (_, before, content, after) => {
    writeFileSync(at('kept'), before);
    await read('kept');
    expect(await write('kept', content)).toMatchObject({ status: 'ok' });
    expect(readFileSync(at('kept'))).toEqual(after);
  });

  it('mode and link', async () => {
    writeFileSync(at('run'), 'a\n');
    chmodSync(at('run'), 0o700);
    symlinkSync('run', at('run-link'));
    await read('run-link');
    await write('run-link', 'b\n');
    expect([readFileSync(at('run'), 'utf8'), statSync(at('run')).mode & 0o777]).toEqual(['b\n', 0o700]);
  });
});

it('follows a link to what is not there yet', async () => {
  symlinkSync('not-yet', at('dangling'));
  expect(await write('dangling', 'x\n')).toMatchObject({ status: 'ok' });
  expect(readFileSync(at('not-yet'), 'utf8')).toBe('x\n');
});

it.each([
  ['a folder', '.', /is a folder/],
  ['below a file', 'mine/x', /is a file, not a folder|ENOTDIR|EEXIST/],
])('is refused for %s', async (_, name, reason) => {
  expect(await write(name, 'x')).toMatchObject({ status: 'error', text: expect.stringMatching(reason) });
});

it('is not done after an interruption', async () => {
  const outcome = await bench.call(
    'Write',
    { file_path: at('late'), content: 'x' },
    { signal: AbortSignal.abort() },
  );
  expect(outcome).toMatchObject({ status: 'cancelled' });
  expect(statSync(at('late'), { throwIfNoEntry: false })).toBeUndefined();
});
