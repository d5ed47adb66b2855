import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesOf } from '../support/keys.ts';
import { leftovers, tagged } from '../support/processes.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { snapshot } from '../support/screen.ts';
import { leftOn } from '../support/stream-modes.ts';
import { openTerminal } from '../support/terminal.ts';

let place: TempRepo;
beforeAll(async () => {
  place = await tempRepo();
});
afterAll(() => place.dispose());

/** A program that takes the keyboard, names each key it gets, and cleans up after itself on q. */
const LISTENER = `
  process.stdin.setRawMode(true);
  process.stdout.write('\\x1b[?2004h\\x1b[?25lready\\r\\n');
  process.stdin.on('data', (d) => {
    const s = d.toString();
    if (s === 'q') {
      process.stdin.setRawMode(false);
      process.stdout.write('\\x1b[?2004l\\x1b[?25hbye');
      process.exit(0);
    }
    process.stdout.write('<' + JSON.stringify(s) + '>\\r\\n');
  });
  process.stdout.on('resize', () => process.stdout.write(process.stdout.columns + 'x' + process.stdout.rows + '\\r\\n'));
`;
const listener = (columns = 60, rows = 10) =>
  openTerminal(place, ['-e', LISTENER], { columns, rows, command: [process.execPath] });

test.each([
  ['esc', '\x1b'],
  ['ctrl+c', '\x03'],
  ['shift+tab', '\x1b[Z'],
  ['alt+b', '\x1bb'],
  ['alt+enter', '\x1b\r'],
  ['ctrl+left', '\x1b[1;5D'],
  ['é', 'é'],
])('the key %s is sent as %j', (key, bytes) => {
  expect(bytesOf(key)).toBe(bytes);
});

test('an unknown key is an error', () => {
  expect(() => bytesOf('hyper+x')).toThrow('No key is called "hyper+x".');
});

test.each<[string, string[]]>([
  ['\x1b[?1049h\x1b[?25l text \x1b[?25h\x1b[?1049l', []],
  ['\x1b[?25l', ['?25l']],
  ['\x1b[?1000;1006h\x1b[?1000l', ['?1006h']],
  ['\x1b[>4;2m', ['>4;2m']],
  ['\x1b[>4;2m\x1b[>4;0m\x1b[>1u\x1b[<u', []],
  ['\x1b[>1u', ['>u pushed 1 times too often']],
])('%j leaves on %j', (stream, modes) => {
  expect(leftOn(stream)).toEqual(modes);
});

describe('a program in the terminal', () => {
  test('gets keys, pastes and sizes, and leaves the terminal as it was', async () => {
    await using terminal = await listener();
    await terminal.waitFor('ready');
    await terminal.ready();
    terminal.key('ctrl+c');
    await terminal.waitFor('<"\\u0003">');
    terminal.paste('a\nb');
    await terminal.waitFor('<"\\u001b[200~a\\nb\\u001b[201~">');
    terminal.resize(50, 8);
    await terminal.waitFor('50x8');
    terminal.type('q');
    const { code, termios } = await terminal.exit();
    expect([code, termios.after, leftOn(terminal.raw())]).toEqual([0, termios.before, []]);
    expect(termios.before).toMatch(/^[0-9a-f]+(:[0-9a-f]+)+$/);
    expect(terminal.text()).toContain('bye');
  });

  test('is caught when it leaves modes on', async () => {
    await using terminal = await listener();
    await terminal.waitFor('ready');
    terminal.kill('SIGKILL');
    const { signal, termios } = await terminal.exit();
    expect([signal, leftOn(terminal.raw())]).toEqual([9, ['?2004h', '?25l']]);
    expect(termios.after).not.toBe(termios.before);
  });

  test('keeps rows that scrolled away, apart from the screen', async () => {
    await using terminal = await openTerminal(place, ['1', '30'], {
      rows: 10,
      columns: 20,
      command: ['seq'],
    });
    await terminal.exit();
    expect(terminal.scrollback().slice(0, 2)).toEqual(['1', '2']);
    expect(terminal.screen().slice(0, 9)).toEqual(['22', '23', '24', '25', '26', '27', '28', '29', '30']);
  });

  test('shows colours and styles in a snapshot', async () => {
    const colours = '\\033[1;32mdone\\033[0m plain \\033[7;38;2;255;0;10mred\\033[0m 日本\\n';
    await using terminal = await openTerminal(place, [colours], {
      rows: 5,
      columns: 40,
      command: ['printf'],
    });
    await terminal.exit();
    expect(snapshot(terminal.cells())).toBe('‹bold fg=2›done‹/› plain ‹inverse fg=#ff000a›red‹/› 日本');
  });

  test('ends when the terminal is hung up', async () => {
    await using terminal = await openTerminal(place, ['echo up; exec sleep 60'], { command: ['sh', '-c'] });
    await terminal.waitFor('up');
    terminal.hangUp();
    expect((await terminal.exit()).signal).toBe(1);
  });

  test('a wait that fails shows the screen', async () => {
    await using terminal = await listener();
    await terminal.waitFor('ready');
    await expect(terminal.waitFor('never', 30)).rejects.toThrow(
      /30 ms passed while waiting for never.*ready/s,
    );
  });

  test('processes are found by their tag until they are gone', async () => {
    await using terminal = await openTerminal(place, ['echo up; exec sleep 60'], { command: ['sh', '-c'] });
    await terminal.waitFor('up');
    expect((await leftovers(place.tag, 0)).map(({ pid }) => pid)).toContain(terminal.pid);
    terminal.kill('SIGKILL');
    await terminal.exit();
    expect(tagged(place.tag).map(({ pid }) => pid)).not.toContain(terminal.pid);
  });
});
