/** Files as people leave them lying about: encodings, quotes, lists and shapes on the disk that no tidy author would make. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { layOut, only, readCatalog } from './lay-out.ts';

const quoted = /not plain YAML as written/;
const latin = (text: string) => Buffer.from(text, 'latin1');
const wide = (text: string) => Buffer.from(text, 'utf16le');
const swapped = (text: string) => wide(text).swap16();

type Head = [what: string, head: string, fields: Readonly<Record<string, unknown>>, repair?: RegExp];

const quotes: Head[] = [
  [
    'double in double',
    'description: "Say "fix it" or "help"."',
    { description: 'Say "fix it" or "help".' },
    quoted,
  ],
  ['an apostrophe', "description: 'It's one: yes'", { description: "It's one: yes" }, quoted],
  ['escaped ones', 'description: "A \\"b\\" \\d: c"', { description: 'A "b" \\d: c' }, quoted],
  ['words each in its own', 'description: "a": "b" or "c"', { description: '"a": "b" or "c"' }, quoted],
  ['never closed', 'description: "open\nmodel: opus', { description: 'open', model: 'opus' }, quoted],
  ['on two lines', 'description: "one\n  two: three"', { description: 'one two: three' }],
];

const texts: Head[] = [
  [
    'below its key',
    'description:\n  on the next line: yes',
    { description: 'on the next line: yes' },
    quoted,
  ],
  ['two lines below', 'description:\n  one: two\n  three', { description: 'one: two three' }, quoted],
  ['below, plain', 'description:\n  plain words', { description: 'plain words' }],
  ['folded', 'description: >-\n  a: b\n  c # d\nmodel: opus', { description: 'a: b c # d', model: 'opus' }],
  [
    'a list',
    'description:\n  - One.\n  - Two.',
    { description: 'One. Two.' },
    /description is a list; its items were read as one text/,
  ],
  ['a colour', 'description: b\ncolor: #10B981', { description: 'b', color: '#10B981' }, quoted],
  ['literal', 'description: |-\n  a: b\n   # c', { description: 'a: b\n # c' }],
  ['kept', 'description: |+\n  a\n\nmodel: opus', { description: 'a\n\n', model: 'opus' }],
  [
    'with a key in an example',
    'description: Use it.\n<example>\ntools: none at all\n</example>\ntools: Read',
    { description: 'Use it.\n<example>\ntools: none at all\n</example>', tools: ['Read'] },
    quoted,
  ],
];

const lists: Head[] = [
  ['semicolons', 'tools: Read; Grep', { tools: ['Read', 'Grep'] }],
  ['foreign commas', 'tools: Read\u3001Grep\uff0cBash', { tools: ['Read', 'Grep', 'Bash'] }],
  ['ticks', 'tools: `Read`, `Grep`', { tools: ['Read', 'Grep'] }, quoted],
  ['never closed', 'tools: [Read, Grep\nmodel: opus', { tools: ['Read', 'Grep'], model: 'opus' }, quoted],
  ['quotes', 'tools: "Read", "Bash(git *)"', { tools: ['Read', 'Bash(git *)'] }, quoted],
  [
    'a rule with a colon',
    'tools:\n  - Read\n  - Bash(npm run: x)',
    { tools: ['Read', 'Bash(npm run: x)'] },
    /a map to YAML/,
  ],
  ['truths', 'tools: {Read: true, Bash: false}', { tools: ['Read'] }, /a map to YAML/],
  ['typographic quotes', 'tools: “Read, Bash(echo “x”)”', { tools: ['Read', 'Bash(echo “x”)'] }],
  ['stars', 'paths:\n  - *.md\n  - "src/**"', { paths: ['*.md', 'src/**'] }, quoted],
];

const yaml: Head[] = [
  ['an alias', 'base: &b [Read]\ntools: *b', { base: ['Read'], tools: ['Read'] }],
  ['an alias of the name', 'name: &n one\ndescription: *n', { name: 'one', description: 'one' }],
  ['a merged map', '<<: {model: opus}\ndescription: b', { model: 'opus', description: 'b' }],
  ['JSON', '{"description": "b", "tools": ["Read"]}', { description: 'b', tools: ['Read'] }],
];

test.each([...quotes, ...texts, ...lists, ...yaml])('%s', async (_what, head, fields, repair) => {
  const found = await only(
    'agents/one.md',
    `---\nname: one\n${head}\n---\nP`.replace(/name: one\n(?=[{]|name)/, ''),
  );
  expect(found.fields).toEqual(head.includes('"description"') ? fields : { name: 'one', ...fields });
  if (repair) expect(found.repairs.join('\n')).toMatch(repair);
  expect(found.problems).toEqual([]);
});

const written = '---\nname: one\ndescription: caf\u00e9\n---\nP';

test.each<[string, Buffer, RegExp]>([
  ['Latin-1', latin(written), /read as Latin-1/],
  ['UTF-16 with its mark', wide(`\ufeff${written}`), /UTF-16/],
  ['UTF-16 without a mark', wide(written), /UTF-16/],
  ['UTF-16 the other way round', swapped(written), /UTF-16/],
  ['two byte-order marks', Buffer.from(`\ufeff\ufeff${written}`), /byte-order mark/],
  ['zero bytes', Buffer.from(written.replace('one', 'o\0n\0e')), /Zero bytes/],
])('%s is read, and named', async (_what, bytes, repair) => {
  const found = await only('agents/one.md', bytes);
  expect(found).toMatchObject({ name: 'one', description: 'caf\u00e9', problems: [] });
  expect(found.repairs.join('\n')).toMatch(repair);
});

test.each([
  ['indented', '  ---\n  name: one\n  description: b: c\n  ---\n  P', 'b: c', /The file is indented/],
  ['below a heading', '# One\n\n---\nname: one\ndescription: b\n---\nP', 'b', /Lines before/],
  [
    'with code alone before its text',
    '---\nname: one\n---\n```sh\nls\n```\nDoes it.',
    'Does it.',
    /first paragraph/,
  ],
])('a definition %s is read, and that is said', async (_what, text, description, repair) => {
  const found = await only('agents/one.md', text);
  expect(found).toMatchObject({ name: 'one', description, problems: [] });
  expect(found.repairs.join('\n')).toMatch(repair);
});

test.each(['yaml', 'json'])('an opening mark may say %s', async (language) => {
  const head = language === 'json' ? '{"description": "b"}' : 'description: b';
  expect(await only('commands/one.md', `---${language}\n${head}\n---\nP`)).toMatchObject({
    description: 'b',
  });
});

test('what is no file, leads nowhere or leads in a circle costs nobody else anything', async () => {
  const root = layOut({ 'project/.claude/agents/good.md': '---\nname: good\ndescription: b\n---\nP' });
  const agents = join(root, 'project/.claude/agents');
  mkdirSync(join(agents, 'folder.md'));
  mkdirSync(join(root, 'project/.claude/skills/one/SKILL.md'), { recursive: true });
  symlinkSync('self.md', join(agents, 'self.md'));
  symlinkSync('/nonexistent/gone.md', join(agents, 'gone.md'));
  symlinkSync('..', join(agents, 'up'));
  execFileSync('mkfifo', [join(agents, 'pipe.md')]);
  const catalog = await readCatalog(root);
  expect(catalog.definitions().map((one) => one.name)).toEqual(['good']);
});

test('globs of a skill are its paths', async () => {
  const text = '---\nname: one\ndescription: b\nglobs: "*.rs, src/**"\n---\nP';
  const catalog = await readCatalog(layOut({ 'project/.claude/skills/one/SKILL.md': text }));
  expect(catalog.skills()[0]?.paths).toEqual(['*.rs', 'src/**']);
  expect(catalog.definitions()[0]?.repairs).toEqual(['globs was read as paths.']);
});
