import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFrontmatter } from '../../../src/lib/frontmatter.ts';
import { readPlain } from '../../../src/lib/frontmatter-plain.ts';
import { splitOutsideBrackets } from '../../../src/lib/split-list.ts';
import { yamlMap } from '../../../src/lib/yaml.ts';

type Case = [what: string, block: string, fields: Readonly<Record<string, unknown>>, repair?: RegExp];

const quoted = /not plain YAML as written/;
const dialogue =
  'Use it when x. Examples:\n\n<example>\nContext: foo\nuser: "Hi: there"\nassistant: "Ho"\n</example>';

const cases: readonly Case[] = [
  [
    'plain lines',
    'name: a\ndescription: Does b.\ntools: Read, Grep',
    { name: 'a', description: 'Does b.', tools: 'Read, Grep' },
  ],
  [
    'lists and blocks',
    'name: a\ndescription: >-\n  One\n  two\ntools:\n  - Read\n  - Write',
    { name: 'a', description: 'One two', tools: ['Read', 'Write'] },
  ],
  [
    'signs that matter',
    'version: 1.0\nlevel: 3\nnum: 0123\ndate_added: 2026-02-27\nmetadata:',
    { version: '1.0', level: 3, num: '0123', date_added: '2026-02-27', metadata: null },
  ],

  [
    'a colon in the description',
    'description: Use when: x\ntools: [Read, Grep]',
    { description: 'Use when: x', tools: ['Read', 'Grep'] },
    quoted,
  ],
  [
    'a colon at the end of it',
    'name: a\ndescription: Examples:\nmodel: opus',
    { name: 'a', description: 'Examples:', model: 'opus' },
    quoted,
  ],
  [
    'a colon in a folded one',
    'name: a\ndescription: Use: this\n  on: days\nmodel: opus',
    { name: 'a', description: 'Use: this on: days', model: 'opus' },
    quoted,
  ],
  ['a colon in the name', 'name: sc: index\ndescription: x', { name: 'sc: index', description: 'x' }, quoted],

  [
    'two brackets in a hint',
    'argument-hint: [a] [b]\ndescription: x',
    { 'argument-hint': '[a] [b]', description: 'x' },
    quoted,
  ],
  ['a bracket and a flag', 'argument-hint: [a] | --flag', { 'argument-hint': '[a] | --flag' }, quoted],
  ['a hint that YAML takes for a list', 'argument-hint: [task]', { 'argument-hint': '[task]' }, quoted],

  [
    'examples at the margin',
    `name: a\ndescription: ${dialogue}\ntools: Read, Bash\nmodel: opus\ncolor: red`,
    { name: 'a', description: dialogue, tools: 'Read, Bash', model: 'opus', color: 'red' },
    quoted,
  ],
  [
    'a dialogue that YAML takes for keys',
    'name: a\ndescription: Foo bar\nContext: the user asks\nuser: "Hi there"\ncolor: blue',
    { name: 'a', description: 'Foo bar\nContext: the user asks\nuser: "Hi there"', color: 'blue' },
    quoted,
  ],
  [
    'a paragraph of another script',
    'name: 测试\ndescription: 这是：一个 skill\n\n第二段 here\ntools: Read',
    { name: '测试', description: '这是：一个 skill\n\n第二段 here', tools: 'Read' },
    quoted,
  ],
  [
    'a block mark without indentation',
    'name: a\ndescription: |\nUse this when: foo\ntools: Read',
    { name: 'a', description: 'Use this when: foo', tools: 'Read' },
    quoted,
  ],

  ['a star for tools', 'name: a\ntools: *', { name: 'a', tools: '*' }, quoted],
  ['a list on one line', 'name: a\nallowed-tools: - Read', { name: 'a', 'allowed-tools': ['Read'] }, quoted],
  [
    'a longer list on one line',
    'name: a\ntools: - Read - Write',
    { name: 'a', tools: ['Read', 'Write'] },
    quoted,
  ],
  ['a leading @', 'name: a\ndescription: @foo reads it', { name: 'a', description: '@foo reads it' }, quoted],
  [
    'a leading star',
    'name: a\ndescription: *bold* words',
    { name: 'a', description: '*bold* words' },
    quoted,
  ],
  ['a leading &', 'name: a\ndescription: &more words', { name: 'a', description: '&more words' }, quoted],
  [
    'a leading !',
    'name: a\ndescription: !important words',
    { name: 'a', description: '!important words' },
    quoted,
  ],
  [
    'a leading backtick',
    'name: a\ndescription: `x` is run',
    { name: 'a', description: '`x` is run' },
    quoted,
  ],
  [
    'a sign that would cut the text',
    'name: a\ndescription: Fix issue #42 now',
    { name: 'a', description: 'Fix issue #42 now' },
    quoted,
  ],
  [
    'a quote that never ends',
    'name: a\ndescription: "foo bar\ntools: Read',
    { name: 'a', description: 'foo bar', tools: 'Read' },
    quoted,
  ],
  [
    'words behind a quote',
    'name: a\ndescription: "foo" bar',
    { name: 'a', description: '"foo" bar' },
    quoted,
  ],
  [
    'names and texts that are numbers',
    'name: 123\ndescription: true',
    { name: '123', description: 'true' },
    quoted,
  ],

  [
    'a list whose bracket closes at the margin',
    'name: a\ntools: [\n  Read,\n  Write\n]\nmodel: opus',
    { name: 'a', tools: ['Read', 'Write'], model: 'opus' },
  ],
  [
    'a quoted text that goes on at the margin',
    'name: a\ndescription: "One\ntwo"\nmodel: opus',
    { name: 'a', description: 'One\ntwo', model: 'opus' },
    quoted,
  ],
  [
    'tabs before items',
    'name: a\ntools:\n\t- Read\n\t- Write',
    { name: 'a', tools: ['Read', 'Write'] },
    /Tabs/,
  ],
  [
    'tabs in nested hooks',
    'name: a\nhooks:\n\tStop:\n\t\t- hooks: []',
    { name: 'a', hooks: { Stop: [{ hooks: [] }] } },
    /Tabs/,
  ],
  [
    'tabs and a colon',
    'description: x: y\ntools:\n\t- Read',
    { description: 'x: y', tools: ['Read'] },
    /Tabs/,
  ],
  ['a key twice', 'name: a\nname: b', { name: 'b' }, /more than once/],
  [
    'a key twice beside a colon',
    'name: a\ndescription: x\ndescription: y: z',
    { name: 'a', description: 'y: z' },
    /more than once/,
  ],
  [
    'a list twice',
    'tools: [Read]\nname: a\ntools: [Write]',
    { tools: ['Write'], name: 'a' },
    /more than once/,
  ],
  [
    'no blank after the colon',
    'name:foo\ndescription:bar baz',
    { name: 'foo', description: 'bar baz' },
    /no blank/,
  ],
  ['a margin before every key', '  name: x\n  description: y: z', { name: 'x', description: 'y: z' }, quoted],
  [
    'nested hooks beside a colon',
    'description: Use: it\nhooks:\n  PreToolUse:\n    - matcher: "Bash"\n      hooks:\n        - type: command\n          command: ./x.sh',
    {
      description: 'Use: it',
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './x.sh' }] }] },
    },
    quoted,
  ],
  [
    'a colon inside a hook',
    'name: a\nhooks:\n  Stop:\n    - hooks:\n        - command: echo "a: b"',
    { name: 'a', hooks: { Stop: [{ hooks: [{ command: 'echo "a: b"' }] }] } },
    quoted,
  ],
];

describe('a block', () => {
  test.each(cases)('%s', (_what, block, fields, repair) => {
    const read = readFrontmatter(`---\n${block}\n---\n\nBody\n\n---\n\nmore: text\n`);
    expect(read.fields).toEqual(fields);
    expect(read.body).toBe('Body\n\n---\n\nmore: text\n');
    expect(read.problems).toEqual([]);
    if (repair) expect(read.repairs.join('\n')).toMatch(repair);
    else expect(read.repairs).toEqual([]);
  });

  test('hooks that are no YAML are left out and named', () => {
    const read = readFrontmatter('---\nname: x\ndescription: Use: this\nhooks:\n  Stop: [\n---\nB');
    expect(read.fields).toEqual({ name: 'x', description: 'Use: this' });
    expect(read.problems).toEqual([expect.stringMatching(/^The value of hooks could not be read as YAML/)]);
  });

  test('what the fast reader reads, the strict reader reads alike', () => {
    const word = fc.stringMatching(/^[\p{L}\d.,:;#'"!?*&@()[\]{}<>|%`~/ _=+-]{0,24}$/u);
    const block = fc
      .array(fc.tuple(fc.constantFrom('name', 'description', 'tools', 'model', 'x-y', 'Foo'), word), {
        minLength: 1,
        maxLength: 4,
      })
      .map((pairs) => pairs.map(([key, value]) => `${key}: ${value}`).join('\n'));
    fc.assert(
      fc.property(block, (text) => {
        const plain = readPlain(text);
        if (!plain) return;
        const strict = yamlMap(text);
        expect('error' in strict ? strict : Object.fromEntries(strict.fields)).toEqual(
          Object.fromEntries(plain),
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('no text makes it throw or lose its body', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('-', '\n', ':', ' ', 'a', 'name', '"', '[', '\t', '|', '#', '`', '&', '*'),
        }),
        (text) => {
          const read = readFrontmatter(text);
          expect(Array.isArray(read.repairs)).toBe(true);
          if (!read.found) expect(read.body).toBe(text);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

type Whole = [
  what: string,
  text: string,
  fields: Readonly<Record<string, unknown>>,
  body: string,
  repair?: RegExp,
];

const wholes: readonly Whole[] = [
  ['a byte-order mark', '\ufeff---\nname: a\n---\nB', { name: 'a' }, 'B', /byte-order mark/],
  ['a byte-order mark before no frontmatter', '\ufeff# Title', {}, '# Title', /byte-order mark/],
  [
    'a byte-order mark and a colon',
    '\ufeff---\nname: a\ndescription: b: c\n---\nB',
    { name: 'a', description: 'b: c' },
    'B',
    /byte-order mark/,
  ],
  [
    'Windows line ends',
    '---\r\nname: a\r\ndescription: b\r\n---\r\n\r\nB\r\n',
    { name: 'a', description: 'b' },
    'B\n',
    /Windows line ends/,
  ],
  [
    'mixed line ends',
    '---\r\nname: a\ndescription: b\r\n---\nB\r\n',
    { name: 'a', description: 'b' },
    'B\n',
    /Windows line ends/,
  ],
  ['lonely carriage returns', '---\rname: a\r---\rB', { name: 'a' }, 'B', /Windows line ends/],
  [
    'everything in a fence',
    '```markdown\n---\nname: a\n---\n\nB\n```js\nx\n```\n```\n',
    { name: 'a' },
    'B\n```js\nx\n```',
    /code fence/,
  ],
  [
    'the block alone in a fence',
    '```yaml\n---\nname: a\n---\n```\n\nB\n',
    { name: 'a' },
    'B\n',
    /code fence/,
  ],
  ['a fence instead of marks', '\n~~~yaml\nname: a\n~~~\n\nB\n', { name: 'a' }, 'B\n', /code fence/],
  [
    'no closing mark, heading',
    '---\nname: a\ndescription: b\n\n# Body\ntext',
    { name: 'a', description: 'b' },
    '# Body\ntext',
    /closing ---/,
  ],
  [
    'no closing mark, text',
    '---\nname: a\n\nBody text here\nmore',
    { name: 'a' },
    'Body text here\nmore',
    /closing ---/,
  ],
  [
    'no closing mark, a rule below',
    '---\nname: a\n\n# Body\ntext\n---\nmore: x',
    { name: 'a' },
    '# Body\ntext\n---\nmore: x',
    /closing ---/,
  ],
  [
    'no closing mark, nothing else',
    '---\nname: a\ntools:\n  - Read\n',
    { name: 'a', tools: ['Read'] },
    '',
    /closing ---/,
  ],
  ['no opening mark', 'name: a\ndescription: b\n---\nB', { name: 'a', description: 'b' }, 'B', /opening ---/],
  ['a licence before it', '<!-- (c)\n me -->\n\n---\nname: a\n---\nB', { name: 'a' }, 'B', /skipped/],
  ['dots as the closing mark', '---\nname: a\n...\nB', { name: 'a' }, 'B'],
  ['a rule that is no frontmatter', '---\n\nSome text\n\n---\nB', {}, '---\n\nSome text\n\n---\nB'],
  [
    'a block further down',
    '# Title\n\nText\n\n---\nname: y\n---\n',
    {},
    '# Title\n\nText\n\n---\nname: y\n---\n',
  ],
  [
    'an example in a fence further down',
    '# T\n\n```markdown\n---\nname: y\n---\n```\n',
    {},
    '# T\n\n```markdown\n---\nname: y\n---\n```\n',
  ],
  ['an empty block', '---\n---\nB', {}, 'B'],
  ['nothing', '', {}, ''],
];

test.each(wholes)('a text: %s', (_what, text, fields, body, repair) => {
  const read = readFrontmatter(text);
  expect(read.fields).toEqual(fields);
  expect(read.body).toBe(body);
  if (repair) expect(read.repairs.join('\n')).toMatch(repair);
  else expect(read.repairs).toEqual([]);
});

test.each<[string, 'commas' | 'commas and blanks', readonly string[]]>([
  ['Read, Write,Edit', 'commas and blanks', ['Read', 'Write', 'Edit']],
  ['Read Write Edit Bash', 'commas and blanks', ['Read', 'Write', 'Edit', 'Bash']],
  ['Bash(gh *), Bash(git *), Read', 'commas and blanks', ['Bash(gh *)', 'Bash(git *)', 'Read']],
  [
    'Bash(similarity-rs *) Read Grep Glob',
    'commas and blanks',
    ['Bash(similarity-rs *)', 'Read', 'Grep', 'Glob'],
  ],
  [
    'Bash(cmd:psql,cmd:mysql) Agent(a:b, c:d)',
    'commas and blanks',
    ['Bash(cmd:psql,cmd:mysql)', 'Agent(a:b, c:d)'],
  ],
  ['\'Read\', "Write"', 'commas and blanks', ['Read', 'Write']],
  ['Bash (git *), Read', 'commas and blanks', ['Bash(git *)', 'Read']],
  ['src/**/*.{ts,tsx}, docs/My Files/**', 'commas', ['src/**/*.{ts,tsx}', 'docs/My Files/**']],
  ['', 'commas', []],
])('a list: %s', (text, parting, items) => {
  expect(splitOutsideBrackets(text, parting)).toEqual(items);
});
