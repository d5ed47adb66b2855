import { describe, expect, test } from 'vitest';
import type { KeyBinding, KeyContext } from '../../src/contract/keys.ts';
import { plainReports } from '../../src/front/ui/key-reports.ts';
import { createKeymap } from '../../src/front/ui/keymap.ts';
import { chord, named, type Press, typed } from '../../src/front/ui/keys.ts';

const bind = (context: KeyContext, keys: string, action: string | null): KeyBinding => ({
  context,
  keys,
  action,
});
const ctrl = (letter: string): Press => named(letter, { ctrl: true });
const chat: readonly KeyContext[] = ['Chat', 'Global'];

const read = (bindings: readonly KeyBinding[], ones: readonly Press[], contexts = chat): string[] => {
  const keymap = createKeymap(() => bindings);
  return ones.flatMap((one) => keymap.read(one, contexts).map(chord));
};

describe('a keymap', () => {
  test.each<[string, readonly KeyBinding[], readonly Press[], readonly string[]]>([
    ['leaves what is not bound', [], [ctrl('e'), typed('hello')], ['ctrl+e', 'hello']],
    [
      'turns a key into the one that does the action',
      [bind('Chat', 'ctrl+e', 'chat:externalEditor')],
      [ctrl('e')],
      ['ctrl+g'],
    ],
    ['takes a key away', [bind('Chat', 'ctrl+u', null)], [ctrl('u'), ctrl('w')], ['ctrl+w']],
    [
      'has sequences of its own',
      [],
      [ctrl('x'), ctrl('e'), ctrl('x'), ctrl('k')],
      ['ctrl+g', 'chat:killAgents'],
    ],
    ['drops a sequence that means nothing, and only that', [], [ctrl('x'), typed('a'), typed('a')], ['a']],
    [
      'knows sequences of the person',
      [bind('Global', 'ctrl+k ctrl+t', 'app:toggleTodos')],
      [ctrl('k'), ctrl('t')],
      ['ctrl+t'],
    ],
    ['lets a sequence be taken away', [bind('Chat', 'ctrl+x ctrl+k', null)], [ctrl('x'), ctrl('k')], []],
    [
      'prefers the nearer context',
      [bind('Global', 'ctrl+e', 'app:redraw'), bind('Chat', 'ctrl+e', 'chat:stash')],
      [ctrl('e')],
      ['ctrl+s'],
    ],
    [
      'prefers what was written later',
      [bind('Chat', 'ctrl+e', 'chat:undo'), bind('Chat', 'ctrl+e', 'chat:stash')],
      [ctrl('e')],
      ['ctrl+s'],
    ],
    [
      'does not hear of other contexts',
      [bind('Transcript', 'ctrl+e', 'transcript:exit')],
      [ctrl('e')],
      ['ctrl+e'],
    ],
    ['runs commands', [bind('Chat', 'ctrl+e', 'command:cost')], [ctrl('e')], ['command:cost']],
    [
      'finds a bound letter in what was typed at once',
      [bind('Chat', 'ß', 'chat:newline')],
      [typed('aßb')],
      ['a', 'ctrl+j', 'b'],
    ],
    [
      'swaps enter and ctrl+enter',
      [bind('Chat', 'enter', 'chat:newline'), bind('Chat', 'ctrl+enter', 'chat:submit')],
      [named('enter'), named('enter', { ctrl: true })],
      ['ctrl+j', 'enter'],
    ],
  ])('%s', (_what, bindings, ones, expected) => {
    expect(read(bindings, ones)).toEqual(expected);
  });

  test('a yes that is bound is no letter', () => {
    const keymap = createKeymap(() => [bind('Confirmation', 'ctrl+y', 'confirm:yes')]);
    expect(keymap.read(ctrl('y'), ['Confirmation'])).toEqual([named('y')]);
  });
});

describe('reports of modified keys', () => {
  test.each([
    ['\x1b[27;2;13~', '\x1b[13;2u'],
    ['a\x1b[27;5;101~b', 'a\x1b[101;5ub'],
    ['\x1b[1092::97;5u', '\x1b[97;5u'],
    ['\x1b[1092:1060:97;2u', '\x1b[1092;2u'],
    ['\x1b[97:65:97;5:1u', '\x1b[97;5:1u'],
    ['\x1b[1;5D', '\x1b[1;5D'],
    ['27;2;13~', '27;2;13~'],
  ])('%j is %j', (sent, meant) => {
    expect(plainReports(sent)).toBe(meant);
  });
});
