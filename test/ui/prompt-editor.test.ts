import { describe, expect, test } from 'vitest';
import type { ImageBlock } from '../../src/contract/message.ts';
import { type Buffer, type Edit, edits, emptyBuffer, insert } from '../../src/front/ui/editor/buffer.ts';
import { layout, placeOf, vertical } from '../../src/front/ui/editor/layout.ts';
import { folded, unfolded } from '../../src/front/ui/editor/paste.ts';
import { pendingPictures } from '../../src/front/ui/pending-pictures.ts';
import { emptyPrompt, type Prompt, pasted, sent } from '../../src/front/ui/prompt.ts';

/** `|` marks the caret. */
const at = (marked: string): Buffer => ({
  ...emptyBuffer,
  text: marked.replace('|', ''),
  caret: marked.indexOf('|'),
});
const shown = (buffer: Buffer): string =>
  `${buffer.text.slice(0, buffer.caret)}|${buffer.text.slice(buffer.caret)}`;

describe('edits', () => {
  test.each<[Edit, string, string]>([
    ['left', 'ab|c', 'a|bc'],
    ['left', 'a👩‍💻|', 'a|👩‍💻'],
    ['right', '|é́x', 'é́|x'],
    ['wordLeft', 'one two-three|', 'one two-|three'],
    ['wordLeft', 'one  |', '|one  '],
    ['wordRight', '|one two', 'one| two'],
    ['wordRight', 'one| two', 'one two|'],
    ['lineStart', 'one\ntw|o', 'one\n|two'],
    ['lineEnd', 'o|ne\ntwo', 'one|\ntwo'],
    ['deleteBack', 'a👍🏽|b', 'a|b'],
    ['deleteBack', '|a', '|a'],
    ['deleteBack', 'see [Pasted text #1 +20 lines]|', 'see |'],
    ['deleteBack', '[Image #2]| x', '| x'],
    ['deleteForward', 'a|👩‍💻b', 'a|b'],
    ['killToEnd', 'one t|wo\nthree', 'one t|\nthree'],
    ['killToEnd', 'one|\ntwo', 'one|two'],
    ['killToStart', 'one\ntwo| x', 'one\n| x'],
    ['killToStart', 'one\n|two', 'one|two'],
    ['killBlank', 'git commit -m|', 'git commit |'],
    ['killBlank', 'a/b/c |', '|'],
    ['killWordBack', 'a/b/c|', 'a/b/|'],
    ['killWord', 'one| two three', 'one| three'],
    ['newline', 'one|two', 'one\n|two'],
    ['start', 'a\nb|', '|a\nb'],
    ['end', '|a\nb', 'a\nb|'],
  ])('%s: %s', (edit, before, after) => {
    expect(shown(edits[edit](at(before)))).toBe(after);
  });

  test('kills in a row become one, and yank puts it back', () => {
    const killed = edits.killWordBack(edits.killWordBack(at('one two three|')));
    expect(killed.kills).toEqual(['two three']);
    expect(shown(edits.yank(edits.start(killed)))).toBe('two three|one ');
  });

  test('yank-pop goes through the ring', () => {
    const first = edits.killToStart(at('first|'));
    const second = edits.killToStart(insert(first, 'second'));
    const yanked = edits.yank(second);
    expect(yanked.text).toBe('second');
    expect(edits.yankPop(yanked).text).toBe('first');
    expect(edits.yankPop(edits.yankPop(yanked)).text).toBe('second');
  });

  test('undo takes back word by word, redo brings it again', () => {
    const typed = [...'fix it now'].reduce((buffer, char) => insert(buffer, char), emptyBuffer);
    const once = edits.undo(typed);
    expect(once.text).toBe('fix it');
    expect(edits.undo(once).text).toBe('fix');
    expect(edits.redo(once).text).toBe('fix it now');
  });
});

describe('rows', () => {
  test.each<[string, number, string[]]>([
    ['short', 20, ['short']],
    ['', 20, ['']],
    ['one two three', 9, ['one two ', 'three']],
    ['abcdefghij', 5, ['abcd', 'efgh', 'ij']],
    ['a\n\nb', 20, ['a', '', 'b']],
    ['日本語テキスト', 7, ['日本語', 'テキス', 'ト']],
  ])('%j in %i columns', (text, width, rows) => {
    expect(layout(text, width).map((row) => row.text)).toEqual(rows);
  });

  test('every offset lies on exactly one row, and none is lost', () => {
    const text = 'some words that wrap and 漢字 too\n\nand a verylongwordthatmustbebroken 👩‍💻👩‍💻👩‍💻';
    for (const width of [4, 7, 12, 40]) {
      const rows = layout(text, width);
      expect(rows.map((row) => row.text).join('')).toBe(text.replaceAll('\n', ''));
      for (let caret = 0; caret <= text.length; caret++)
        expect(placeOf(rows, caret).column).toBeLessThan(width);
    }
  });

  test.each<[string, number, -1 | 1, string | undefined]>([
    ['one\ntw|o', 20, -1, 'on|e\ntwo'],
    ['longer\nab|', 20, -1, 'lo|nger\nab'],
    ['a|\n', 20, 1, 'a\n|'],
    ['日本|\nabcdef', 20, 1, '日本\nabcd|ef'],
    ['on|e', 20, -1, undefined],
    ['on|e', 20, 1, undefined],
  ])('moving from %j', (marked, width, step, after) => {
    const buffer = at(marked);
    const moved = vertical(layout(buffer.text, width), buffer.caret, step);
    expect(moved && shown({ ...buffer, caret: moved.caret })).toBe(after);
  });
});

describe('pastes', () => {
  test('short ones stand as they are, long ones are folded and sent whole', () => {
    expect(folded('one\r\ntwo', {}).insert).toBe('one\ntwo');
    const long = Array.from({ length: 30 }, (_, n) => `row ${n}`).join('\n');
    const fold = folded(long, {});
    expect(fold.insert).toBe('[Pasted text #1 +30 lines]');
    expect(unfolded(`see ${fold.insert} there`, fold.pastes)).toBe(`see ${long} there`);
    expect(folded(long, fold.pastes).insert).toBe('[Pasted text #2 +30 lines]');
  });

  test('escapes in a paste are dropped', () => {
    expect(folded('a\x1b[31mb', {}).insert).toBe('ab');
  });
});

test('what is typed while a picture is read comes behind it, and is sent with it', async () => {
  let prompt = emptyPrompt;
  const setPrompt = (change: (now: Prompt) => Prompt) => {
    prompt = change(prompt);
  };
  const pictures = pendingPictures(() => prompt, setPrompt);
  const [first, second] = [
    Promise.withResolvers<ImageBlock | undefined>(),
    Promise.withResolvers<ImageBlock | undefined>(),
  ];
  pictures.put(first.promise, 'a.png');
  pictures.put(second.promise, '$& b.png ');
  setPrompt((now) => pasted(now, 'which?'));
  expect(pictures.worded(prompt.buffer.text)).toBe('a.png$& b.png which?');
  const typed = pictures.typed(prompt);
  setPrompt(sent);
  setPrompt((now) => pasted(now, 'next'));
  const next = pictures.typed(prompt);
  setPrompt(sent);
  expect(pictures.sending().map(pictures.worded)).toEqual(['a.png$& b.png which?', 'next']);
  const order: string[] = [];
  const ended = Promise.all([
    Promise.resolve(next).then(() => order.push('next')),
    Promise.resolve(typed).then(() => order.push('first')),
  ]);
  const image: ImageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } };
  first.resolve(image);
  second.resolve(undefined);
  expect(await typed).toEqual({ text: '[Image #1] $& b.png which?', images: [image] });
  await ended;
  expect(order).toEqual(['first', 'next']);
  expect(pictures.sending()).toEqual([]);
  expect(prompt.buffer.text).toBe('');
});
