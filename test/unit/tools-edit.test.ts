import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());
const at = (name: string) => join(bench.folder, name);
const put = (name: string, content: string | Buffer) => {
  writeFileSync(at(name), content);
  return at(name);
};
const edit = (name: string, old_string: string, new_string: string, more: object = {}) =>
  bench.call('Edit', { file_path: at(name), old_string, new_string, ...more });
const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('an edit changes no byte but those of the line', () => {
  it.each([
    ['with CRLF', Buffer.from('one\r\ntwo\r\nthree\r\n'), 'two', '2', Buffer.from('one\r\n2\r\nthree\r\n')],
    [
      'with CRLF and one bare LF',
      Buffer.from('one\r\ntwo\nthree\r\n'),
      'one\ntwo\nthree',
      'one\n2\nthree',
      Buffer.from('one\r\n2\nthree\r\n'),
    ],
    [
      'of mixed ends that gets a line more',
      Buffer.from('one\r\ntwo\nthree\r\n'),
      'two\n',
      'two\nmore\n',
      Buffer.from('one\r\ntwo\nmore\nthree\r\n'),
    ],
    [
      'with BOM and CRLF',
      Buffer.from('\ufeffone\r\ntwo\r\n'),
      'one\ntwo',
      'one\n2\nnew',
      Buffer.from('\ufeffone\r\n2\r\nnew\r\n'),
    ],
    ['without a final line end', Buffer.from('one\ntwo'), 'two', '2', Buffer.from('one\n2')],
    ['in UTF-16LE', utf16('eins\r\nzwei ß\r\n', 'le'), 'zwei ß', 'zwo 𝒳', utf16('eins\r\nzwo 𝒳\r\n', 'le')],
    ['in UTF-16BE', utf16('eins\nzwei\n', 'be'), 'zwei', 'zwo', utf16('eins\nzwo\n', 'be')],
    ['in Latin-1', latin1('caf\xe9\nth\xe9\n'), 'thé', 'tea', latin1('caf\xe9\ntea\n')],
    [
      'of tabs and blanks',
      Buffer.from('\tif x:\n\t  y  \n'),
      '\t  y  ',
      '\t  z  ',
      Buffer.from('\tif x:\n\t  z  \n'),
    ],
    ['with a lone CR', Buffer.from('a\rb\nc\n'), 'c', 'd', Buffer.from('a\rb\nd\n')],
    [
      'with line separators of other scripts',
      Buffer.from('a\u2028b\nc\n'),
      'c',
      'd',
      Buffer.from('a\u2028b\nd\n'),
    ],
    ['that deletes a line', Buffer.from('a\r\nb\r\nc\r\n'), 'b\n', '', Buffer.from('a\r\nc\r\n')],
    ['with $ patterns in the new text', Buffer.from('a b\n'), 'b', "$& $1 $'", Buffer.from("a $& $1 $'\n")],
  ])('of a file %s', async (_, before, old, next, after) => {
    put('file', before);
    await bench.call('Read', { file_path: at('file') });
    expect(await edit('file', old, next)).toMatchObject({ status: 'ok' });
    expect(readFileSync(at('file'))).toEqual(after);
  });

  it('in several places at once', async () => {
    put('many', 'x\r\ny\r\nx\nx');
    expect(await edit('many', 'x', 'zz\nq', { replace_all: true })).toMatchObject({
      status: 'ok',
      text: `Edited ${at('many')} in 3 places, at lines 1, 3, 4`,
    });
    expect(readFileSync(at('many'), 'utf8')).toBe('zz\r\nq\r\ny\r\nzz\nq\nzz\nq');
  });
});

describe('an edit keeps', () => {
  it('mode and owner', async () => {
    put('tool.sh', 'echo a\n');
    chmodSync(at('tool.sh'), 0o6755);
    if (process.getuid?.() === 0) chownSync(at('tool.sh'), 12_345, 23_456);
    chmodSync(at('tool.sh'), 0o755);
    const { uid, gid } = statSync(at('tool.sh'));
    await edit('tool.sh', 'a', 'b');
    expect(statSync(at('tool.sh'))).toMatchObject({ uid, gid, mode: 0o100755 });
  });

  it('a link, and writes where it leads', async () => {
    put('target', 'a\n');
    symlinkSync('target', at('link'));
    const outcome = await edit('link', 'a', 'b');
    expect(outcome.text).toBe(`Edited ${at('link')} at line 1 (a link to ${at('target')})`);
    expect([readlinkSync(at('link')), readFileSync(at('target'), 'utf8')]).toEqual(['target', 'b\n']);
  });

  it('the other names of a file', async () => {
    put('first', 'a\n');
    linkSync(at('first'), at('second'));
    await edit('first', 'a', 'longer');
    expect(readFileSync(at('second'), 'utf8')).toBe('longer\n');
    expect(statSync(at('first')).nlink).toBe(2);
  });

  it('the folder free of its own files', () => {
    expect(readdirSync(bench.folder).filter((name) => name.includes('.tmp'))).toEqual([]);
  });
});

describe('a file that changed since it was read', () => {
  it.each(['Edit', 'Write'])('is not touched by %s until it is read again', async (tool) => {
    const name = `changed-by-${tool}`;
    const input = {
      Edit: { file_path: at(name), old_string: 'same', new_string: 'ours' },
      Write: { file_path: at(name), content: 'ours\n' },
    }[tool];
    put(name, 'same\nmine\n');
    utimesSync(at(name), 1_000, 1_000);
    await bench.call('Read', { file_path: at(name) });
    // The same size and the same times: only the content tells.
    writeFileSync(at(name), 'same\nhers\n');
    utimesSync(at(name), 1_000, 1_000);
    const refused = await bench.call(tool, input);
    expect(refused).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/has changed since it was read.*Read it again/),
    });
    expect(readFileSync(at(name), 'utf8')).toBe('same\nhers\n');
    await bench.call('Read', { file_path: at(name) });
    expect(await bench.call(tool, input)).toMatchObject({ status: 'ok' });
    expect(readFileSync(at(name), 'utf8')).toContain('ours');
  });

  it('may be edited again after an edit of our own', async () => {
    put('again', 'a b\n');
    await bench.call('Read', { file_path: at('again') });
    await edit('again', 'a', 'c');
    expect(await edit('again', 'b', 'd')).toMatchObject({ status: 'ok' });
    expect(readFileSync(at('again'), 'utf8')).toBe('c d\n');
  });

  it('is known by its real name, however it is called', async () => {
    put('real', 'a\n');
    symlinkSync('real', at('alias'));
    await bench.call('Read', { file_path: at('alias') });
    put('real', 'a2\n');
    expect(await edit('real', 'a', 'b')).toMatchObject({ status: 'error' });
  });
});

describe('an edit is refused with what to do', () => {
  it.each([
    [
      'nothing like it',
      'a\nb\n',
      'completely other words',
      /was not found in .*Nothing in the file is like it/,
    ],
    [
      'several places',
      'x\ny\nx\n',
      'x',
      /stands 2 times in .*, at lines 1, 3\. Add lines around it until it is unique, or set replace_all/,
    ],
    [
      'blanks at line ends',
      'if (a) {  \n  b\n}\n',
      'if (a) {\n  b',
      /Only blanks at line ends differ\. The file has at lines 1 to 2:\nif \(a\) \{ {2}\n {2}b$/,
    ],
    [
      'tabs for blanks',
      'f:\n\treturn 1\n',
      'f:\n    return 1',
      /Only the indentation differs.* at lines 1 to 2:\nf:\n\treturn 1$/,
    ],
    ['blanks inside', 'const a  =  1;\n', 'const a = 1;', /Only blanks differ\. The file has at line 1:/],
    ['curly quotes', 'say(“hi”)\n', 'say("hi")', /Only quotes, dashes or special blanks differ/],
    ['another case', 'const Value = 1;\n', 'const value = 1;', /upper and lower case/],
    ['line numbers', 'alpha\nbeta\n', '     1\talpha\n     2\tbeta', /begins with line numbers/],
    ['backslashes', 'a\n\tb\n', 'a\\n\\tb', /real line ends, tabs and quotes/],
    [
      'a similar line',
      'one\nfunction total(items) {\n}\n',
      'function total(item) {',
      /The most similar part is at line 2:\nfunction total\(items\) \{$/,
    ],
    ['an empty file', '', 'a', /The file is empty/],
  ])('for %s', async (_, content, old, reason) => {
    put('miss', content);
    const outcome = await edit('miss', old, 'new text');
    expect(outcome).toMatchObject({ status: 'error', text: expect.stringMatching(reason) });
    expect(readFileSync(at('miss'), 'utf8')).toBe(content);
  });

  it('for a file that is not there, with names that are', async () => {
    put('settings.json', '{}');
    expect((await edit('setings.json', 'a', 'b')).text).toBe(
      `${at('setings.json')} does not exist. Did you mean ${at('settings.json')}? To make a new file use Write.`,
    );
    expect((await edit('no/such/file', 'a', 'b')).text).toContain(
      `The folder ${at('no/such')} does not exist either; ${bench.folder} does.`,
    );
  });

  it.each([
    ['a folder', () => mkdirSync(at('folder')), 'folder', /is a folder/],
    ['bytes that are no text', () => put('binary', Buffer.from([0, 1, 2, 3])), 'binary', /is no text file/],
    [
      'a character that its encoding lacks',
      () => put('latin', latin1('\xe9a\n')),
      'latin',
      /stored as Latin-1, which has no "€"/,
    ],
    ['a device', () => symlinkSync('/dev/null', at('null')), 'null', /is a device, pipe or socket/],
  ])('for %s', async (_, make, name, reason) => {
    make();
    expect(await edit(name, 'a', '€')).toMatchObject({
      status: 'error',
      text: expect.stringMatching(reason),
    });
  });

  it('for a path that leads elsewhere since it was judged', async () => {
    put('inside', 'a\n');
    mkdirSync(at('dir'));
    put('dir/file', 'a\n');
    const call = bench.prepare('Edit', { file_path: at('dir/file'), old_string: 'a', new_string: 'b' });
    rmSync(at('dir'), { recursive: true });
    mkdirSync(at('elsewhere'));
    put('elsewhere/file', 'a\n');
    symlinkSync('elsewhere', at('dir'));
    const outcome = 'run' in call && (await call.run(bench.context()));
    expect(outcome).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/led to .* so it was left alone/),
    });
    expect(readFileSync(at('elsewhere/file'), 'utf8')).toBe('a\n');
  });
});

it('tells hooks and the screen what changed', async () => {
  put('shape', 'a\nb\nc\n');
  const call = bench.prepare('Edit', { file_path: at('shape'), old_string: 'b', new_string: 'B' });
  const preview = 'preview' in call && (await call.preview?.(bench.context()));
  const outcome = await edit('shape', 'b', 'B');
  const hunk = { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' a', '-b', '+B', ' c'] };
  expect(outcome.response).toEqual({
    filePath: at('shape'),
    oldString: 'b',
    newString: 'B',
    originalFile: 'a\nb\nc\n',
    structuredPatch: [hunk],
    userModified: false,
    replaceAll: false,
  });
  const display = {
    kind: 'diff',
    path: at('shape'),
    patch: '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    added: 1,
    removed: 1,
  };
  expect(outcome.display).toEqual(display);
  expect(preview).toEqual(display);
  expect(lstatSync(at('shape')).isFile()).toBe(true);
});
