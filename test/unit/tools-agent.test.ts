import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type {
  AgentDefinition,
  AgentHandle,
  AgentResult,
  Agents,
  SpawnRequest,
} from '../../src/contract/agent.ts';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import { noUsage } from '../../src/contract/message.ts';
import type { RenderedSkill, SkillInfo, Skills } from '../../src/contract/skill.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/contract/tool.ts';
import { agentTool } from '../../src/tools/agent.ts';
import { skillTool } from '../../src/tools/skill.ts';

const here = mkdtempSync(`${tmpdir()}/agents-`);

const state: SessionState = {
  id: 's1' as SessionId,
  root: 's1' as SessionId,
  agent: { type: 'main' },
  model: 'm',
  thinkingTokens: 0,
  cwd: here,
  project: here,
  checkout: here,
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

const definitions: readonly AgentDefinition[] = [
  { name: 'general-purpose', description: 'All', prompt: 'P', source: 'builtin' },
  { name: 'explore', description: 'Looks', prompt: 'P', source: 'builtin', tools: ['Read'] },
  { name: 'slow', description: 'Long', prompt: 'P', source: 'user', background: true, isolation: 'worktree' },
  { name: 'broken', description: 'None', prompt: 'P', source: 'user', tools: [], path: '/a/broken.md' },
];

const finished: AgentResult = { status: 'done', text: 'Found it.', toolCalls: 3, tokens: 120, ms: 1500 };

interface Host extends Agents {
  readonly asked: SpawnRequest[];
  readonly moved: string[];
}

/** A host that answers every request the same way. */
const host = (answer: Partial<AgentResult> | 'never' | { refused: string } = {}): Host => {
  const asked: SpawnRequest[] = [];
  const moved: string[] = [];
  return {
    asked,
    moved,
    async spawn(request) {
      asked.push(request);
      if (answer !== 'never' && 'refused' in answer) return answer;
      const handle: AgentHandle = {
        id: 'a1' as SessionId,
        output: '/out/a1.output',
        result:
          answer === 'never' ? new Promise(() => undefined) : Promise.resolve({ ...finished, ...answer }),
        toBackground: async () => moved.push('a1') > 0,
      };
      return handle;
    },
    stop: async () => ({ refused: 'no' }),
    resume: async () => ({ refused: 'no' }),
    wait: async () => undefined,
    list: () => [],
  };
};

const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  session: state,
  call: 'c1' as CallId,
  signal: new AbortController().signal,
  ask: async () => ({ kind: 'none', reason: '', source: 'headless' }),
  progress: () => undefined,
  ...more,
});

const use = async (tool: Tool, input: unknown, ctx = context()): Promise<ToolOutcome> => {
  const call = tool.prepare(input, ctx.session);
  return 'invalid' in call ? { status: 'error', text: call.invalid } : call.run(ctx);
};

const agent = (agents: Agents, swarms = true) =>
  agentTool({ agents: () => agents, definitions: () => definitions, swarms });
const wish = { prompt: 'Look for x', description: 'Look for x' };

test.each<[what: string, input: Record<string, unknown>, sentence: RegExp]>([
  ['no prompt', { description: 'Do it' }, /^AgentTool needs "prompt"/],
  ['an empty prompt', { ...wish, prompt: ' ' }, /^prompt is empty/],
  ['an empty description', { ...wish, description: '  ' }, /^description is empty/],
  [
    'cwd and a worktree',
    { ...wish, cwd: here, isolation: 'worktree' },
    /^cwd cannot be combined with isolation/,
  ],
  ['a relative cwd', { ...wish, cwd: 'src' }, /^cwd must be an absolute path, not "src"/],
  ['a cwd that is not there', { ...wish, cwd: `${here}/none` }, /is not a directory that exists/],
  [
    'another isolation',
    { ...wish, isolation: 'container' },
    /"isolation" of AgentTool must be one of "worktree"/,
  ],
  [
    'an unknown type',
    { ...wish, subagent_type: 'explorer' },
    /no agent type "explorer"\. Did you mean explore\? The types are: broken, explore, general-purpose, slow\./,
  ],
  [
    'a type without tools',
    { ...wish, subagent_type: 'broken' },
    /none of the tools it lists is known here.*\/a\/broken\.md/,
  ],
])('%s is refused before anything is created', async (_what, input, sentence) => {
  const agents = host();
  expect(await use(agent(agents), input)).toMatchObject({
    status: 'error',
    text: expect.stringMatching(sentence),
  });
  expect(agents.asked).toEqual([]);
});

test('a foreground agent answers with its result and what it cost', async () => {
  const agents = host();
  const outcome = await use(agent(agents), { ...wish, model: 'small', cwd: here, subagent_type: 'Explore' });
  expect(outcome).toMatchObject({
    status: 'ok',
    text: 'Found it.\n\n[agent a1: 3 tool calls, 120 tokens, 1.5 s.]',
    response: {
      status: 'completed',
      agentId: 'a1',
      content: [{ type: 'text', text: 'Found it.' }],
      totalToolUseCount: 3,
      totalDurationMs: 1500,
      totalTokens: 120,
      prompt: 'Look for x',
    },
  });
  const { signal: _signal, ...asked } = agents.asked[0] ?? { signal: undefined };
  expect(asked).toEqual({
    prompt: 'Look for x',
    label: 'Look for x',
    type: 'explore',
    background: false,
    model: 'small',
    cwd: here,
    parent: state,
    call: 'c1',
  });
});

test('a long description is shortened with a note', async () => {
  const agents = host();
  const { text } = await use(agent(agents), { ...wish, description: 'Look for x in all of the files' });
  expect(agents.asked[0]?.label).toBe('Look for x in all');
  expect(text).toContain('shortened to "Look for x in all"');
});

test('in the background it answers at once, by wish, by definition, or when the person says so', async () => {
  const away = {
    status: 'ok',
    text: expect.stringContaining('runs in the background'),
    response: { status: 'async_launched', agentId: 'a1', outputFile: '/out/a1.output' },
  };
  const wished = host('never');
  expect(await use(agent(wished), { ...wish, run_in_background: true })).toMatchObject(away);
  expect(wished.asked[0]?.background).toBe(true);
  const defined = host('never');
  expect(await use(agent(defined), { ...wish, subagent_type: 'slow' })).toMatchObject(away);
  expect(defined.asked[0]).toMatchObject({ background: true, isolation: 'worktree' });
  const moved = host('never');
  const turn = new AbortController();
  let listening = 0;
  const backgrounded = (sent: () => void) => {
    listening += 1;
    sent();
    return () => {
      listening = 0;
    };
  };
  expect(await use(agent(moved), wish, context({ signal: turn.signal, backgrounded }))).toMatchObject(away);
  expect([moved.moved, listening]).toEqual([['a1'], 0]);
  turn.abort();
  expect(moved.asked[0]?.signal.aborted).toBe(false);
});

test('a foreground agent ends with the turn, one in the background does not', async () => {
  const turn = new AbortController();
  const agents = host('never');
  const waiting = use(agent(agents), wish, context({ signal: turn.signal }));
  await use(agent(agents), { ...wish, run_in_background: true }, context({ signal: turn.signal }));
  turn.abort();
  expect(agents.asked.map((one) => one.signal.aborted)).toEqual([true, false]);
  void waiting;
});

test('a refusal, a failure and a stop are told as what they are', async () => {
  expect(await use(agent(host({ refused: 'Too deep.' })), wish)).toMatchObject({
    status: 'error',
    text: 'Too deep.',
  });
  expect(await use(agent(host({ status: 'failed', text: 'The agent failed: x' })), wish)).toMatchObject({
    status: 'error',
  });
  expect(await use(agent(host({ status: 'stopped', text: 'Half' })), wish)).toMatchObject({
    status: 'cancelled',
  });
  const worktree = { path: '/w/x', branch: 'worktree-x', files: ['a', 'b'] };
  const kept = await use(agent(host({ worktree })), wish);
  expect(kept.response).toMatchObject({ worktreePath: '/w/x', worktreeBranch: 'worktree-x' });
});

test('without swarms names are not offered and are refused', async () => {
  const off = agent(host(), false);
  expect(Object.keys(off.schema.input_schema.properties ?? {})).not.toContain('name');
  expect(Object.keys(agent(host()).schema.input_schema.properties ?? {})).toContain('team_name');
  expect(await use(off, { ...wish, name: 'bob' })).toMatchObject({
    status: 'error',
    text: expect.stringMatching(/agentSwarms.*COPPICE_AGENT_SWARMS/),
  });
});

const skill = (slash: string, more: Partial<SkillInfo> = {}): SkillInfo => ({
  slash,
  aliases: [],
  name: slash,
  kind: 'skill',
  description: `Does ${slash}.`,
  source: 'user',
  path: `/s/${slash}/SKILL.md`,
  bytes: 9,
  forModel: 'listed',
  forPerson: true,
  allowedTools: [],
  disallowedTools: [],
  paths: [],
  ...more,
});

const shelf = (
  all: readonly SkillInfo[],
  rendered: Partial<RenderedSkill> | { refused: string } = {},
): Skills => ({
  list: () => all,
  find: (name) => all.find((one) => one.slash === name),
  nearest: (name) => all.map((one) => one.slash).filter((one) => one.startsWith(name.slice(0, 3))),
  render: async (one, args) =>
    'refused' in rendered
      ? rendered
      : {
          text: `Text of ${one.slash} with "${args}"`,
          attached: [],
          allowedTools: one.allowedTools,
          ...rendered,
        },
});

const skillOf = (skills: Skills, agents: Agents = host()) =>
  skillTool({
    skills: () => skills,
    agents: () => agents,
    modelId: (name) => (name === 'opus' ? 'claude-big' : undefined),
  });

test('an inline skill enters the conversation, with what it allows, and no session is made', async () => {
  const agents = host();
  const commit = skill('commit', {
    allowedTools: ['Bash(git *)'],
    model: 'opus',
    effort: 'low',
    disallowedTools: ['WebFetch'],
  });
  const progress: string[] = [];
  const outcome = await use(
    skillOf(shelf([commit], { attached: [{ type: 'text', text: 'a file' }] }), agents),
    { skill: '//commit', args: '-m x' },
    context({ progress: (text) => void progress.push(text) }),
  );
  expect(outcome).toMatchObject({
    status: 'ok',
    text: 'Launching skill: commit',
    response: { success: true, commandName: 'commit', allowedTools: ['Bash(git *)'], model: 'claude-big' },
    effects: [
      {
        type: 'skill',
        name: 'commit',
        path: '/s/commit/SKILL.md',
        allow: ['Bash(git *)'],
        deny: ['WebFetch'],
        model: 'claude-big',
        effort: 'low',
      },
      { type: 'user', meta: true, content: [{ text: 'Text of commit with "-m x"' }, { text: 'a file' }] },
    ],
  });
  expect(progress).toEqual(['Launching skill: commit']);
  expect(agents.asked).toEqual([]);
});

test('a forked skill runs in an agent, also without arguments, and its result is the tool result', async () => {
  const agents = host();
  const review = skill('review', {
    fork: { agent: 'explore', background: false },
    allowedTools: ['Bash(git *)'],
  });
  const outcome = await use(skillOf(shelf([review]), agents), { skill: 'review' });
  expect(outcome).toMatchObject({
    status: 'ok',
    text: expect.stringMatching(/^Found it\./),
    response: { commandName: 'review', status: 'forked', agentId: 'a1', result: 'Found it.' },
  });
  expect(outcome.effects).toBeUndefined();
  expect(agents.asked).toMatchObject([
    {
      prompt: 'Text of review with ""',
      type: 'explore',
      label: 'skill review',
      background: false,
      skill: { name: 'review', allow: ['Bash(git *)'], deny: [] },
    },
  ]);
});

test('a forked skill of an unknown agent, and one in the background', async () => {
  const fork = (background: boolean) => [skill('x', { fork: { agent: 'nobody', background } })];
  const refused = host({ refused: 'There is no agent type "nobody".' });
  expect(await use(skillOf(shelf(fork(false)), refused), { skill: 'x' })).toMatchObject({
    status: 'error',
    text: 'The skill x could not be started in an agent: There is no agent type "nobody".',
  });
  expect(await use(skillOf(shelf(fork(true)), host('never')), { skill: 'x' })).toMatchObject({
    status: 'ok',
    response: { status: 'forked', agentId: 'a1', outputFile: '/out/a1.output' },
  });
});

test('a line in one parameter is a skill with arguments', () => {
  const call = skillOf(shelf([skill('commit')])).prepare({ skill: '/commit all of it' }, state);
  expect(call).toMatchObject({ input: { skill: 'commit', args: 'all of it' }, subject: 'commit all of it' });
});

test.each<[string, readonly SkillInfo[], RegExp]>([
  [
    'comit',
    [skill('commit'), skill('review')],
    /no skill "comit"\. The nearest are: commit\. The skills are: commit, review\./,
  ],
  ['x', [], /no skill "x".*No skills are installed/],
  ['/', [skill('commit')], /skill is empty/],
  ['secret', [skill('secret', { forModel: 'hidden' })], /only be started by the user.*\/secret/],
])('%s is refused with a sentence', async (name, all, sentence) => {
  expect(await use(skillOf(shelf(all)), { skill: name })).toMatchObject({
    status: 'error',
    text: expect.stringMatching(sentence),
  });
});

test('a skill whose command is not allowed is an error and leaves nothing behind', async () => {
  const outcome = await use(skillOf(shelf([skill('a')], { refused: 'The skill a was not run.' })), {
    skill: 'a',
  });
  expect(outcome).toEqual({ status: 'error', text: 'The skill a was not run.' });
});

test('a skill that is in the conversation already is not put in again, and one that calls itself is stopped', async () => {
  const text = 'Text of a with ""';
  const uses = (count: number): SessionState['messages'] => [
    { role: 'user', content: [{ type: 'text', text }] },
    ...Array.from({ length: count }, (_, at) => ({
      role: 'assistant' as const,
      id: `m${at}`,
      model: 'm',
      stop_reason: null,
      usage: noUsage,
      content: [{ type: 'tool_use' as const, id: `c${at}` as CallId, name: 'Skill', input: { skill: '/a' } }],
    })),
  ];
  const session = (count: number): SessionState => ({
    ...state,
    skills: [{ name: 'a', path: '/s/a', text }],
    messages: uses(count),
  });
  const tool = skillOf(shelf([skill('a')]));
  const again = await use(tool, { skill: 'a' }, context({ session: session(1) }));
  expect(again.text).toContain('in this conversation already');
  expect(again.effects?.map((effect) => effect.type)).toEqual(['skill']);
  const stuck = await use(tool, { skill: 'a' }, context({ session: session(5) }));
  expect(stuck).toMatchObject({ status: 'error', text: expect.stringContaining('was called 4 times') });
});
