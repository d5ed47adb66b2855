import { expect, test } from 'vitest';
import { only } from './lay-out.ts';

type Trap = [what: string, path: string, text: string | Buffer, is: Record<string, unknown>, repair?: RegExp];

const skill = 'skills/one/SKILL.md';
const agent = 'agents/one.md';
const command = 'commands/one.md';
const paragraph = /first paragraph/;

const traps: Trap[] = [
  [
    'tools by commas',
    agent,
    '---\nname: a\ndescription: b\ntools: Read, Bash(gh *), Grep\n---\nP',
    { fields: { name: 'a', description: 'b', tools: ['Read', 'Bash(gh *)', 'Grep'] } },
  ],
  [
    'tools by blanks',
    skill,
    '---\nname: one\ndescription: b\nallowed-tools: Bash(similarity-rs *) Read Grep\n---\nP',
    { fields: { name: 'one', description: 'b', 'allowed-tools': ['Bash(similarity-rs *)', 'Read', 'Grep'] } },
  ],
  [
    'tools in a torn flow list',
    agent,
    '---\nname: a\ndescription: b\ntools: [Bash(cmd:psql,cmd:mysql), Agent(a:b, c:d)]\n---\nP',
    { fields: { name: 'a', description: 'b', tools: ['Bash(cmd:psql,cmd:mysql)', 'Agent(a:b, c:d)'] } },
  ],
  [
    'tools null',
    agent,
    '---\nname: a\ndescription: b\ntools:\n---\nP',
    { fields: { name: 'a', description: 'b' } },
  ],
  [
    'tools none',
    agent,
    '---\nname: a\ndescription: b\ntools: []\n---\nP',
    {
      fields: { name: 'a', description: 'b', tools: [] },
      problems: ['Its list of tools names none that is known; such an agent is not started.'],
    },
  ],
  [
    'tools all',
    agent,
    '---\nname: a\ndescription: b\ntools: *\n---\nP',
    { fields: { name: 'a', description: 'b', tools: ['*'] }, problems: [] },
    /tools is not plain YAML/,
  ],
  [
    'foreign tools',
    agent,
    '---\nname: a\ndescription: b\ntools: [edit/editFiles, codebase, Read]\n---\nP',
    {
      fields: { name: 'a', description: 'b', tools: ['edit/editFiles', 'codebase', 'Read'] },
      problems: ['The tools edit/editFiles, codebase are not known here and left out.'],
    },
  ],
  [
    'a tools list on one line',
    agent,
    '---\nname: a\ndescription: b\ntools: - Read\n---\nP',
    { fields: { name: 'a', description: 'b', tools: ['Read'] } },
    /tools is not plain/,
  ],
  [
    'allowedTools of an agent',
    agent,
    '---\nname: a\ndescription: b\nallowedTools: [Read]\n---\nP',
    { fields: { name: 'a', description: 'b', allowedTools: ['Read'] } },
    /allowedTools was read as tools/,
  ],
  [
    'skills of an agent',
    agent,
    '---\nname: a\ndescription: b\nskills: Cloudinary Automation, commit\n---\nP',
    { fields: { name: 'a', description: 'b', skills: ['Cloudinary Automation', 'commit'] } },
  ],
  [
    'disallowed tools',
    agent,
    '---\nname: a\ndescription: b\ndisallowedTools: Write, Edit\n---\nP',
    { fields: { name: 'a', description: 'b', disallowedTools: ['Write', 'Edit'] } },
  ],
  [
    'paths with braces',
    skill,
    '---\nname: one\ndescription: b\npaths: src/**/*.{ts,tsx}, docs/My Files/**\n---\nP',
    { fields: { name: 'one', description: 'b', paths: ['src/**/*.{ts,tsx}', 'docs/My Files/**'] } },
  ],
  [
    'paths in a flow list with braces',
    skill,
    '---\nname: one\ndescription: b\npaths: [src/**/*.{ts,tsx}, lib/**]\n---\nP',
    { fields: { name: 'one', description: 'b', paths: ['src/**/*.{ts,tsx}', 'lib/**'] } },
    /paths is not plain/,
  ],
  [
    'paths by blanks',
    skill,
    "---\nname: one\ndescription: b\npaths: '**/*.rs **/*.toml'\n---\nP",
    { fields: { name: 'one', description: 'b', paths: ['**/*.rs', '**/*.toml'] } },
  ],
  [
    'a hint in brackets',
    command,
    '---\ndescription: b\nargument-hint: [task]\n---\nP',
    { name: 'one', fields: { description: 'b', 'argument-hint': '[task]' } },
    /argument-hint/,
  ],
  [
    'a hint with a bar in brackets',
    command,
    '---\ndescription: b\nargument-hint: [a|b]\n---\nP',
    { fields: { description: 'b', 'argument-hint': '[a|b]' } },
    /argument-hint/,
  ],
  [
    'a hint of two brackets',
    command,
    '---\ndescription: b\nargument-hint: [a] [b]\n---\nP',
    { fields: { description: 'b', 'argument-hint': '[a] [b]' } },
    /argument-hint/,
  ],
  [
    'an empty hint',
    command,
    '---\ndescription: b\nargument-hint:\n---\nP',
    { fields: { description: 'b' }, repairs: [] },
  ],
  [
    'an agent without a name',
    agent,
    '---\ndescription: b\n---\nP',
    { name: 'one', slash: 'one' },
    /no name; the file/,
  ],
  [
    'a skill without a name',
    skill,
    '---\ndescription: b\n---\nP',
    { name: 'one', slash: 'one' },
    /no name; the folder/,
  ],
  [
    'a name that is no text',
    agent,
    '---\nname: 123\ndescription: b\n---\nP',
    { name: '123' },
    /name is not plain/,
  ],
  [
    'an empty description',
    skill,
    '---\nname: one\ndescription: ""\n---\n# Title\n\nDoes it\nwell.\n\nMore',
    { description: 'Does it well.' },
    paragraph,
  ],
  ['no description', agent, '---\nname: one\n---\n\nYou do it.', { description: 'You do it.' }, paragraph],
  [
    'no frontmatter',
    skill,
    '# Title\n\nDoes it.\n\n---\nname: other\n---\n',
    { name: 'one', description: 'Does it.', fields: {} },
    /no frontmatter/,
  ],
  [
    'no frontmatter, a heading alone',
    skill,
    '# Title',
    { name: 'one', description: 'Title' },
    /no frontmatter/,
  ],
  [
    'nothing at all',
    skill,
    '',
    { name: 'one', description: '', problems: ['There is no description, so nobody knows when to use it.'] },
    /no frontmatter/,
  ],
  [
    'a long description',
    skill,
    `---\nname: one\ndescription: ${'word '.repeat(1200)}end\n---\n`,
    { description: `${'word '.repeat(1200)}end` },
  ],
  [
    'literal line marks',
    agent,
    '---\nname: a\ndescription: One.\\nTwo.\n---\nP',
    { description: 'One.\\nTwo.' },
  ],
  [
    'a name with blanks and capitals',
    skill,
    '---\nname: Cloudinary Automation\ndescription: b\n---\nP',
    { name: 'Cloudinary Automation', slash: 'one' },
  ],
  [
    'an agent name with slashes',
    agent,
    '---\nname: Building CI/CD Pipelines\ndescription: b\n---\nP',
    { name: 'Building CI/CD Pipelines', slash: 'building-ci-cd-pipelines' },
  ],
  [
    'a command name with colons',
    command,
    '---\nname: sc:index-repo\ndescription: b\n---\nP',
    { name: 'sc:index-repo', slash: 'one' },
  ],
  [
    'another script',
    'skills/测试/SKILL.md',
    '---\nname: 测试 🎉\ndescription: كتابة\n---\nP',
    { name: '测试 🎉', description: 'كتابة', slash: '测试' },
  ],
  [
    'a byte-order mark',
    agent,
    '\ufeff---\nname: a\ndescription: b\n---\nP',
    { name: 'a', description: 'b' },
    /byte-order/,
  ],
  [
    'Windows line ends',
    command,
    '---\r\ndescription: b\r\nmodel: sonnet\r\n---\r\nP',
    { description: 'b', fields: { description: 'b', model: 'sonnet' } },
    /Windows line ends/,
  ],
  [
    'UTF-16',
    agent,
    Buffer.from('\ufeff---\nname: a\ndescription: b\n---\nP', 'utf16le'),
    { name: 'a', description: 'b' },
    /UTF-16/,
  ],
  [
    'broken bytes among good ones',
    agent,
    Buffer.concat([
      Buffer.from('---\nname: a\ndescription: \u00fc'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\n---\nP'),
    ]),
    { name: 'a', problems: ['The file is not valid UTF-8; broken signs are shown as \ufffd.'] },
  ],
  [
    'a display name as model',
    agent,
    '---\nname: a\ndescription: b\nmodel: Claude Sonnet 4.5\n---\nP',
    { fields: { name: 'a', description: 'b', model: 'Claude Sonnet 4.5' }, problems: [] },
  ],
  [
    'values of other kinds',
    agent,
    '---\nname: a\ndescription: b\nmaxTurns: many\npermissionMode: yolo\nisolation: box\n---\nP',
    {
      problems: [
        expect.stringMatching(/^permissionMode is "yolo"/),
        expect.stringMatching(/^maxTurns is "many"/),
        expect.stringMatching(/^isolation is "box"/),
      ],
    },
  ],
  [
    'unknown keys',
    skill,
    '---\nname: one\ndescription: b\nzeal: high\nlevel: 3\n---\nP',
    { fields: { name: 'one', description: 'b', zeal: 'high', level: 3 }, repairs: [], problems: [] },
  ],
  [
    'an underscore',
    skill,
    '---\nname: one\ndescription: b\nuser_invocable: false\n---\nP',
    { fields: { name: 'one', description: 'b', user_invocable: false } },
    /user_invocable was read as user-invocable/,
  ],
  [
    'signs that matter',
    skill,
    '---\nname: one\ndescription: b\nversion: 1.0\ndate_added: 2026-02-27\n---\nP',
    { fields: { name: 'one', description: 'b', version: '1.0', date_added: '2026-02-27' } },
  ],
  [
    'a fence',
    skill,
    '```markdown\n---\nname: one\ndescription: b\n---\n\nP\n```\n',
    { name: 'one', description: 'b' },
    /code fence/,
  ],
  [
    'upper case',
    'skills/one/SKILL.MD',
    '---\nname: one\ndescription: b\n---\nP',
    { kind: 'skill', slash: 'one' },
  ],
  [
    'deep folders',
    'skills/1/2/3/4/5/6/7/8/SKILL.md',
    '---\nname: deep\ndescription: b\n---\nP',
    { name: 'deep', slash: '8' },
  ],
  ['a nested command', 'commands/git/pr.md', '---\ndescription: b\n---\nP', { name: 'pr', slash: 'git:pr' }],
  [
    'a command called skill',
    'commands/skill.md',
    '---\ndescription: b\n---\nP',
    { kind: 'command', name: 'skill', slash: 'skill' },
  ],
  [
    'a loose file among skills',
    'skills/loose.md',
    '---\ndescription: b\n---\nP',
    { kind: 'skill', name: 'loose', slash: 'loose' },
    /no name; the file/,
  ],
  [
    'a head longer than usual',
    agent,
    `---\nname: a\ndescription: |\n${'  Line of text.\n'.repeat(900)}tools: Read\n---\nP`,
    { fields: { name: 'a', description: 'Line of text.\n'.repeat(900), tools: ['Read'] } },
  ],
  [
    'a long head inside a fence',
    agent,
    `\`\`\`markdown\n---\nname: a\ndescription: |\n${'  Line of text.\n'.repeat(900)}tools: Read\n---\nP\n\`\`\`\n`,
    { fields: { name: 'a', description: 'Line of text.\n'.repeat(900), tools: ['Read'] } },
    /code fence/,
  ],
  [
    'a head that never ends, with text at the margin before its last keys',
    agent,
    '---\nname: a\ndescription: One: two\n<example>\nuser: "hello"\n</example>\ntools: Read\n\n# Title\n\nP',
    {
      fields: {
        name: 'a',
        description: 'One: two\n<example>\nuser: "hello"\n</example>',
        tools: ['Read'],
      },
    },
    /closing --- is missing[\s\S]*description is not plain/,
  ],
];

test.each(traps)('%s', async (_what, path, text, is, repair) => {
  const found = await only(path, text);
  expect(found).toMatchObject(is);
  if (is.fields) expect(found.fields).toEqual(is.fields);
  if (repair) expect(found.repairs.join('\n')).toMatch(repair);
  else expect(found.repairs).toEqual([]);
});
