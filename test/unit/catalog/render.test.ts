import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fill, splitArguments } from '../../../src/catalog/arguments.ts';
import { inView } from '../../../src/catalog/in-view.ts';
import {
  agentListing,
  listingBudget,
  listingNews,
  skillListing,
  skillsAgain,
} from '../../../src/catalog/listing.ts';
import { createSkills, type SkillSetDeps } from '../../../src/catalog/skill-set.ts';
import type { SessionId } from '../../../src/contract/ids.ts';
import { noUsage } from '../../../src/contract/message.ts';
import type { SkillInfo } from '../../../src/contract/skill.ts';
import type { SessionState } from '../../../src/contract/state.ts';
import { layOut, readCatalog } from './lay-out.ts';

const run = promisify(execFile);

const stateIn = (project: string): SessionState => ({
  id: 's1' as SessionId,
  root: 's1' as SessionId,
  agent: { type: 'main' },
  model: 'm',
  effort: 'high',
  thinkingTokens: 0,
  cwd: project,
  project,
  checkout: project,
  directories: [],
  mode: 'default',
  taskList: 's1',
  mailRead: {},
  seen: {},
  messages: [],
  turns: 0,
  usage: noUsage,
  usageByModel: {},
  contextTokens: 0,
  onceDone: [],
  grants: [],
});

interface Seen {
  readonly commands: string[];
  readonly allow: string[][];
  readonly attached: string[][];
}

/** A skill `s` of the project with this text, rendered with a real shell; `rm` is what the rules deny. */
const rendered = async (
  text: string,
  args: string,
  deps: Partial<SkillSetDeps> = {},
  path = 'project/.claude/skills/s/SKILL.md',
) => {
  const root = layOut({ [path]: text });
  const project = join(root, 'project');
  const seen: Seen = { commands: [], allow: [], attached: [] };
  const catalog = await readCatalog(root);
  const skills = createSkills({
    catalog,
    trusted: () => true,
    shellAllowed: () => true,
    async runShell(command, at) {
      seen.commands.push(command);
      seen.allow.push([...at.allow]);
      if (command.startsWith('rm')) return { status: 'refused', reason: 'no rule allows it' };
      try {
        const { stdout } = await run('bash', ['-c', command], { cwd: at.state.cwd });
        return { status: 'ok', output: stdout, exitCode: 0 };
      } catch (error) {
        const failed = error as { code: number; stdout: string; stderr: string };
        return { status: 'ok', output: failed.stdout + failed.stderr, exitCode: failed.code };
      }
    },
    async attach(paths) {
      seen.attached.push([...paths]);
      return paths.map((one) => ({ type: 'text', text: `file ${one}` }));
    },
    ...deps,
  });
  const skill = skills.find('s');
  if (!skill) throw new Error('no skill');
  const place = { state: stateIn(project), signal: new AbortController().signal };
  const answer = await skills.render(skill, args, place);
  return { answer, seen, root, skills, skill };
};

const command = (text: string, args: string) => rendered(text, args, {}, 'project/.claude/commands/s.md');

test.each<[text: string, args: string, filled: string]>([
  ['Do $ARGUMENTS now', 'a "b c"', 'Do a "b c" now'],
  ['$ARGUMENTS[0]-$ARGUMENTS[1]-$ARGUMENTS[2]', 'a "b c"', 'a-b c-$ARGUMENTS[2]'],
  ['$0 and $1 and $2', 'a b', 'a and b and $2'],
  ['It costs $1.50 or $1,000', 'a b', 'It costs $1.50 or $1,000'],
  ['\\$ARGUMENTS \\$0 \\$file \\$other', 'x', '$ARGUMENTS $0 $file \\$other'],
  ['Fix $file in $mode, not $other or $filename', 'a.ts', 'Fix a.ts in , not $other or $filename'],
  [
    '${CLAUDE_SKILL_DIR}/x ${COPPICE_PROJECT_DIR} ${CLAUDE_UNKNOWN} ${HOME}',
    '',
    '/s/x /p ${CLAUDE_UNKNOWN} ${HOME}',
  ],
  ['$ARGUMENTS', '$0 $ARGUMENTS', '$0 $ARGUMENTS'],
  ['$ARGUMENTSX', 'a', '$ARGUMENTSX'],
])('%s with %j', (text, args, filled) => {
  const filling = { args, names: ['file', 'mode'], variables: { SKILL_DIR: '/s', PROJECT_DIR: '/p' } };
  expect(fill(text, filling).text).toBe(filled);
});

test('arguments part as in a shell', () => {
  expect(splitArguments(`one 'two three' "four \\"5" six\\ seven "" `)).toEqual([
    'one',
    'two three',
    'four "5',
    'six seven',
    '',
  ]);
});

test('a skill knows its folder, a command is its text alone', async () => {
  const skill = await rendered('---\nname: s\n---\nRun ${CLAUDE_SKILL_DIR}/x.sh', '');
  const dir = join(skill.root, 'project/.claude/skills/s');
  expect(skill.answer).toMatchObject({ text: `Base directory of this skill: ${dir}\n\nRun ${dir}/x.sh` });
  expect((await command('Say hello', '')).answer).toMatchObject({
    text: 'Say hello',
    attached: [],
    allowedTools: [],
  });
});

test('arguments that have no place come at the end', async () => {
  expect((await command('Say it', 'to me')).answer).toMatchObject({ text: 'Say it\n\nARGUMENTS: to me' });
  expect((await command('Say it to $0', 'me')).answer).toMatchObject({ text: 'Say it to me' });
  expect((await command("awk '{print $3}'", 'x')).answer).toMatchObject({
    text: "awk '{print $3}'\n\nARGUMENTS: x",
  });
});

test('inline commands run before the model sees the text, and their output is not read again', async () => {
  const { answer, seen } = await command(
    "---\nallowed-tools: Bash(echo *)\n---\nBranch: !`echo 'main \\$0'`\n\n```!\necho one\necho two\n```\nEnd $0",
    'x',
  );
  expect(answer).toMatchObject({ text: 'Branch: main $0\n\none\ntwo\nEnd x' });
  expect(seen.commands).toEqual(["echo 'main $0'", 'echo one\necho two']);
  expect(seen.allow).toEqual([['Bash(echo *)'], ['Bash(echo *)']]);
});

test('what arguments bring is neither run nor attached, and code that is shown is not run', async () => {
  const { answer, seen } = await command(
    'Do $ARGUMENTS\n```bash\n!`echo no`\n```\nx!`echo no`',
    '!`echo bad` @secret',
  );
  expect(answer).toMatchObject({ text: 'Do !`echo bad` @secret\n```bash\n!`echo no`\n```\nx!`echo no`' });
  expect(seen).toEqual({ commands: [], allow: [], attached: [] });
});

test.each<[string, RegExp]>([
  ['!`rm -rf x`', /^The skill s was not run: its command `rm -rf x` is not allowed \(no rule allows it\)/],
  ['!`echo bad >&2; exit 3`', /ended with exit code 3: bad$/],
])('%s ends the skill with a sentence', async (text, sentence) => {
  expect((await command(text, '')).answer).toEqual({ refused: expect.stringMatching(sentence) });
});

test('a search that finds nothing is an answer', async () => {
  expect((await command('Found: !`grep nothing /dev/null`.', '')).answer).toMatchObject({ text: 'Found: .' });
});

test('commands do not run in a folder that is not trusted, nor when they are switched off', async () => {
  const untrusted = await rendered('!`echo x`', '', { trusted: () => false });
  expect(untrusted.answer).toEqual({ refused: expect.stringContaining('not trusted') });
  const off = await rendered('A !`echo x`', '', { shellAllowed: () => false });
  expect(off.answer).toMatchObject({
    text: expect.stringContaining('A [commands of skills are switched off; not run: echo x]'),
  });
  expect([...untrusted.seen.commands, ...off.seen.commands]).toEqual([]);
});

test('files that the text names are attached', async () => {
  const { answer, seen } = await command(
    'Look at @src/a.ts, @$0 and "@no" or `@neither`; mail me@x.de.',
    'b.ts',
  );
  expect(seen.attached).toEqual([['src/a.ts', 'b.ts']]);
  expect(answer).toMatchObject({ attached: [{ text: 'file src/a.ts' }, { text: 'file b.ts' }] });
});

test('names are found without slashes, in any capitals, by name or by the end of a long one', async () => {
  const root = layOut({
    'project/.claude/skills/build-it/SKILL.md': '---\nname: Build The Thing\ndescription: b\n---\n',
    'project/.claude/commands/git/pr.md': 'x',
  });
  const prompt: SkillInfo = {
    slash: 'mcp__srv__ask',
    aliases: [],
    name: 'ask',
    kind: 'prompt',
    description: 'Asks.',
    source: 'srv',
    path: 'srv',
    bytes: 0,
    forModel: 'listed',
    forPerson: true,
    allowedTools: [],
    disallowedTools: [],
    paths: [],
  };
  const skills = createSkills({
    catalog: await readCatalog(root),
    trusted: () => true,
    shellAllowed: () => true,
    runShell: async () => ({ status: 'failed', reason: '' }),
    attach: async () => [],
    prompts: {
      list: () => [prompt],
      render: async (_skill, args) => ({ text: `Asked ${args}`, attached: [], allowedTools: [] }),
    },
  });
  const names = ['//build-it', 'Build-It', 'Build The Thing', 'git:pr', 'pr', 'mcp__srv__ask', 'nothing'];
  expect(names.map((name) => skills.find(name)?.slash)).toEqual([
    'build-it',
    'build-it',
    'build-it',
    'git:pr',
    'git:pr',
    'mcp__srv__ask',
    undefined,
  ]);
  expect(skills.nearest('buildit')).toEqual(['build-it']);
  const place = { state: stateIn(root), signal: new AbortController().signal };
  expect(await skills.render(prompt, 'me', place)).toMatchObject({ text: 'Asked me' });
});

test('the listing keeps to its budget: shorter descriptions, then names, then a count', () => {
  const skill = (slash: string, forModel: SkillInfo['forModel'] = 'listed'): SkillInfo => ({
    slash,
    aliases: [],
    name: slash,
    kind: 'skill',
    description: `Use ${slash} ${'often '.repeat(40)}`.trim(),
    source: 'user',
    path: '',
    bytes: 1,
    forModel,
    forPerson: true,
    allowedTools: [],
    disallowedTools: [],
    paths: [],
  });
  expect(skillListing([skill('a', 'hidden')], 1000)).toBeUndefined();
  expect(skillListing([skill('a', 'name only'), skill('b')], 1000)).toBe(
    `Skills that SkillTool can run:\n- a\n- b: ${skill('b').description}`,
  );
  const many = Array.from({ length: 30 }, (_, at) => skill(`skill-${at}`));
  const tight = skillListing(many, 3000) ?? '';
  expect(tight.length).toBeLessThan(3100);
  expect(tight).toContain('- skill-29: Use');
  const tiny = skillListing(many, 200) ?? '';
  expect(tiny).toMatch(/- skill-0\n[\s\S]*- and \d+ more/);
  expect(listingBudget(200_000, undefined)).toBe(8000);
});

test('agents are listed with what they are for; used skills come back after a compaction, the newest first', () => {
  expect(
    agentListing(
      [{ name: 'x', description: 'Does\\nx.', prompt: '', tools: ['Read'], source: 'user' }],
      1000,
    ),
  ).toBe('Agent types that AgentTool can start:\n- x: Does x. (tools: Read)');
  const again = skillsAgain(
    [
      { name: 'a', text: 'A'.repeat(500) },
      { name: 'b', text: 'B'.repeat(900) },
    ],
    600,
    1000,
  );
  expect(again.map((text) => text.slice(0, 11))).toEqual(['The skill b', 'The skill a']);
  expect(again.join('').length).toBeLessThan(1300);
});

test('a thousand agents are told of within their budget, those that come along whole', () => {
  const agent = (name: string, source: 'builtin' | 'user') => ({
    name,
    description: `${name} does this and that. `.repeat(20),
    prompt: '',
    source,
  });
  const many = Array.from({ length: 1000 }, (_, n) => agent(`agent-${n}`, 'user'));
  const listing = (budget: number) => agentListing([...many, agent('plan', 'builtin')], budget) ?? '';
  expect(listing(80_000).length).toBeLessThan(80_100);
  expect(listing(80_000).match(/^- agent-\d+: .{20,}…$/gm)).toHaveLength(1000);
  expect(listing(16_000)).toMatch(/\n- agent-999$/);
  const short = listing(4000);
  expect(short.length).toBeLessThan(4200);
  expect(short).toContain(`- plan: ${'plan does this and that. '.repeat(20).trim()}\n- agent-0\n`);
  expect(short).toMatch(/\n- and \d+ more; \/agents shows them, and each can be started by its name$/);
});

test('skills with paths come up when such a file was touched', () => {
  const base: SkillInfo = {
    slash: 'a',
    aliases: [],
    name: 'a',
    kind: 'skill',
    description: 'A.',
    source: 'user',
    path: '',
    bytes: 1,
    forModel: 'listed',
    forPerson: true,
    allowedTools: [],
    disallowedTools: [],
    paths: [],
  };
  const all = [
    base,
    { ...base, slash: 'rust', paths: ['**/*.rs'] },
    { ...base, slash: 'web', paths: ['web/**'] },
  ];
  const names = (files: readonly string[]) => inView(all, files, '/p').map((one) => one.slash);
  expect([names([]), names(['/p/src/x.rs']), names(['/p/web/a.ts', '/q/y.rs'])]).toEqual([
    ['a'],
    ['a', 'rust'],
    ['a', 'web'],
  ]);
});

test('what changed in a listing is told, and nothing else', () => {
  const before = 'Agents:\n- x: X.\n\nSkills:\n- a: A.\n- b';
  expect(listingNews(before, before)).toEqual([]);
  expect(listingNews(before, 'Agents:\n- x: X.\n\nSkills:\n- a: Other.\n- c: C.')).toEqual([
    'Skills and agents that are new or have changed:\n- a: Other.\n- c: C.',
    'These skills and agents are gone: b.',
  ]);
});
