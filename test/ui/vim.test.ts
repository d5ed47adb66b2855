import { describe, expect, test } from 'vitest';
import { emptyBuffer } from '../../src/front/ui/editor/buffer.ts';
import { named, type Press, typed } from '../../src/front/ui/keys.ts';
import { emptyPrompt, type Prompt } from '../../src/front/ui/prompt.ts';
import { selectionOf, vimStep } from '../../src/front/ui/vim/vim.ts';
import { freshVim, type VimMode } from '../../src/front/ui/vim/vim-state.ts';

/** `|` marks the caret. */
const at = (marked: string, mode: VimMode = 'normal'): Prompt => ({
  ...emptyPrompt,
  buffer: { ...emptyBuffer, text: marked.replace('|', ''), caret: marked.indexOf('|') },
  vim: { ...freshVim, mode },
});

/** `<esc>` and the like are keys, everything else is typed letter by letter. */
const pressesOf = (keys: string): readonly Press[] =>
  [...keys.matchAll(/<(\w+)>|[\s\S]/gu)].map((match) =>
    match[1] ? named(match[1] === 'esc' ? 'escape' : match[1]) : typed(match[0]),
  );

const press = (prompt: Prompt, keys: string, remaps: Record<string, string> = {}) =>
  pressesOf(keys).reduce<{ prompt: Prompt; action?: string }>(
    (step, one, index) => vimStep(step.prompt, one, { width: 40, now: index * 10, remaps }),
    { prompt },
  );

const shown = ({ buffer }: Prompt): string =>
  `${buffer.text.slice(0, buffer.caret)}|${buffer.text.slice(buffer.caret)}`;

describe('motions', () => {
  test.each([
    ['l', '|one two', 'o|ne two'],
    ['3l', '|one two', 'one| two'],
    ['h', 'one |two', 'one| two'],
    ['l', 'on|e\ntwo', 'on|e\ntwo'],
    ['w', '|one, two', 'one|, two'],
    ['W', '|one, two', 'one, |two'],
    ['2w', '|one two three', 'one two |three'],
    ['b', 'one two|', 'one |two'],
    ['B', 'one a-b|c', 'one |a-bc'],
    ['e', '|one two', 'on|e two'],
    ['ee', '|one two', 'one tw|o'],
    ['0', '  one| two', '|  one two'],
    ['^', '  one| two', '  |one two'],
    ['$', '|one two\nx', 'one tw|o\nx'],
    ['gg', 'one\n two\nthr|ee', '|one\n two\nthree'],
    ['G', '|one\n two\nthree', 'one\n two\n|three'],
    ['2G', '|one\n  two\nthree', 'one\n  |two\nthree'],
    ['j', 'on|e\ntwo', 'one\ntw|o'],
    ['k', 'one\ntw|o', 'on|e\ntwo'],
    ['fo', '|one two', 'one tw|o'],
    ['to', '|one two', 'one t|wo'],
    ['Fo', 'one tw|o', '|one two'],
    ['To', 'one tw|o', 'o|ne two'],
    ['fo;', '|xo xo xo', 'xo x|o xo'],
    ['fo;,', '|xo xo xo', 'x|o xo xo'],
    ['w', '|日本 語', '日本 |語'],
    ['l', '|👩‍💻x', '👩‍💻|x'],
  ])('%s: %j', (keys, before, after) => {
    expect(shown(press(at(before), keys).prompt)).toBe(after);
  });
});

describe('changes', () => {
  test.each([
    ['x', 'o|ne', 'o|e'],
    ['3x', '|abcd', '|d'],
    ['x', 'on|e', 'o|n'],
    ['X', 'on|e', 'o|e'],
    ['dd', 'one\ntw|o\nthree', 'one\n|three'],
    ['2dd', '|one\ntwo\nthree', '|three'],
    ['dd', 'one\ntw|o', '|one'],
    ['dw', '|one two', '|two'],
    ['dw', 'one |two\nthree', 'one| \nthree'],
    ['d2w', '|one two three', '|three'],
    ['de', '|one two', '| two'],
    ['d$', 'one| two', 'on|e'],
    ['D', 'one| two', 'on|e'],
    ['d0', 'one |two', '|two'],
    ['dG', 'one\nt|wo\nthree', '|one'],
    ['dfo', '|two two', '| two'],
    ['dto', '|two two', '|o two'],
    ['cwnew<esc>', '|one two', 'ne|w two'],
    ['ccnew<esc>', 'one\nt|wo', 'one\nne|w'],
    ['Cnew<esc>', 'one |two', 'one ne|w'],
    ['snew<esc>', '|one', 'ne|wne'],
    ['Snew<esc>', 'o|ne', 'ne|w'],
    ['ix<esc>', 'o|ne', 'o|xne'],
    ['ax<esc>', 'o|ne', 'on|xe'],
    ['Ix<esc>', '  on|e', '  |xone'],
    ['Ax<esc>', 'o|ne', 'one|x'],
    ['ox<esc>', 'o|ne\ntwo', 'one\n|x\ntwo'],
    ['Ox<esc>', 'one\nt|wo', 'one\n|x\ntwo'],
    ['rx', 'o|ne', 'o|xe'],
    ['~', '|one', 'O|ne'],
    ['J', 'on|e\n  two', 'one| two'],
    ['>>', 'o|ne', '  |one'],
    ['<<', '    o|ne', '  |one'],
    ['2>>', '|one\ntwo', '  |one\n  two'],
    ['ywP', '|one two', 'one| one two'],
    ['yyp', '|one\ntwo', 'one\n|one\ntwo'],
    ['yyP', 'one\n|two', 'one\n|two\ntwo'],
    ['xp', '|ab', 'b|a'],
    ['Y3p', '|a', 'a\n|a\na\na'],
    ['diw', 'one t|wo three', 'one | three'],
    ['daw', 'one t|wo three', 'one |three'],
    ['diW', 'one a-|b three', 'one | three'],
    ['di"', 'say "hel|lo" now', 'say "|" now'],
    ['da"', 'say "hel|lo" now', 'say | now'],
    ["ci'x<esc>", "say 'hel|lo'", "say '|x'"],
    ['di(', 'f(a, g(b), |c)', 'f(|)'],
    ['di(', 'f(a, g(|b), c)', 'f(a, g(|), c)'],
    ['da[', 'x[1|2]y', 'x|y'],
    ['ci{z<esc>', 'if {\n  |a\n}', 'if {|z}'],
    ['x.', '|abc', '|c'],
    ['dw.', '|one two three', '|three'],
    ['cwxy<esc>w.', '|one two', 'xy x|y'],
    ['Ax<esc>.', 'a|b', 'abx|x'],
    ['ddu', 'one\nt|wo', 'one\nt|wo'],
    ['ione two three<esc>u', '|', '|'],
    ['cwnew<esc>u', '|one two', '|one two'],
    ['vld', '|one', '|e'],
    ['vecx<esc>', '|one two', '|x two'],
    ['Vd', 'one\nt|wo\nthree', 'one\n|three'],
    ['Vjd', '|one\ntwo\nthree', '|three'],
    ['viwd', 'one t|wo', 'one| '],
    ['vey$p', '|one two', 'one twoon|e'],
    ['ve>', '|one', '  |one'],
    ['v$~', '|one', '|ONE'],
  ])('%s: %j', (keys, before, after) => {
    expect(shown(press(at(before), keys).prompt)).toBe(after);
  });
});

describe('modes', () => {
  test('letters are text until escape, then commands; escape once more is the screen’s', () => {
    const typing = press(at('|', 'insert'), 'dd<esc>');
    expect([typing.prompt.buffer.text, typing.prompt.vim?.mode, typing.action]).toEqual([
      'dd',
      'normal',
      undefined,
    ]);
    expect(press(typing.prompt, '<esc>').action).toBe('escape');
  });

  test.each([
    ['/', 'search'],
    ['?', 'help'],
    ['k', 'history-older'],
    ['j', 'history-newer'],
    ['<enter>', 'submit'],
  ])('%s asks for %s', (keys, action) => {
    expect(press(at('o|ne'), keys).action).toBe(action);
  });

  test('what is selected is known to the painter', () => {
    expect(selectionOf(press(at('|one two'), 'vw').prompt)).toEqual({ from: 0, to: 5 });
    expect(selectionOf(press(at('one\nt|wo'), 'V').prompt)).toEqual({ from: 4, to: 7 });
    expect(selectionOf(press(at('|one'), 'v<esc>').prompt)).toBeUndefined();
  });

  test('remapped letters leave insert mode, and leave nothing behind', () => {
    const { prompt } = press(at('|', 'insert'), 'onejj', { jj: '<Esc>' });
    expect([shown(prompt), prompt.vim?.mode]).toEqual(['on|e', 'normal']);
  });

  test('an unknown command is forgotten', () => {
    expect(shown(press(at('|one'), 'dzx').prompt)).toBe('|ne');
  });
});
