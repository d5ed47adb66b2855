/** Escape sequences, bidi controls, half characters: wherever text comes from, the terminal is never steered by it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inPieces, reply, say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';
import { leftOn } from '../support/stream-modes.ts';
import { openTerminal } from '../support/terminal.ts';

/** Window title, clipboard, alternate screen, mouse, clear, cursor home, paste brackets, 8-bit CSI, bidi, zero width. */
const EVIL =
  'a\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[?1049h\x1b[?1003h\x1b[2J\x1b[H\x1b[?2004l\x9b31m\u202egpj.exe\u2066\u200bz';
/** What of it may never reach the terminal in these bytes. */
const STEERING = [
  '\x1b]0;owned',
  '\x1b]52;c;b3',
  '\x1b[?1003h',
  '\x1b[2J',
  '\x9b',
  '\u202e',
  '\u2066',
  '\u200b',
];

test('from the model, a command, a file and its name, nothing reaches the terminal but text', async () => {
  const name = `evil\x1b]0;owned\x07\u202etxt.md`;
  await using on = await scene([], { files: { [name]: `${EVIL}\n` } });
  const halves = join(on.repo.path, 'halves.bin');
  writeFileSync(halves, Buffer.from([0x61, 0xe2, 0x82, 0x0a, 0xff, 0xfe, 0xf0, 0x9f, 0x92, 0x0a]));
  on.server.script(
    inPieces(
      reply([
        say(
          `Look: ${EVIL} and ü€💶 in pieces.\n\n\`\`\`\n${EVIL}\n\`\`\`\n\n| ${EVIL} |\n|---|\n| ${EVIL} |\n`,
        ),
        use('Bash', { command: `cat halves.bin; printf '${EVIL.replaceAll('%', '%%')}'`, description: EVIL }),
        use('Read', { file_path: name }),
        use('Glob', { pattern: '*' }),
        use('Grep', { pattern: 'a', output_mode: 'content' }),
        use('Edit', { file_path: name, old_string: 'a', new_string: `b${EVIL}`, replace_all: false }),
        use('TaskCreate', { subject: EVIL, description: EVIL, activeForm: EVIL }),
        use('NoSuch\x1b]0;owned\x07Tool', {}),
      ]),
      1,
    ),
    use('AskUserQuestion', {
      questions: [
        {
          question: `Which ${EVIL}?`,
          header: EVIL.slice(0, 12),
          multiSelect: false,
          options: [
            { label: `one ${EVIL}`, description: EVIL },
            { label: 'two', description: 'x' },
          ],
        },
      ],
    }),
    say('all done'),
  );
  await using screen = await on.screen(['--allowedTools', 'Bash', 'TaskCreate']);
  screen.type('go\r');
  for (const what of ['Bash asks', 'Read asks', 'Edit asks', 'Which']) {
    await screen.waitFor(what);
    screen.key('enter');
  }
  await screen.waitFor('all done');
  screen.key('ctrl+o');
  await screen.settle();
  screen.key('esc');
  screen.key('ctrl+t');
  await screen.settle();
  expect(screen.raw()).toContain('ü€💶 in pieces');
  screen.kill('SIGTERM');
  const exit = await screen.exit();
  const raw = screen.raw();
  expect(STEERING.filter((bytes) => raw.includes(bytes))).toEqual([]);
  expect(leftOn(raw)).toEqual([]);
  expect(await on.breaches({ kept: ['go', 'all done'], terminal: { raw: screen.raw, exit } })).toEqual([]);
});

test('from settings, servers and hooks of a repository, nothing reaches the terminal but text', async () => {
  await using on = await scene([say(`answer ${EVIL}`)], {
    files: {
      '.coppice/settings.json': JSON.stringify({
        [EVIL]: 1,
        model: { [EVIL]: 1 },
        outputStyle: EVIL,
        hooks: { [EVIL]: [], PreToolUse: [{ matcher: EVIL, hooks: [{ type: EVIL, command: EVIL }] }] },
      }),
      '.mcp.json': JSON.stringify({
        mcpServers: { [EVIL]: { command: EVIL }, two: { url: EVIL }, three: { command: 'x', args: [EVIL] } },
      }),
    },
  });
  const ways = [
    ['-p', 'hi'],
    ['-p', 'hi', '--trust'],
    ...[
      ['mcp', 'list'],
      ['mcp', 'get', 'three'],
      ['config', 'list'],
      ['doctor'],
      ['hooks', 'list'],
      ['plugin', 'list'],
    ],
  ];
  on.server.always(() => true, say(`answer ${EVIL}`));
  for (const way of ways) {
    const { stderr } = await on.run(way);
    expect([way, STEERING.filter((one) => stderr.includes(one))]).toEqual([way, []]);
    await using terminal = await openTerminal(on.repo, way);
    await terminal.exit();
    expect([way, STEERING.filter((one) => terminal.raw().includes(one))]).toEqual([way, []]);
  }
});
