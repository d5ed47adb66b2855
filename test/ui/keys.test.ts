import type { Key } from 'ink';
import { describe, expect, test } from 'vitest';
import { chord, named, type Press, presses, typed } from '../../src/front/ui/keys.ts';
import { emptyPrompt, filled, mentionAt, type Prompt, slashAt } from '../../src/front/ui/prompt.ts';
import { browsed } from '../../src/front/ui/prompt-history.ts';
import { type PromptAction, promptKey } from '../../src/front/ui/prompt-keys.ts';
import { withSlashMenu } from '../../src/front/ui/slash-menu.ts';

const none: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('presses', () => {
  test.each<[string, Partial<Key>, string[]]>([
    ['a', {}, ['a']],
    ['hello', {}, ['hello']],
    ['hello\r', {}, ['hello', 'enter']],
    ['one\rtwo', {}, ['one', 'enter', 'two']],
    ['\n', {}, ['ctrl+j']],
    ['\x1f', {}, ['ctrl+_']],
    ['ab\x7f', {}, ['ab', 'backspace']],
    ['', { return: true }, ['enter']],
    ['', { return: true, meta: true }, ['alt+enter']],
    ['', { return: true, shift: true }, ['shift+enter']],
    ['', { tab: true, shift: true }, ['shift+tab']],
    ['c', { ctrl: true }, ['ctrl+c']],
    ['b', { meta: true }, ['alt+b']],
    ['', { escape: true }, ['escape']],
    ['', { escape: true, meta: true }, ['escape', 'escape']],
    ['', { escape: true, meta: true, eventType: 'press' }, ['escape']],
    ['', { backspace: true, meta: true }, ['alt+backspace']],
    ['A', { shift: true }, ['A']],
    ['p', { super: true }, ['super+p']],
  ])('%j %j', (input, key, expected) => {
    expect(presses(input, { ...none, ...key }).map(chord)).toEqual(expected);
  });
});

const key = (name: string): Press => {
  const parts = name.split('+');
  const last = parts.at(-1) ?? '';
  return named(last, {
    ctrl: parts.includes('ctrl'),
    alt: parts.includes('alt'),
    shift: parts.includes('shift'),
  });
};
const press = (
  prompt: Prompt,
  ...names: readonly (string | Press)[]
): { prompt: Prompt; action?: PromptAction } =>
  names.reduce<{ prompt: Prompt; action?: PromptAction }>(
    (step, name) => promptKey(step.prompt, typeof name === 'string' ? key(name) : name, 40),
    { prompt },
  );

describe('the prompt', () => {
  test.each<[string, PromptAction]>([
    ['ctrl+c', 'cancel'],
    ['escape', 'escape'],
    ['shift+tab', 'cycle-mode'],
    ['ctrl+o', 'transcript'],
    ['ctrl+t', 'tasks'],
    ['ctrl+b', 'background'],
    ['ctrl+g', 'edit'],
    ['ctrl+z', 'suspend'],
    ['ctrl+l', 'redraw'],
    ['alt+t', 'thinking'],
    ['alt+p', 'model'],
    ['ctrl+v', 'paste-image'],
    ['ctrl+r', 'search'],
    ['ctrl+s', 'stash'],
    ['ctrl+d', 'end-of-input'],
    ['up', 'history-older'],
    ['enter', 'submit'],
  ])('%s on an empty prompt', (name, action) => {
    expect(press(emptyPrompt, name).action).toBe(action);
  });

  test('a backslash before enter makes a new line', () => {
    const step = press(filled(emptyPrompt, 'one\\'), 'enter');
    expect(step.prompt.buffer.text).toBe('one\n');
    expect(step.action).toBeUndefined();
  });

  test.each(['shift+enter', 'alt+enter', 'ctrl+j'])('%s makes a new line', (name) => {
    expect(press(filled(emptyPrompt, 'one'), name).prompt.buffer.text).toBe('one\n');
  });

  test('an exclamation mark begins a command of your own, backspace leaves it', () => {
    const shell = press(emptyPrompt, typed('!'));
    expect(shell.prompt.shell).toBe(true);
    expect(press(shell.prompt, typed('ls')).prompt.buffer.text).toBe('ls');
    expect(press(shell.prompt, 'backspace').prompt.shell).toBe(false);
  });

  test('up moves between rows before it goes to history', () => {
    const step = press(filled(emptyPrompt, 'one\ntwo'), 'up');
    expect(step.action).toBeUndefined();
    expect(step.prompt.buffer.caret).toBe(3);
    expect(press(step.prompt, 'up').action).toBe('history-older');
  });

  test('history keeps the draft below the newest entry', () => {
    const entries = ['new', 'old', '!ls'];
    const draft = filled(emptyPrompt, 'draft');
    const one = browsed(draft, entries, 1);
    const three = browsed(browsed(one, entries, 1), entries, 1);
    expect(one.buffer.text).toBe('new');
    expect([three.buffer.text, three.shell]).toEqual(['ls', true]);
    expect(browsed(browsed(browsed(three, entries, -1), entries, -1), entries, -1).buffer.text).toBe('draft');
  });
});

describe('menus', () => {
  const commands = [
    { name: 'compact', description: '' },
    { name: 'config', description: '' },
    { name: 'clear', description: '', aliases: ['new'] },
    { name: 'context', description: '' },
  ];

  test.each<[string, string | undefined]>([
    ['/', ''],
    ['/co', 'co'],
    ['/co x', undefined],
    [' /co', undefined],
    ['/apps/we', 'apps/we'],
    ['text', undefined],
  ])('%j asks for commands like %j', (text, query) => {
    expect(slashAt(text, text.length)).toBe(query);
  });

  test.each<[string, string | undefined]>([
    ['@', ''],
    ['see @src/ca', 'src/ca'],
    ['mail@example', undefined],
    ['(@x', 'x'],
    ['@a b', undefined],
  ])('%j asks for files like %j', (text, query) => {
    expect(mentionAt(text, text.length)?.query).toBe(query);
  });

  test('enter takes the command under the cursor and runs it', () => {
    const open = withSlashMenu(filled(emptyPrompt, '/co'), commands);
    expect(open.menu?.entries.map((entry) => ('name' in entry ? entry.name : ''))).toEqual([
      'config',
      'compact',
      'context',
    ]);
    const step = press(open, 'down', 'enter');
    expect([step.prompt.buffer.text, step.action]).toEqual(['/compact ', 'submit']);
  });

  test('a path leads to the skills of its folder, and is no command otherwise', () => {
    const all = [...commands, { name: 'apps/web:deploy', description: '' }];
    expect(withSlashMenu(filled(emptyPrompt, '/apps/we'), all).menu?.entries).toEqual([all.at(-1)]);
    expect(withSlashMenu(filled(emptyPrompt, '/usr/bin'), all).menu).toBeUndefined();
  });

  test('aliases are found', () => {
    expect(withSlashMenu(filled(emptyPrompt, '/new'), commands).menu?.entries).toEqual([commands[2]]);
  });

  test('escape closes the menu and it stays closed for this text', () => {
    const closed = press(withSlashMenu(filled(emptyPrompt, '/co'), commands), 'escape').prompt;
    expect(closed.menu).toBeUndefined();
    expect(withSlashMenu(closed, commands).menu).toBeUndefined();
  });

  const named = (prompt: Prompt) =>
    (prompt.menu?.entries ?? []).map((entry) => ('name' in entry ? entry.name : entry.insert));

  test('letters that only stand somewhere in a name do not crowd out those that begin it', () => {
    expect(named(withSlashMenu(filled(emptyPrompt, '/con'), commands))).toEqual(['config', 'context']);
  });

  test('a slip of the finger lists what may be meant, and enter sends what was typed', () => {
    const open = withSlashMenu(filled(emptyPrompt, '/cmopact'), commands);
    expect([named(open), open.menu?.index]).toEqual([['compact'], -1]);
    expect(press(open, 'enter').prompt.buffer.text).toBe('/cmopact');
    expect(press(open, 'tab').prompt.buffer.text).toBe('/compact ');
  });

  const theme = [
    { name: 'theme', description: '', argumentHint: '[name]', complete: () => ['dark', 'light', 'ansi'] },
  ];

  test('behind a command stands what it takes, and its values can be completed', () => {
    const bare = withSlashMenu(filled(emptyPrompt, '/theme '), theme);
    expect([bare.ghost, named(bare)]).toEqual(['[name]', ['dark', 'light', 'ansi']]);
    expect(press(bare, 'enter')).toMatchObject({ prompt: { buffer: { text: '/theme ' } }, action: 'submit' });
    const begun = withSlashMenu(filled(emptyPrompt, '/theme li'), theme);
    expect([begun.ghost, named(begun)]).toEqual([undefined, ['light']]);
    expect(press(begun, 'tab').prompt.buffer.text).toBe('/theme light');
    expect(press(begun, 'down', 'enter').prompt.buffer.text).toBe('/theme light');
  });
});
