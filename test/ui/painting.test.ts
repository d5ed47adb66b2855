import { describe, expect, test } from 'vitest';
import { diffLines, patchRows, wordChanges } from '../../src/front/ui/diff-lines.ts';
import { createColours } from '../../src/front/ui/highlight.ts';
import { named, typed } from '../../src/front/ui/keys.ts';
import { markdown } from '../../src/front/ui/markdown.ts';
import { pageKey, pageLines, pageOf } from '../../src/front/ui/page.ts';
import { type Line, plain, span } from '../../src/front/ui/span.ts';
import { backgroundOf } from '../../src/front/ui/terminal.ts';
import {
  ansi,
  backgroundFrom,
  type ColorLevel,
  colorLevel,
  makeTheme,
  showsLinks,
} from '../../src/front/ui/theme.ts';
import { clip, clipStart } from '../../src/front/ui/width.ts';
import { hardWrap, lineCells, wrap } from '../../src/front/ui/wrap.ts';

const look = { width: 40, links: false };
const rows = (text: string, width = 40): string[] => markdown(text, { ...look, width }).map(plain);
const role = (text: string, part: string): unknown =>
  markdown(text, look)
    .flat()
    .find((piece) => piece.text.includes(part))?.style;

describe('markdown', () => {
  test('a table cut to the width has one line a row, whatever stands in it', () => {
    const text = `| command | does |\n|---|---|\n| \`/a [x\\|y${'z'.repeat(60)}]\` | ${'many words '.repeat(20)}|\n| \`/日本\` | short |`;
    for (const width of [30, 40, 78]) {
      const lines = markdown(text, { width, links: false, tables: 'cut' });
      expect(lines.map(plain)).toEqual([
        expect.stringMatching(/^\/a \[x\|yz*… {2}many .*…$/),
        expect.stringMatching(/^\/日本 {2,}short$/),
      ]);
      expect(lines.filter((line) => lineCells(line) > width)).toEqual([]);
    }
  });

  test.each<[string, string, string[]]>([
    ['paragraphs', 'one\n\ntwo', ['one', '', 'two']],
    ['words wrap', 'aaaa bbbb cccc', ['aaaa bbbb', 'cccc']],
    ['long words break', 'aaaaaaaaaaaaaaa', ['aaaaaaaaaa', 'aaaaa']],
    ['a list hangs', '- aaaa bbbb cc', ['• aaaa', '  bbbb cc']],
    ['numbers line up', '9. a\n10. b', [' 9. a', '10. b']],
    ['nested', '- a\n  - b', ['• a', '  • b']],
    ['tasks', '- [x] a\n- [ ] b', ['☑ a', '☐ b']],
    ['a quotation', '> q', ['▎ q']],
    ['code keeps its blanks', '```\na\n  b\n```', ['  a', '    b']],
    ['a rule', '---', ['──────────']],
    ['wide characters', '日本語テキスト', ['日本語テキ', 'スト']],
    ['an address stands beside its text', '[a](http://b.c)', ['a (http://', 'b.c)']],
    ['html as it is', '<b>x</b>', ['<b>x</b>']],
  ])('%s', (_name, text, expected) => {
    expect(rows(text, 10)).toEqual(expected);
  });

  test('no row is wider than it may be, whatever comes', () => {
    const text =
      '# Ünïcödé 標題 👩‍💻\n\n| a | 日本語 |\n|--|--|\n| `code` that is long | 👍🏽👍🏽👍🏽 |\n\n1. x\n   > y ' +
      'long '.repeat(30) +
      '\n\n```ts\nconst a = "' +
      '世'.repeat(60) +
      '";\n```';
    for (const width of [12, 20, 33, 80])
      for (const line of markdown(text, { width, links: false }))
        expect(lineCells(line)).toBeLessThanOrEqual(width);
  });

  test('styles', () => {
    expect(role('a **b** c', 'b')).toEqual({ bold: true });
    expect(role('a `b` c', 'b')).toEqual({ role: 'code' });
    expect(role('# t', 't')).toMatchObject({ role: 'heading', bold: true });
  });

  test('links are written where the terminal shows them, and only safe ones', () => {
    const theme = makeTheme({ name: 'dark', level: 3, background: 'dark', links: true });
    const out = (text: string) =>
      markdown(text, { width: 40, links: true })
        .map((line) => ansi(line, theme))
        .join('\n');
    expect(out('[a](https://b.c)')).toContain('\x1b]8;;https://b.c\x1b\\');
    expect(out('[a](javascript:alert)')).not.toContain('\x1b]8');
  });

  test('code is coloured', async () => {
    const colours = createColours(() => {});
    await colours.load('ts');
    const highlight = colours.painter();
    const lines = markdown('```ts\nconst a = "x"; // c\n```', { ...look, highlight });
    expect(lines[0]?.map((piece) => piece.style?.role)).toEqual(
      expect.arrayContaining(['keyword', 'string', 'comment']),
    );
    expect(highlight('x', 'klingon')).toBeUndefined();
  });

  test('languages that are sent for together are all there', async () => {
    const colours = createColours(() => {});
    await Promise.all(['ts', 'bash', 'python', 'json'].map((name) => colours.load(name)));
    const highlight = colours.painter();
    for (const [name, code] of [
      ['ts', 'const a = 1'],
      ['bash', 'echo "x"'],
      ['python', 'def a(): 1'],
      ['json', '{"a": 1}'],
    ])
      expect([
        name,
        highlight(code ?? '', name ?? '')
          ?.flat()
          .some((piece) => piece.style?.role),
      ]).toEqual([name, true]);
  });
});

describe('diffs', () => {
  const patch = '@@ -1,3 +1,3 @@\n a\n-const one = 1;\n+const two = 1;\n z';

  test('numbers and signs', () => {
    expect(diffLines(patchRows(patch), 'a.ts', 60).map((line) => plain(line).trimEnd())).toEqual([
      '1   a',
      '2 - const one = 1;',
      '2 + const two = 1;',
      '3   z',
    ]);
  });

  test('changed words stand out', () => {
    const marked = (line: Line | undefined) =>
      line?.filter((piece) => piece.style?.back?.endsWith('Word')).map((piece) => piece.text);
    const lines = diffLines(patchRows(patch), 'a.ts', 60);
    expect([marked(lines[1]), marked(lines[2])]).toEqual([['one'], ['two']]);
  });

  test('lines with nothing in common are not compared', () => {
    expect(wordChanges('aaaa', 'bbbb')).toBeUndefined();
  });

  test('a narrow screen wraps code at its edge', () => {
    for (const line of diffLines(patchRows(patch), 'a.ts', 16))
      expect(lineCells(line)).toBeLessThanOrEqual(16);
  });
});

describe('rows', () => {
  test.each<[string, number, string]>([
    ['short', 9, 'short'],
    ['longer text', 7, 'longer…'],
    ['日本語', 5, '日本…'],
  ])('clip %s', (text, columns, expected) => {
    expect(clip(text, columns)).toBe(expected);
  });
  test('the end of a path tells most', () => {
    expect(clipStart('/home/ada/shop/src', 9)).toBe('…shop/src');
  });
  test('wrapping keeps an indentation and drops blanks at a break', () => {
    expect(wrap([span('  aa bb cc')], 7).map(plain)).toEqual(['  aa bb', 'cc']);
    expect(hardWrap([span('ab  cd')], 3).map(plain)).toEqual(['ab', ' cd']);
  });
});

describe('themes', () => {
  test.each<[Record<string, string>, ColorLevel]>([
    [{ TERM: 'xterm-256color' }, 2],
    [{ TERM: 'xterm', COLORTERM: 'truecolor' }, 3],
    [{ TERM: 'xterm' }, 1],
    [{ TERM: 'dumb' }, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, 0],
    [{ TERM: 'xterm', FORCE_COLOR: '3' }, 3],
    [{}, 0],
  ])('%j shows colours of level %i', (env, level) => {
    expect(colorLevel(env)).toBe(level);
  });

  test('auto follows the background', () => {
    const of = (background: 'dark' | 'light') =>
      makeTheme({ name: 'auto', level: 3, background, links: false }).name;
    expect([of('dark'), of('light'), backgroundFrom({ COLORFGBG: '0;15' }), backgroundFrom({})]).toEqual([
      'dark',
      'light',
      'light',
      'dark',
    ]);
    expect([
      backgroundOf('11;rgb:ffff/ffff/ffff'),
      backgroundOf('11;rgb:1e/1e/1e'),
      backgroundOf('x'),
    ]).toEqual(['light', 'dark', undefined]);
  });

  test('without colour only attributes are left', () => {
    const theme = makeTheme({ name: 'dark', level: 0, background: 'dark', links: false });
    expect(ansi([span('a', { role: 'error', bold: true })], theme)).toBe('\x1b[1ma\x1b[0m');
    expect(ansi([span('a', { role: 'error' })], theme)).toBe('a');
  });

  test('links only where they are known to show', () => {
    expect([
      showsLinks({ TERM_PROGRAM: 'vscode' }),
      showsLinks({ TERM_PROGRAM: 'vscode', TMUX: '1' }),
      showsLinks({ TERM: 'xterm' }),
    ]).toEqual([true, false, false]);
  });
});

describe('a page', () => {
  const page = pageOf(
    'T',
    Array.from({ length: 50 }, (_, n): Line => [span(n === 7 ? '❯ prompt' : `row ${n}`)]),
    12,
    'top',
  );
  const scrolled = (...names: readonly string[]) =>
    names.reduce((now, name) => {
      const step = pageKey(now, name.length === 1 ? typed(name) : named(name), 12);
      return 'page' in step ? step.page : now;
    }, page).scroll;

  test.each<[string[], number]>([
    [['j', 'j'], 2],
    [['pagedown'], 9],
    [['G'], 40],
    [['G', 'g'], 0],
    [['}'], 7],
    [['}', 'j', '{'], 7],
    [['/', '2', '3', 'enter'], 23],
    [['/', '3', 'enter', 'n', 'n'], 23],
  ])('%j', (names, scroll) => {
    expect(scrolled(...names)).toBe(scroll);
  });

  test.each([
    [32, '↑↓ pgup pgdn scroll · q leave'],
    [80, '↑↓ pgup pgdn scroll · / search · { } prompts · ctrl+e shorter · q leave'],
    [
      120,
      '↑↓ pgup pgdn scroll · / search · { } prompts · ctrl+e shorter · [ into the scrollback · v editor · q leave',
    ],
  ])('at %i columns the keys that fit are named, the way out always', (columns, hints) => {
    const foot = pageLines({ ...page, whole: true }, columns, 12).at(-1);
    expect(plain(foot ?? [])).toBe(` ${hints}`);
  });

  test('q, esc and ctrl+o leave', () => {
    expect(
      [typed('q'), named('escape'), named('o', { ctrl: true })].map((one) => pageKey(page, one, 12)),
    ).toEqual([{ left: true }, { left: true }, { left: true }]);
  });
});
