/** What a skill brings, through the whole program: inline and forked, what it allows, its hooks, its files, circles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { jsonLines, runCoppice } from '../support/run-binary.ts';

const skill = (name: string, more: string, body: string) => ({
  [`.coppice/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n${body}`,
});

const setUp = async (
  lines: Parameters<typeof modelServer>[0],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) => {
  const server = await modelServer(lines);
  const repo = await tempRepo({ server, files, env });
  return {
    server,
    repo,
    ask: (prompt: string, ...flags: string[]) => runCoppice(repo, ['-p', prompt, '--trust', ...flags]),
    /** Several messages of a person, one after the other. */
    tell: (...texts: string[]) =>
      runCoppice(repo, ['-p', '--trust', '--input-format', 'stream-json', '--output-format', 'stream-json'], {
        stdin: texts
          .map((text) => `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`)
          .join(''),
      }),
    async [Symbol.asyncDispose]() {
      await repo.dispose();
      await server.close();
    },
  };
};

const scout = /You are a scout of Coppice/;
const textOf = (request: Received | undefined): string => JSON.stringify(request?.body.messages ?? []);
const words = 'Look at the garden wall.';

test('one text, inline and forked: the same words in this conversation, and in one of their own', async () => {
  const files = { ...skill('here', '', words), ...skill('away', 'context: fork\nagent: explore\n', words) };
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'here' })), reply(use('SkillTool', { skill: 'away' })), say('done')],
    files,
  );
  here.server.lane(scout, say('The wall stands.'));
  const ran = await here.ask('my own words', '--output-format', 'json');
  expect(ran.code).toBe(0);
  const [, inline, child, last] = here.server.requests;
  expect(textOf(inline)).toContain('my own words');
  expect(textOf(inline)).toContain(words);
  expect(textOf(child)).not.toContain('my own words');
  expect(child?.prompt).toContain(words);
  expect(child?.prompt).not.toContain('ARGUMENTS');
  expect(textOf(last).split(words)).toHaveLength(2);
  expect(textOf(last)).toContain('The wall stands.');
  const transcripts = readdirSync(join(here.repo.state, 'projects'), { recursive: true })
    .map(String)
    .filter((path) => /subagents\/agent-[0-9a-f-]+\.jsonl$/.test(path));
  expect(transcripts).toHaveLength(1);
});

test('a fork begun by a parent whose window is nearly full has its own, and the parent grows by the result alone', async () => {
  const files = skill('away', 'context: fork\nagent: explore\n', words);
  const big = 'x'.repeat(4000);
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'away' }), { usage: { input_tokens: 950_000 } }), say('done')],
    files,
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '97' },
  );
  here.server.lane(
    scout,
    reply(use('Grep', { pattern: 'nothing-of-that-name' }), { usage: { input_tokens: 990_000 } }),
    say('<summary>It looked once.</summary>'),
    say('The wall stands.'),
  );
  const ran = await here.ask(`my own words ${big}`);
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  const parents = here.server.requests.filter(({ body }) =>
    textOf({ body } as Received).includes('my own words'),
  );
  expect(parents).toHaveLength(2);
  const grown = textOf(parents[1]).length - textOf(parents[0]).length;
  expect(grown).toBeLessThan(1000);
  const children = here.server.requests.filter(({ body }) => scout.test(JSON.stringify(body.system ?? '')));
  expect(children[0]?.prompt).toContain(words);
  expect(textOf(children.at(-1))).toContain('It looked once.');
});

test('hooks of a forked skill run inside its agent and end with it', async () => {
  const hook = (name: string) => `        - type: command\n          command: cat >> ${name}.jsonl\n`;
  const hooks = `hooks:\n  PreToolUse:\n    - matcher: Read\n      hooks:\n${hook('calls')}  Stop:\n    - hooks:\n${hook('ends')}`;
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'away' })), reply(use('Read', { file_path: 'README.md' })), say('done')],
    { 'README.md': 'hello\n', ...skill('away', `context: fork\nagent: explore\n${hooks}`, words) },
  );
  here.server.lane(scout, reply(use('Read', { file_path: 'README.md' })), say('Read it.'));
  expect((await here.ask('go')).code).toBe(0);
  const heard = (name: string) => jsonLines(readFileSync(join(here.repo.path, `${name}.jsonl`), 'utf8'));
  expect(heard('calls')).toMatchObject([{ hook_event_name: 'PreToolUse', agent_type: 'explore' }]);
  expect(heard('ends')).toMatchObject([{ hook_event_name: 'SubagentStop', agent_type: 'explore' }]);
});

test('what a skill allows holds until the person speaks again, and its model too', async () => {
  await using here = await setUp(
    [
      reply(use('SkillTool', { skill: 'touch' })),
      reply(use('Bash', { command: 'touch one' })),
      say('first'),
      reply(use('Bash', { command: 'touch two' })),
      say('second'),
    ],
    skill('touch', 'allowed-tools: Bash(touch *)\nmodel: small\n', 'Touch it.'),
  );
  expect((await here.tell('do it', 'again')).code).toBe(0);
  const { requests } = here.server;
  expect(requests[2]?.results[0]).toMatchObject({ error: false });
  expect(requests[4]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('Nobody is there'),
  });
  const models = requests.map(({ body }) => body.model);
  expect(models[1]).not.toBe(models[0]);
  expect([models[2], models[3]]).toEqual([models[1], models[0]]);
});

test('what only a person may start, the model cannot; typed it runs', async () => {
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'mine' })), say('understood'), say('typed')],
    skill('mine', 'disable-model-invocation: true\n', words),
  );
  await here.ask('go');
  expect(textOf(here.server.requests[0])).not.toContain('Does mine');
  expect(here.server.requests[1]?.results[0]).toMatchObject({
    error: true,
    text: expect.stringContaining('only be started by the user'),
  });
  expect((await here.ask('/mine')).stdout).toBe('typed\n');
  expect(here.server.requests[2]?.prompt).toContain(words);
});

test('everything that can stand in a text is filled in before the model sees it', async () => {
  const body = [
    'All: $ARGUMENTS',
    'First: $0, second: $1, third: $ARGUMENTS[2], none: $7',
    'By name: $who does $what',
    'Price: $1.50, escaped: \\$0',
    'Folder: ${CLAUDE_SKILL_DIR} and ${COPPICE_PROJECT_DIR}',
    'Ran: !`echo "$((6 * 7))"`',
    '```!\necho from a block\n```',
    'See @notes.txt',
  ].join('\n');
  await using here = await setUp([say('ok')], {
    'notes.txt': 'the notes\n',
    ...skill('fill', 'arguments: [who, what]\nallowed-tools: Bash(echo *)\n', body),
  });
  await here.ask('/fill Ada "the work" third');
  const prompt = here.server.requests[0]?.prompt ?? '';
  const folder = join(here.repo.path, '.coppice/skills/fill');
  for (const line of [
    'All: Ada "the work" third',
    'First: Ada, second: the work, third: third, none: $7',
    'By name: Ada does the work',
    'Price: $1.50, escaped: $0',
    `Folder: ${folder} and ${here.repo.path}`,
    'Ran: 42',
    'from a block',
    'the notes',
  ])
    expect(prompt).toContain(line);
});

test('skills in a circle, one that calls itself and one of an unknown agent are one clear answer each', async () => {
  const files = {
    ...skill('a', '', 'Run the skill b.'),
    ...skill('b', '', 'Run the skill a.'),
    ...skill('self', 'context: fork\nagent: explore\n', 'Run the skill self.'),
    ...skill('lost', 'context: fork\nagent: nobody\n', words),
  };
  const call = (name: string) => reply(use('SkillTool', { skill: name }));
  await using here = await setUp(
    [call('a'), call('b'), call('a'), call('b'), call('lost'), say('enough')],
    files,
  );
  expect(await here.ask('go')).toMatchObject({ code: 0, stdout: 'enough\n' });
  const answers = here.server.requests.slice(1).map(({ results }) => results[0]?.text ?? '');
  expect(answers[1]).toBe('Launching skill: b');
  expect(answers[2]).toContain('is in this conversation already');
  expect(answers[3]).toContain('is in this conversation already');
  expect(answers[4]).toMatch(/could not be started in an agent: .*nobody.*explore/s);
  expect(textOf(here.server.requests.at(-1)).split('Run the skill b.')).toHaveLength(2);
});

test('a forked skill that calls itself ends at the depth there is', async () => {
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'self' })), say('enough')],
    skill('self', 'context: fork\n', 'Run the skill self.'),
  );
  const deeper = reply(use('SkillTool', { skill: 'self' }));
  here.server.lane(/You are an agent of Coppice/, deeper, deeper, deeper, say('c'), say('b'), say('a'));
  expect(await here.ask('go')).toMatchObject({ code: 0, stdout: 'enough\n' });
  const refusal = here.server.requests.flatMap(({ results }) => results).find(({ error }) => error);
  expect(refusal?.text).toMatch(/deep|level/i);
});

test('a skill may be called again for every request of the person', async () => {
  const call = reply(use('SkillTool', { skill: 'often' }));
  const lines = Array.from({ length: 7 }, () => [call, say('ok')]).flat();
  await using here = await setUp(lines, skill('often', '', words));
  await here.tell(...Array.from({ length: 7 }, (_, at) => `request ${at}`));
  const results = here.server.requests.flatMap(({ results }) => results.slice(-1));
  expect(results.filter(({ error }) => error)).toEqual([]);
});

test('a skill about certain files is told of once such a file was touched', async () => {
  await using here = await setUp([reply(use('Read', { file_path: 'main.rs' })), say('read')], {
    'main.rs': 'fn main() {}\n',
    ...skill('rust', 'paths: "**/*.rs"\n', words),
  });
  await here.ask('go');
  expect(textOf(here.server.requests[0])).not.toContain('Does rust');
  expect(textOf(here.server.requests[1])).toContain('Does rust');
});

test('skills in folders below the start come in when a file there is touched', async () => {
  await using here = await setUp([reply(use('Read', { file_path: 'apps/web/a.ts' })), say('read')], {
    'apps/web/a.ts': '1\n',
    'apps/web/.claude/skills/deploy/SKILL.md':
      '---\nname: deploy\ndescription: Deploys the web.\n---\nDo it.',
  });
  await here.ask('go');
  expect(textOf(here.server.requests[0])).not.toContain('Deploys the web');
  expect(textOf(here.server.requests[1])).toContain('Deploys the web');
});

test('a project that is not trusted: its skills are there, what they would run is not', async () => {
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'run' })), reply(use('SkillTool', { skill: 'plain' })), say('ok')],
    {
      ...skill('run', 'allowed-tools: Bash(echo *)\n', 'Now: !`echo hello`'),
      ...skill('plain', '', words),
    },
  );
  await runCoppice(here.repo, ['-p', 'go']);
  expect(here.server.requests[1]?.results[0]).toMatchObject({ error: true });
  expect(here.server.requests[1]?.results[0]?.text).toMatch(/trust/);
  expect(textOf(here.server.requests[2])).toContain(words);
});

test('a directory that is added brings its skills; what they would run waits for trust', async () => {
  await using here = await setUp([reply(use('SkillTool', { skill: 'shared' })), say('ok'), say('words')], {});
  const other = join(here.repo.path, '..', 'shared');
  const file = (name: string, body: string) =>
    here.repo.write(
      join(other, `.claude/skills/${name}/SKILL.md`),
      `---\nname: ${name}\ndescription: Is ${name}.\n---\n${body}`,
    );
  await file('shared', 'Now: !`echo shared`');
  await file('spoken', words);
  const ask = (prompt: string, ...flags: string[]) =>
    runCoppice(here.repo, ['-p', prompt, '--add-dir', other, ...flags]);
  await runCoppice(here.repo, ['trust']);
  await ask('go', '--allowed-tools', 'Bash(echo *)');
  expect(textOf(here.server.requests[0])).toContain('Is shared');
  expect(here.server.requests[1]?.results[0]?.text).toContain('is not trusted as it stands');
  await ask('/spoken');
  expect(here.server.requests[2]?.prompt).toContain(words);
});
