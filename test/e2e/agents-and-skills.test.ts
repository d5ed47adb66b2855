/** Agents and skills through the whole program: what each is sent, what the parent reads, what may run. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const skill = (name: string, more: string, body: string) => ({
  [`.coppice/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n${body}`,
});

const setUp = async (
  lanes: Parameters<typeof modelServer>[0],
  files: Readonly<Record<string, string>> = {},
) => {
  const server = await modelServer(lanes);
  const repo = await tempRepo({ server, files });
  return {
    server,
    repo,
    ask: (prompt: string, ...flags: string[]) => runCoppice(repo, ['-p', prompt, '--trust', ...flags]),
    bodies: () => server.requests.map((request) => JSON.stringify(request.body)),
    async [Symbol.asyncDispose]() {
      await repo.dispose();
      await server.close();
    },
  };
};

test('the model is told of skills and agents, and an inline skill enters its conversation with what it allows', async () => {
  await using here = await setUp(
    [
      reply(use('SkillTool', { skill: '/greet', args: 'the world' })),
      reply(use('Bash', { command: 'touch greeted', description: 'Touch a file' })),
      say('done'),
    ],
    skill('greet', 'allowed-tools: Bash(touch *), Bash(echo *)\n', 'Greet $ARGUMENTS from !`echo here`.'),
  );
  const ran = await here.ask('go');
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  const [first = '', second = ''] = here.bodies();
  expect(first).toContain('- greet: Does greet.');
  expect(first).toContain('- explore: Finds things');
  expect(second).toContain('Launching skill: greet');
  expect(second).toContain('Greet the world from here.');
  expect(existsSync(join(here.repo.path, 'greeted'))).toBe(true);
});

const system = (request: { readonly body: { readonly system?: unknown } }) =>
  JSON.stringify(request.body.system ?? '');
const scout = /You are a scout of Coppice/;
const helper = /You are an agent of Coppice/;

test('a forked skill runs in an agent of its own, and the parent reads the result alone', async () => {
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'look' })), say('done')],
    skill('look', 'context: fork\nagent: explore\n', 'Look for the thing.'),
  );
  here.server.lane(scout, say('It lies in a.ts.'));
  const ran = await here.ask('my secret words');
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  const [, child = '', last = ''] = here.bodies();
  expect(child).toContain('Look for the thing.');
  expect(child).not.toContain('my secret words');
  expect(last).toContain('It lies in a.ts.');
  expect(last).not.toContain('Look for the thing.');
});

test('a skill whose command is not allowed is not run, and nothing of it enters the conversation', async () => {
  await using here = await setUp(
    [reply(use('SkillTool', { skill: 'bad' })), say('understood')],
    skill('bad', '', 'Do it: !`touch forbidden`'),
  );
  const ran = await here.ask('go');
  expect([ran.code, ran.stdout]).toEqual([0, 'understood\n']);
  expect(here.bodies()[1]).toContain(
    'The skill bad was not run: its command `touch forbidden` is not allowed',
  );
  expect(existsSync(join(here.repo.path, 'forbidden'))).toBe(false);
});

test('three agents of one reply run side by side, each with its own words', async () => {
  const one = (prompt: string) => use('AgentTool', { prompt, description: 'Count the files' });
  await using here = await setUp([reply([one('Take A'), one('Take B'), one('Take C')]), say('all three')]);
  let inside = 0;
  let most = 0;
  here.server.always(helper, async (request) => {
    inside += 1;
    most = Math.max(most, inside);
    await here.server.waitForRequests(4);
    inside -= 1;
    return say(`Result of ${/Take [ABC]/.exec(JSON.stringify(request.body.messages))?.[0]}`);
  });
  const ran = await here.ask('go');
  expect([ran.code, ran.stdout, most]).toEqual([0, 'all three\n', 3]);
  const last = here.bodies().at(-1) ?? '';
  for (const name of ['A', 'B', 'C']) expect(last).toContain(`Result of Take ${name}`);
});

test('a background agent lets the parent go on and is told of exactly once', async () => {
  const away = use('AgentTool', {
    prompt: 'Take your time',
    description: 'Look around',
    run_in_background: true,
  });
  await using here = await setUp([reply(away), say('going on'), say('heard of it')]);
  here.server.always(helper, say('Slow result'));
  const ran = await here.ask('go');
  expect(ran.code).toBe(0);
  const parents = here.server.requests.filter((request) => !helper.test(system(request)));
  expect(JSON.stringify(parents[1]?.body.messages)).toContain('runs in the background');
  const told = JSON.stringify(parents.at(-1)?.body.messages).split('<task-notification>').length - 1;
  expect(told).toBe(1);
});

test('--agent makes a definition the conversation; an unknown one is refused with the list', async () => {
  await using here = await setUp([say('as a scout')]);
  const ran = await here.ask('go', '--agent', 'Explore');
  expect([ran.code, ran.stdout]).toEqual([0, 'as a scout\n']);
  const [first] = here.server.requests;
  expect(first && system(first)).toMatch(scout);
  expect(first?.body.tools?.map((tool) => (tool as { name: string }).name)).toEqual([
    'Bash',
    'Read',
    'Glob',
    'Grep',
  ]);
  const refused = await here.ask('go', '--agent', 'nobody');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('The agents are: code-reviewer, explore, general-purpose, plan, verify.');
});

test('a typed skill is a slash command', async () => {
  await using here = await setUp([say('greeted')], skill('greet', '', 'Greet $0.'));
  const ran = await here.ask('/greet Ada');
  expect([ran.code, ran.stdout]).toEqual([0, 'greeted\n']);
  expect(here.bodies()[0]).toContain('Greet Ada.');
});

test('a command answers without a model, and one that fails says so', async () => {
  await using here = await setUp([], skill('greet', '', 'Greet $0.'));
  const ran = await here.ask('/skills');
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/### project\n\n- `\/greet` · 54 B · /)]);
  const failed = await here.ask('/agents show nobody');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('There is no agent "nobody"')]);
  expect(here.server.requests).toHaveLength(0);
});

test('a child may not do what its definition leaves out, though its parent may', async () => {
  const files = {
    '.coppice/agents/narrow.md':
      '---\nname: narrow\ndescription: Looks at git\ntools: Bash(git status *), Read\ndisallowedTools: Read(secret/**)\n---\nYou are narrow.',
    'secret/a.txt': 'x',
  };
  const start = use('AgentTool', { prompt: 'Go', description: 'Look around', subagent_type: 'narrow' });
  await using here = await setUp([reply(start), say('done')], files);
  here.server.lane(
    /You are narrow/,
    reply([
      use('Bash', { command: 'git status -s', description: 'd' }),
      use('Bash', { command: 'touch made', description: 'd' }),
      use('Read', { file_path: 'secret/a.txt' }),
      use('Write', { file_path: 'b.txt', content: 'x' }),
    ]),
    say('tried'),
  );
  const ran = await here.ask('go', '--allowedTools', 'Bash,Read,Write');
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  const [, , answers = ''] = here.bodies();
  expect(answers).toContain('may use this tool only as Bash(git status *)');
  expect(answers).toContain('There is no tool named Write');
  expect(answers).toMatch(/Read\(secret/);
  expect(existsSync(join(here.repo.path, 'made'))).toBe(false);
});

test("the model of an agent is the call's, else the definition's, else the parent's", async () => {
  const start = (more: object) => use('AgentTool', { prompt: 'Go', description: 'Look around', ...more });
  await using here = await setUp([
    reply([
      start({ model: 'large' }),
      start({ subagent_type: 'explore' }),
      start({ subagent_type: 'explore', model: 'medium' }),
      start({}),
    ]),
    say('done'),
  ]);
  here.server.always(scout, say('seen'));
  here.server.always(helper, say('helped'));
  const ran = await here.ask('go', '--model', 'claude-parent-1');
  expect(ran.code).toBe(0);
  const models = (pattern: RegExp) =>
    here.server.requests
      .flatMap((request) => (pattern.test(system(request)) ? [request.body.model] : []))
      .toSorted();
  expect(models(helper)).toEqual(['claude-opus-5-5', 'claude-parent-1']);
  expect(models(scout)).toEqual(['claude-haiku-5-5', 'claude-sonnet-5-5']);
});

test('cwd moves files and shell of an agent, and nothing of its parent', async () => {
  const files = { 'web/here.txt': 'in web' };
  await using here = await setUp([], files);
  const web = join(here.repo.path, 'web');
  here.server.script(
    reply(use('AgentTool', { prompt: 'Go', description: 'Look around', cwd: web })),
    reply(use('Bash', { command: 'pwd', description: 'd' })),
    say('done'),
  );
  here.server.lane(
    helper,
    reply([use('Bash', { command: 'pwd', description: 'd' }), use('Read', { file_path: 'here.txt' })]),
    say('seen'),
  );
  const ran = await here.ask('go', '--allowedTools', 'Bash(pwd)');
  expect(ran.code).toBe(0);
  const [, , child = '', , last = ''] = here.bodies();
  expect(child).toContain(web);
  expect(child).toContain('in web');
  expect(last).toMatch(/"content":"[^"]*project"/);
});

test('two thousand skills and a thousand agents are all there', { timeout: 60_000 }, async () => {
  await using here = await setUp([say('done')]);
  const folder = join(here.repo.state, 'skills');
  for (let at = 0; at < 2000; at += 1) {
    const dir = join(folder, `group-${at % 20}`, `skill-${at}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, 'SKILL.md'),
      `---\nname: skill-${at}\ndescription: Does thing ${at}${at % 3 ? '' : ': well'}.\n---\nDo it.\n`,
    );
  }
  const agents = join(here.repo.state, 'agents');
  mkdirSync(agents, { recursive: true });
  for (let at = 0; at < 1000; at += 1)
    writeFileSync(
      join(agents, `agent-${at}.md`),
      `---\nname: agent-${at}\ndescription: Is ${at}.\ntools: Read\n---\nYou are ${at}.\n`,
    );
  const skills = JSON.parse((await runCoppice(here.repo, ['skills', 'list', '--json'])).stdout) as unknown[];
  const listed = JSON.parse((await runCoppice(here.repo, ['agents', 'list', '--json'])).stdout) as unknown[];
  expect([skills.length, listed.length]).toEqual([2007, 1005]);
  const ran = await here.ask('go');
  expect(ran.stdout).toBe('done\n');
  expect((here.bodies()[0] ?? '').length).toBeLessThan(200_000);
});

test('a skill that is made while a conversation runs is told of and can be called', async () => {
  await using here = await setUp([]);
  const path = join(here.repo.path, '.coppice/skills/fresh/SKILL.md');
  const content = '---\nname: fresh\ndescription: Is fresh.\n---\nFresh text.';
  here.server.script(
    () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return say('made');
    },
    reply(use('SkillTool', { skill: 'fresh' })),
    say('done'),
  );
  const messages = ['make it', 'use it'].map((text) =>
    JSON.stringify({ type: 'user', message: { role: 'user', content: text } }),
  );
  const ran = await runCoppice(
    here.repo,
    ['-p', '--trust', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    { stdin: `${messages.join('\n')}\n` },
  );
  expect(ran.code).toBe(0);
  const bodies = here.bodies();
  expect(bodies[1]).toContain('- fresh: Is fresh.');
  expect(bodies[2]).toContain('Fresh text.');
});
