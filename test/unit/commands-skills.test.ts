import { expect, test } from 'vitest';
import { createErrands } from '../../src/app/errands.ts';
import type { AgentShelf } from '../../src/commands/agent-shelf.ts';
import { agentsCommand } from '../../src/commands/agents.ts';
import { createRegistry } from '../../src/commands/registry.ts';
import { skillCommands } from '../../src/commands/skill-command.ts';
import { skillsCommand } from '../../src/commands/skills.ts';
import type { AgentDefinition, AgentResult, Agents, SpawnRequest } from '../../src/contract/agent.ts';
import type { Definition } from '../../src/contract/catalog.ts';
import type { CommandPlace, CommandScreen } from '../../src/contract/command.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import { noUsage } from '../../src/contract/message.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SkillInfo, Skills } from '../../src/contract/skill.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { Effect } from '../../src/contract/transcript.ts';
import { agentReminder, agentsNamed } from '../../src/lib/agent-mention.ts';
import { nearNames } from '../../src/lib/near-names.ts';
import { parseCommand } from '../../src/lib/slash-line.ts';

const state: SessionState = {
  id: 's1' as SessionId,
  root: 's1' as SessionId,
  agent: { type: 'main' },
  model: 'm',
  thinkingTokens: 0,
  cwd: '/p',
  project: '/p',
  checkout: '/p',
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
};

const place = (screen: Partial<CommandScreen> = {}) => {
  const recorded: Effect[] = [];
  const printed: string[] = [];
  const session: Pick<Session, 'state' | 'record' | 'errand'> = {
    state: () => state,
    errand: createErrands().run,
    record: async (effect) => void recorded.push(effect),
  };
  const at: CommandPlace = {
    session: session as Session,
    screen: {
      interactive: false,
      print: (text) => void printed.push(text),
      pick: async () => undefined,
      input: async () => undefined,
      panel: async () => undefined,
      ...screen,
    },
  };
  return { at, recorded, printed };
};

const skill = (slash: string, more: Partial<SkillInfo> = {}): SkillInfo => ({
  slash,
  aliases: [],
  name: slash,
  kind: 'skill',
  description: `Does ${slash}.`,
  source: 'user',
  path: `/s/${slash}/SKILL.md`,
  bytes: 1500,
  forModel: 'listed',
  forPerson: true,
  allowedTools: [],
  disallowedTools: [],
  paths: [],
  ...more,
});

const shelf = (all: readonly SkillInfo[], refused?: string): Skills => ({
  list: () => all,
  find: (name) => all.find((one) => one.slash === name),
  nearest: (name) =>
    nearNames(
      name,
      all.map((one) => one.slash),
    ),
  render: async (one, args) =>
    refused === undefined
      ? {
          text: `Text of ${one.slash}: ${args}`,
          attached: [{ type: 'text', text: 'a file' }],
          allowedTools: one.allowedTools,
        }
      : { refused },
});

const agents = (result: Partial<AgentResult>, asked: SpawnRequest[] = []): Agents => ({
  async spawn(request) {
    asked.push(request);
    return {
      id: 'a1' as SessionId,
      output: '/out/a1',
      result: Promise.resolve({
        status: 'done',
        text: 'Found it.',
        toolCalls: 1,
        tokens: 1,
        ms: 1,
        ...result,
      }),
      toBackground: async () => true,
    };
  },
  stop: async () => ({ refused: '' }),
  resume: async () => ({ refused: '' }),
  wait: async () => undefined,
  list: () => [],
});

const commandOf = (one: SkillInfo, all: Agents = agents({}), refused?: string) => {
  const [command] = skillCommands({
    skills: () => shelf([one], refused),
    agents: () => all,
    modelId: (name) => `id-${name}`,
  });
  if (!command) throw new Error('no command');
  return command;
};

test('every skill a person may run is a command, with its hint and other names', () => {
  const commands = skillCommands({
    skills: () =>
      shelf([skill('a', { argumentHint: '[file]', aliases: ['alpha'] }), skill('b', { forPerson: false })]),
    agents: () => agents({}),
    modelId: () => undefined,
  });
  expect(commands).toMatchObject([
    { name: 'a', aliases: ['alpha'], argumentHint: '[file]', description: 'Does a.', source: 'user' },
  ]);
});

test('a skill of a folder leaves its short name to the one that is called so', () => {
  const two = [skill('apps/web:deploy', { aliases: ['deploy', 'ship'] }), skill('deploy')];
  const deps = { skills: () => shelf(two), agents: () => agents({}), modelId: () => undefined };
  const { list, find } = createRegistry([], () => skillCommands(deps));
  expect(list()).toMatchObject([{ name: 'apps/web:deploy', aliases: ['ship'] }, { name: 'deploy' }]);
  expect(find('ship')?.name).toBe('apps/web:deploy');
});

test('a typed skill goes into the conversation, with what it allows recorded ahead of it', async () => {
  const { at, recorded } = place();
  const command = commandOf(skill('a', { allowedTools: ['Bash(git *)'], model: 'large' }));
  expect(await command.run(' x y ', at)).toEqual({
    kind: 'prompt',
    text: 'Text of a: x y\n\na file',
    display: '/a x y',
  });
  expect(recorded).toEqual([
    {
      type: 'skill',
      name: 'a',
      path: '/s/a/SKILL.md',
      text: 'Text of a: x y\n\na file',
      allow: ['Bash(git *)'],
      model: 'id-large',
      ahead: true,
    },
  ]);
});

test('a typed skill that forks runs in an agent and passes its result on', async () => {
  const asked: SpawnRequest[] = [];
  const { at, recorded, printed } = place();
  const fork = skill('review', { fork: { agent: 'code-reviewer', background: false } });
  const answer = await commandOf(fork, agents({}, asked)).run('', at);
  expect(answer).toMatchObject({
    kind: 'prompt',
    text: expect.stringContaining('Found it.'),
    display: '/review',
  });
  expect(asked).toMatchObject([
    { type: 'code-reviewer', prompt: 'Text of review: \n\na file', background: false },
  ]);
  expect([recorded, printed]).toEqual([[], ['Launching skill: review']]);
  const failed = await commandOf(fork, agents({ status: 'failed', text: 'No model.' })).run('', at);
  expect(failed).toEqual({ kind: 'text', failed: true, text: 'The skill review failed: No model.' });
});

test('a skill that may not run says why', async () => {
  expect(await commandOf(skill('a'), agents({}), 'Its command is not allowed.').run('', place().at)).toEqual({
    kind: 'text',
    failed: true,
    text: 'Its command is not allowed.',
  });
});

const definition = (path: string, more: Partial<Definition> = {}): Definition => ({
  name: 'a',
  kind: 'skill',
  description: 'Does a.',
  path,
  source: 'user',
  fields: {},
  repairs: [],
  problems: [],
  slash: 'a',
  ...more,
});

test('/skills lists, shows one, knows near names and reads again', async () => {
  const all = [
    skill('a', { forModel: 'hidden' }),
    skill('mcp__srv__ask', { kind: 'prompt', source: 'srv', bytes: 0 }),
  ];
  const command = skillsCommand(() => ({
    skills: shelf(all),
    definitions: () => [
      definition('/s/a/SKILL.md', { repairs: ['It was mended.'], problems: ['It is odd.'] }),
    ],
    reload: async () => ['added skill b'],
    read: async () => 'The body.',
  }));
  const { at } = place();
  const list = await command.run('', at);
  expect(list).toMatchObject({
    text: expect.stringContaining('### user\n\n- `/a` · 1.5 kB · only you · Does a.\n'),
  });
  expect(list).toMatchObject({
    text: expect.stringContaining('### tool server srv\n\n- `/mcp__srv__ask` · Does mcp__srv__ask.'),
  });
  expect(list).toMatchObject({ text: expect.stringContaining('One file has problems') });
  const pages: unknown[] = [];
  const seen = place({ interactive: true, panel: async (...page) => void pages.push(page) });
  expect(await command.run('', seen.at)).toEqual({ kind: 'done' });
  expect(pages).toEqual([
    ['Skills', expect.stringContaining('| `/a` | 1.5 kB · only you · Does a. |'), 'cut'],
  ]);
  const one = await command.run('a', at);
  expect(one).toMatchObject({ text: expect.stringMatching(/mended[\s\S]*odd[\s\S]*The body\./) });
  expect(await command.run('ASK', at)).toMatchObject({
    text: '### tool server srv\n\n- `/mcp__srv__ask` · Does mcp__srv__ask.',
  });
  expect(await command.run('ab', at)).toMatchObject({
    failed: true,
    text: 'There is no skill "ab". Did you mean a?',
  });
  expect(await command.run('reload', at)).toMatchObject({ text: 'added skill b' });
  expect(command.complete?.()).toEqual(['reload', 'a', 'mcp__srv__ask']);
});

const defined: readonly AgentDefinition[] = [
  {
    name: 'explore',
    description: 'Looks.',
    prompt: 'You look.',
    tools: ['Read'],
    source: 'builtin',
    path: '/b/explore.md',
  },
  { name: 'mine', description: 'Is mine.', prompt: 'You are mine.', source: 'project', path: '/p/mine.md' },
];

const agentShelf = (done: string[] = [], files: Readonly<Record<string, string>> = {}): AgentShelf => ({
  agents: () => defined,
  definitions: () => [],
  folders: { project: '/p/.coppice/agents', user: '/u/agents' },
  edit: async (path) => void done.push(`edit ${path}`),
  read: async (path) => files[path],
  write: async (path, content) => void done.push(`write ${path}\n${content}`),
});

test('/agents lists, shows, and offers near names', async () => {
  const command = agentsCommand(() => agentShelf());
  const { at } = place();
  expect(await command.run('', at)).toMatchObject({
    text: expect.stringContaining('| explore | builtin | inherit | Looks. |'),
  });
  expect(await command.run('show Mine', at)).toMatchObject({
    text: expect.stringMatching(/## mine[\s\S]*tools \| all[\s\S]*You are mine\./),
  });
  expect(await command.run('explor', at)).toMatchObject({
    failed: true,
    text: 'There is no agent "explor". Did you mean explore?',
  });
});

test('/agents edit opens a file, of what comes with the program a whole copy', async () => {
  const done: string[] = [];
  const original = '---\nname: explore\ntools: Read\npermissionMode: dontAsk\n---\n\nYou look.\n';
  const command = agentsCommand(() => agentShelf(done, { '/b/explore.md': original }));
  await command.run('edit mine', place().at);
  await command.run('edit explore', place().at);
  expect(done).toEqual([
    'edit /p/mine.md',
    `write /u/agents/explore.md\n${original.replace('name: explore', 'name: "explore"')}`,
    'edit /u/agents/explore.md',
  ]);
  // A copy that is there and not in force is the one to mend.
  done.length = 0;
  const begun = agentsCommand(() => agentShelf(done, { '/u/agents/explore.md': 'broken' }));
  await begun.run('edit explore', place().at);
  expect(done).toEqual(['edit /u/agents/explore.md']);
});

test('/agents offers to show, edit or call the one that was chosen', async () => {
  const done: string[] = [];
  const filled: string[] = [];
  const answers: unknown[] = [];
  const { at } = place({
    interactive: true,
    pick: async <T>() => answers.shift() as T,
    fill: (words) => void filled.push(words),
  });
  const command = agentsCommand(() => agentShelf(done));
  answers.push(defined[1], 'edit', defined[1], 'call', defined[1], 'show', undefined);
  await command.run('', at);
  await command.run('', at);
  expect(await command.run('', at)).toMatchObject({ text: expect.stringContaining('## mine') });
  expect(await command.run('', at)).toEqual({ kind: 'done' });
  expect([done, filled]).toEqual([['edit /p/mine.md'], ['@agent-mine ']]);
});

test('/agents create has the model write the file', async () => {
  const command = agentsCommand(() => agentShelf());
  expect(await command.run('create checks links', place().at)).toMatchObject({
    kind: 'prompt',
    text: expect.stringMatching(/checks links[\s\S]*\/p\/\.coppice\/agents/),
    display: '/agents create checks links',
  });
  const chosen = place({
    interactive: true,
    input: async () => 'checks links',
    pick: async <T>() => '/u/agents' as T,
  });
  expect(await command.run('create', chosen.at)).toMatchObject({
    text: expect.stringContaining('`/u/agents`'),
  });
  expect(await command.run('create', place().at)).toMatchObject({ failed: true });
});

test.each<[string, readonly string[]]>([
  ['@agent-explore, look at @src/a.ts', ['explore']],
  ['ask @"Building CI/CD (agent)" and @agent-Explore.', ['Building CI/CD', 'explore']],
  ['@agent-building-ci-cd please', ['Building CI/CD']],
  ['mail@agent-explore or @agent-nobody', []],
])('%s calls %j', (text, names) => {
  const known = ['explore', 'Building CI/CD'];
  expect(agentsNamed(text, known).toSorted()).toEqual([...names].toSorted());
  expect(agentReminder(text, known) === undefined).toBe(names.length === 0);
});

test.each([
  ['/git:pr 12', { name: 'git:pr', args: '12' }],
  ['/apps/web:deploy now', { name: 'apps/web:deploy', args: 'now' }],
  ['/usr/bin/env', undefined],
  ['/测试', { name: '测试', args: '' }],
])('%s is read as %j', (text, command) => {
  expect(parseCommand(text)).toEqual(command);
});
