import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { keyActions, keyContexts, keySequences } from '../../src/contract/keys.ts';
import { keysOf, readKeybindings, startKeybindings } from '../../src/settings/keybindings.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'keybindings.json');
const read = (content: string, quiet = false) => {
  writeFileSync(file, content);
  return readKeybindings(file, quiet);
};
const one = (keys: string, action: string | null, context = 'Chat') =>
  JSON.stringify({
    $schema: 'x',
    bindings: [{ context, bindings: { [keys]: action, 'ctrl+e': 'chat:stash' } }],
  });
const good = { context: 'Chat', keys: 'ctrl+e', action: 'chat:stash' };

describe('keybindings.json', () => {
  test.each([
    ['ctrl+e', 'ctrl+e'],
    ['Ctrl+K', 'ctrl+k'],
    ['control+option+x', 'ctrl+alt+x'],
    ['meta+p', 'alt+p'],
    ['shift+alt+enter', 'alt+shift+enter'],
    ['cmd+k', 'super+k'],
    ['K', 'K'],
    ['shift+k', 'K'],
    ['esc', 'escape'],
    ['Return', 'enter'],
    ['space', 'space'],
    ['ctrl++', 'ctrl++'],
    ['ctrl+k ctrl+s', 'ctrl+k ctrl+s'],
    ['ü', 'ü'],
  ])('%s is the key %s', (written, name) => {
    expect(keysOf(written)).toEqual({ name });
  });

  test.each(['', 'ctrl+', 'hyperspace', 'ctrl+nope', 'strg+e', 'ctrl+k hyperspace'])(
    '%j is no key',
    (written) => {
      expect(keysOf(written)).toMatchObject({ wrong: expect.stringContaining('no key by that name') });
    },
  );

  test('one bad entry costs that entry and names file, place, found and expected', async () => {
    const wrong = await read(one('ctrl+q', 'chat:stsh'));
    expect(wrong.bindings).toEqual([good]);
    expect(wrong.problems).toEqual([
      `${file}: bindings.0.bindings["ctrl+q"]: found "chat:stsh", expected an action (did you mean chat:stash?); /keybindings list shows them.`,
    ]);
  });

  test.each([
    ['ctrl+c', 'chat:stash', /ctrl\+c cannot be bound: it always interrupts/],
    ['ctrl+m', 'chat:stash', /bind enter/],
    ['flub+x', 'chat:stash', /no key by that name/],
  ])('%s is refused', async (keys, action, sentence) => {
    const { bindings, problems } = await read(one(keys, action));
    expect([bindings, problems.length, problems[0]]).toEqual([[good], 1, expect.stringMatching(sentence)]);
  });

  test('null takes a key away, a command is run, several keys in a row are one binding', async () => {
    expect((await read(one('ctrl+u', null))).bindings[0]).toEqual({
      context: 'Chat',
      keys: 'ctrl+u',
      action: null,
    });
    expect((await read(one('ctrl+k c', 'command:cost'))).bindings[0]).toEqual({
      context: 'Chat',
      keys: 'ctrl+k c',
      action: 'command:cost',
    });
  });

  test('actions of other programs are passed over in their file, and named in ours', async () => {
    expect((await read(one('x', 'voice:pushToTalk'), true)).problems).toEqual([]);
    expect((await read(one('x', 'voice:pushToTalk'))).problems).toHaveLength(1);
  });

  test.each([
    ['{ "bindings": [', /found the end of the file at line 1, column 16, expected valid JSON/],
    ['{}', /bindings: .*expected \{"bindings"/],
    ['{"bindings": [{"context": "Chat", "bindings": {"x": 1}}]}', /bindings\.0\.bindings\.x: /],
    [one('x', 'chat:stash', 'Chats'), /bindings\.0\.context: found "Chats", expected one of Global, Chat/],
  ])('%s is said to be wrong', async (content, sentence) => {
    expect(await read(content)).toEqual({ bindings: [], problems: [expect.stringMatching(sentence)] });
  });

  test('a file that is not there binds nothing; it begins with an example and is never overwritten', async () => {
    const fresh = join(folder, 'home', 'keybindings.json');
    expect(await readKeybindings(fresh, false)).toEqual({ bindings: [], problems: [] });
    await startKeybindings(fresh);
    expect((await readKeybindings(fresh, false)).problems).toEqual([]);
    writeFileSync(fresh, one('x', 'chat:stash'));
    await startKeybindings(fresh);
    expect(readFileSync(fresh, 'utf8')).toBe(one('x', 'chat:stash'));
  });

  test('docs/keys.md names every context, action and key', () => {
    const docs = readFileSync('docs/keys.md', 'utf8');
    const missing = [...keyContexts, ...Object.keys(keySequences), ...Object.keys(keyActions)].filter(
      (name) => !docs.includes(name),
    );
    expect(missing).toEqual([]);
    for (const [action, key] of Object.entries(keyActions))
      expect(docs).toContain(`| \`${action}\` | \`${key}\``);
  });
});
