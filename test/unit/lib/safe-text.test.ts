import { describe, expect, test } from 'vitest';
import { safeLine, safeText, visibleText, wholeText } from '../../../src/lib/safe-text.ts';

const dropped: [string, string, string][] = [
  ['plain text', 'hello\n\tworld é 世界', 'hello\n\tworld é 世界'],
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['8-bit CSI', '\x9b31mred\x9b0m', 'red'],
  ['cursor moves', 'a\x1b[2J\x1b[Hb', 'ab'],
  ['a title', '\x1b]0;owned\x07ok', 'ok'],
  ['a clipboard write with ST', '\x1b]52;c;aGk=\x1b\\ok', 'ok'],
  ['8-bit OSC', '\x9d52;c;aGk=\x9cok', 'ok'],
  ['a link', '\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['an unterminated OSC, to the end of the line', 'a\x1b]0;title\nb', 'a\nb'],
  ['an unterminated OSC at the end', 'a\x1b]0;title', 'a'],
  ['an OSC broken by another escape', '\x1b]0;x\x1b[31my', 'y'],
  ['DCS, APC, PM, SOS bodies', '\x1bPq\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d', 'abcd'],
  ['8-bit DCS and APC', '\x90q\x9ca\x9fx\x9cb', 'ab'],
  ['BEL does not end a DCS', '\x1bPa\x07b\x1b\\c', 'c'],
  ['a reset', 'a\x1bcb', 'ab'],
  ['charset switches', '\x1b(0lqk\x1b(B', 'lqk'],
  ['a lone escape at the end', 'a\x1b', 'a'],
  ['escape before a line end', 'a\x1b\nb', 'a\nb'],
  ['a CSI broken by a letter outside its range', 'a\x1b[31\nb', 'a\nb'],
  ['BEL, backspace, SO, SI, DEL, NUL', 'a\x07\b\x0e\x0f\x7f\x00b', 'ab'],
  ['other C1', 'a\x84\x8d\x9ab', 'ab'],
  ['NEL as a line end', 'a\x85b', 'a\nb'],
  ['CRLF', 'a\r\nb', 'a\nb'],
  ['a lone CR', 'safe\revil', 'safe␍evil'],
  ['bidi controls', 'a\u202eb\u2066c', 'a<U+202E>b<U+2066>c'],
  ['zero-width characters', 'a\u200bb\ufeffc', 'a<U+200B>b<U+FEFF>c'],
  ['tag characters', 'a\u{e0041}b', 'a<U+E0041>b'],
  ['a joiner inside an emoji', '👩\u200d💻 a\u200db', '👩\u200d💻 a<U+200D>b'],
  ['skin tones and joiners', '👩🏽\u200d💻', '👩🏽\u200d💻'],
];

describe('safeText', () => {
  test.each(dropped)('%s', (_name, given, expected) => {
    expect(safeText(given)).toBe(expected);
  });

  test('leaves no control character for any pair of bytes', () => {
    const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
    for (let a = 0; a < 256; a++)
      for (let b = 0; b < 256; b++)
        expect(bad.test(safeText(`${String.fromCharCode(0x1b, a, b)}x`))).toBe(false);
  });
});

describe('visibleText', () => {
  test.each([
    ['escapes', 'rm \x1b[8m-rf', 'rm \\x1b[8m-rf'],
    ['carriage returns', 'ls\rrm', 'ls\\x0drm'],
    ['tabs', 'a\tb', 'a\\tb'],
    ['C1', 'a\x9bb', 'a\\x9bb'],
    ['bidi', 'a\u202eb', 'a<U+202E>b'],
    ['long runs of blanks', `ls${' '.repeat(200)}; rm`, 'ls    <200 blanks>    ; rm'],
    ['many empty lines', `ls${'\n'.repeat(40)}rm`, 'ls\n<39 empty lines>\nrm'],
  ])('%s', (_name, given, expected) => {
    expect(visibleText(given)).toBe(expected);
  });
});

test('safeLine takes the first line and cuts it', () => {
  expect(safeLine('\n  one\x1b[31m two\nthree')).toBe('one two');
  expect(safeLine('abcdef', 4)).toBe('abc…');
});

describe('a text that comes in pieces', () => {
  const inPieces = (text: string, size: number): string => {
    let held = '';
    let shown = '';
    for (let at = 0; at < text.length; at += size) {
      const come = held + text.slice(at, at + size);
      const whole = wholeText(come);
      shown += safeText(come.slice(0, whole));
      held = come.slice(whole);
    }
    return shown + safeText(held);
  };
  test.each([
    ...dropped,
    ['a family and its joiners', '👨‍👩‍👧 at ❤️‍🔥 home 👍🏽!', '👨‍👩‍👧 at ❤️‍🔥 home 👍🏽!'],
    ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
  ])('reads the same torn anywhere: %s', (_name, given, expected) => {
    for (let size = 1; size <= 5; size++) expect(inPieces(given, size)).toBe(expected);
  });
});
