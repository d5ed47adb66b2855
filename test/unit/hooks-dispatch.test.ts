import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookSource } from '../../src/contract/hook.ts';
import { parseHooks } from '../../src/hooks/parse.ts';
import { bash, one, origin, sessionId, world } from '../hooks/world.ts';

const says = (text: string) =>
  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"${text}"}}'`;
const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const lines = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
const source = (raw: unknown, more: Parameters<typeof origin>[0] = {}): HookSource =>
  parseHooks(raw, origin(more)).source;
const ending = {
  stop_hook_active: false,
  last_assistant_message: '',
  background_tasks: [],
  session_crons: [],
};

test('hooks run side by side and are heard in configured order', async () => {
  // The first waits for the second: one after the other they would never end.
  await using here = world({
    PreToolUse: [
      { hooks: [command(`until test -e flag; do sleep 0.01; done; ${says('first')}`, { timeout: 10 })] },
      { hooks: [command(`touch flag; ${says('second')}`)] },
    ],
  });
  const verdict = await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(verdict.context).toEqual(['first', 'second']);
});

test('deny goes over ask over allow, whoever says it first', async () => {
  const decide = (decision: string) =>
    command(
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${decision}","permissionDecisionReason":"${decision}!"}}'`,
    );
  await using here = world({ PreToolUse: [{ hooks: ['allow', 'deny', 'ask'].map(decide) }] });
  expect(await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).toMatchObject({
    decision: 'deny',
    reason: 'deny!',
  });
});

test('a hook that gave no answer leaves no allow of another standing', async () => {
  await using here = world({
    PreToolUse: [{ hooks: [command(`echo '{"decision":"approve"}'`), command('kill -9 $$')] }],
  });
  const verdict = await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(verdict.decision).toBeUndefined();
  expect(verdict.uncertain).toContain('was killed');
});

test('equal hooks of several settings files run once, those of plugins stand apart', async () => {
  const same = one('PreToolUse', 'echo ran >> log');
  await using here = world([
    source(same, { source: 'project' }),
    source(one('PreToolUse', 'echo ran >> log', { timeout: 5 }), { source: 'user', foreign: true }),
    source(same, { source: 'plugin', path: '/a/hooks.json' }),
    source(same, { source: 'plugin', path: '/b/hooks.json' }),
  ]);
  const { matched } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(matched).toBe(3);
  expect(lines(join(here.project, 'log'))).toHaveLength(3);
});

test('the same command under two filters is two hooks', async () => {
  await using here = world({
    PreToolUse: [
      {
        hooks: [
          command('echo ran >> log', { if: 'Bash(git commit *)' }),
          command('echo ran >> log', { if: 'Bash(git *)' }),
        ],
      },
    ],
  });
  expect((await here.hooks.fire('PreToolUse', bash('git commit -m x'), here.scope())).matched).toBe(2);
  expect((await here.hooks.fire('PreToolUse', bash('git push'), here.scope())).matched).toBe(1);
  expect((await here.hooks.fire('PreToolUse', bash('ls'), here.scope())).matched).toBe(0);
});

test('a filter never lets a hook run on an event without a tool', async () => {
  await using here = world(one('Stop', 'exit 2', { if: 'Bash' }));
  expect((await here.hooks.fire('Stop', ending, here.scope())).matched).toBe(0);
});

test('a filter that cannot be read warns once and lets the hook run', async () => {
  await using here = world(one('PreToolUse', 'true', { if: 'Bash((' }), {
    matchIf: () => {
      throw new Error('unbalanced');
    },
  });
  expect((await here.hooks.fire('PreToolUse', bash('ls'), here.scope())).matched).toBe(1);
  await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(here.notices()).toHaveLength(1);
});

test('tool names are spelled for the home they are told to, and match in both spellings', async () => {
  const tell = (name: string, matcher: string) => ({
    PreToolUse: [{ matcher, hooks: [command(`cat > ${name}`)] }],
  });
  await using here = world([
    source(tell('own', 'Agent')),
    source(tell('foreign', 'AgentTool'), { source: 'user', foreign: true }),
    source(tell('task', 'Task'), { source: 'plugin', foreign: true }),
  ]);
  for (const tool_name of ['AgentTool', 'Task']) {
    await here.hooks.fire('PreToolUse', { ...bash('x'), tool_name }, here.scope());
    const names = ['own', 'foreign', 'task'].map(
      (file) => JSON.parse(readFileSync(join(here.project, file), 'utf8')).tool_name,
    );
    expect(names).toEqual(['AgentTool', 'Agent', 'Agent']);
  }
});

test('children carry the ids of the root and their own', async () => {
  await using here = world(one('PreToolUse', 'cat > seen'));
  const at = here.scope(
    { transcriptPath: '/t/child.jsonl', rootTranscriptPath: '/t/root.jsonl' },
    {
      id: sessionId('child-1'),
      root: sessionId('root-1'),
      parent: sessionId('parent-1'),
      agent: { id: 'child-1', type: 'explore' },
      team: 'builders',
      effort: 'high',
    },
  );
  await here.hooks.dispatch('PreToolUse', bash('ls'), at);
  expect(JSON.parse(readFileSync(join(here.project, 'seen'), 'utf8'))).toEqual({
    session_id: 'root-1',
    transcript_path: '/t/root.jsonl',
    cwd: here.project,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    prompt_id: 'prompt-1',
    effort: { level: 'high' },
    agent_id: 'child-1',
    agent_type: 'explore',
    agent_transcript_path: '/t/child.jsonl',
    parent_session_id: 'parent-1',
    team_name: 'builders',
    ...bash('ls'),
  });
});

test("an agent's own Stop hook is the end of that agent", async () => {
  const extra = [source({ Stop: [{ hooks: [command('echo go on >&2; exit 2')] }] }, { source: 'agent' })];
  await using here = world({});
  const payload = { ...ending, agent_id: 'a', agent_type: 'explore', agent_transcript_path: '' };
  expect(await here.hooks.dispatch('SubagentStop', payload, here.scope({ extra }))).toMatchObject({
    blocked: 'go on',
  });
  const settings = world(one('Stop', 'exit 2'));
  expect((await settings.hooks.fire('SubagentStop', payload, settings.scope())).matched).toBe(0);
});

test('a running hook is an event with its status message, and its end is one too', async () => {
  await using here = world(one('PreToolUse', 'echo out; echo err >&2', { statusMessage: 'Checking' }));
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(here.told.events).toEqual([
    {
      type: 'hook.started',
      id: 'id-0',
      event: 'PreToolUse',
      label: 'echo out; echo err >&2',
      statusMessage: 'Checking',
    },
    {
      type: 'hook.finished',
      id: 'id-0',
      event: 'PreToolUse',
      label: 'echo out; echo err >&2',
      outcome: 'success',
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
      ms: expect.any(Number),
    },
  ]);
  expect(here.told.records).toMatchObject([
    {
      event: 'PreToolUse',
      type: 'command',
      source: 'project',
      exitCode: 0,
      outcome: 'success',
      input: bash('ls'),
    },
  ]);
});

test('nothing is configured: nothing happens, and callers may know', async () => {
  await using here = world({});
  expect(here.hooks.listens('PreToolUse')).toBe(false);
  const extra = [source(one('PreToolUse', 'true'), { source: 'skill' })];
  expect(here.hooks.listens('PreToolUse', extra)).toBe(true);
  expect(here.hooks.listens('Stop', extra)).toBe(false);
  expect(await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).toEqual({
    context: [],
    systemMessages: [],
  });
  expect(here.told.events).toEqual([]);
});

test('what is not active does not run', async () => {
  await using here = world([source(one('PreToolUse', 'exit 2'), { active: false })]);
  expect((await here.hooks.fire('PreToolUse', bash('ls'), here.scope())).matched).toBe(0);
  expect(here.hooks.listens('PreToolUse')).toBe(false);
});

test('once: parallel calls, children and resumed sessions share one run', async () => {
  await using here = world(one('PreToolUse', 'echo ran >> log', { once: true }));
  const child = here.scope({}, { id: sessionId('child'), agent: { id: 'child', type: 'explore' } });
  await Promise.all([
    ...[1, 2, 3].map(() => here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())),
    here.hooks.dispatch('PreToolUse', bash('ls'), child),
  ]);
  expect(lines(join(here.project, 'log'))).toHaveLength(1);
  expect(here.told.spent).toEqual([here.told.records[0]?.key]);

  await using resumed = world([source(one('PreToolUse', 'exit 2', { once: true }))]);
  const first = await resumed.hooks.fire('PreToolUse', bash('ls'), resumed.scope());
  const key = first.runs[0]?.placed.key ?? '';
  await using later = world([source(one('PreToolUse', 'exit 2', { once: true }))]);
  expect(
    (await later.hooks.fire('PreToolUse', bash('ls'), later.scope({}, { onceDone: [key] }))).matched,
  ).toBe(0);
  const other = { id: sessionId('session-2'), root: sessionId('session-2') };
  expect((await later.hooks.fire('PreToolUse', bash('ls'), later.scope({}, other))).matched).toBe(1);
});

test('once: only a run that started counts, and a filter that does not fit uses nothing up', async () => {
  await using here = world(one('PreToolUse', './gate', { args: [], once: true, if: 'Bash(git *)' }));
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  await here.hooks.dispatch('PreToolUse', bash('git status'), here.scope());
  expect(here.told.spent).toEqual([]);
  writeFileSync(join(here.project, 'gate'), '#!/bin/sh\necho ran >> log\n', { mode: 0o755 });
  for (const _ of [1, 2]) await here.hooks.dispatch('PreToolUse', bash('git status'), here.scope());
  expect(lines(join(here.project, 'log'))).toEqual(['ran']);
  expect(here.told.spent).toHaveLength(1);
});

test('async hooks decide nothing, keep nobody waiting, and leave words for the next turn', async () => {
  await using here = world(
    one(
      'PostToolUse',
      `until test -e go; do sleep 0.01; done; echo '{"decision":"block","reason":"r","systemMessage":"formatted","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"3 files"}}'; exit 2`,
      { async: true },
    ),
  );
  const verdict = await here.hooks.fire('PostToolUse', bash('ls'), here.scope());
  expect(verdict).toMatchObject({ verdict: { context: [], systemMessages: [] }, runs: [], matched: 1 });
  expect(here.told.records).toEqual([]);
  appendFileSync(join(here.project, 'go'), '');
  await expect.poll(() => here.told.later).toEqual(['3 files', 'formatted']);
  expect(here.told.woken).toEqual([]);
  expect(here.notices()).toEqual([]);
  expect(here.told.records).toMatchObject([{ outcome: 'success', exitCode: 2 }]);
});

const wakes: readonly (readonly [command: string, woken: readonly string[]])[] = [
  ['printf "line one\\nline two\\n"; echo err >&2; exit 2', ['line one\nline two\n']],
  ['echo err >&2; exit 2', ['err\n']],
  ['echo out; exit 0', []],
  ['echo out; exit 1', []],
  ['python3 /no/such/file.py', []],
];
test.each(wakes)('asyncRewake: %s', async (line, woken) => {
  await using here = world(one('Stop', line, { asyncRewake: true }));
  await here.hooks.dispatch('Stop', ending, here.scope());
  await here.hooks.waking();
  expect(here.told.woken).toEqual(woken);
  expect(here.notices()).toHaveLength(line.startsWith('python3') ? 1 : 0);
});

test('waking hooks can be waited for, also per session', async () => {
  await using here = world(
    one('Stop', 'until test -e go; do sleep 0.01; done; exit 2', { asyncRewake: true }),
  );
  await here.hooks.dispatch('Stop', ending, here.scope());
  expect([here.hooks.pendingWakes(), here.hooks.pendingWakes(sessionId('other'))]).toEqual([1, 0]);
  await here.hooks.waking(sessionId('other'));
  appendFileSync(join(here.project, 'go'), '');
  await here.hooks.waking();
  expect(here.told.woken).toHaveLength(1);
});

test('hooks that wake the model again and again are stopped until the person speaks', async () => {
  await using here = world(one('Stop', 'echo again; exit 2', { asyncRewake: true }));
  const turn = async () => {
    await here.hooks.dispatch('Stop', ending, here.scope());
    await here.hooks.waking();
  };
  for (let count = 0; count < 12; count += 1) await turn();
  expect(here.told.woken).toHaveLength(8);
  expect(here.notices()).toHaveLength(1);
  expect(here.hooks.listens('UserPromptSubmit')).toBe(true);
  await here.hooks.dispatch('UserPromptSubmit', { prompt: 'go on' }, here.scope());
  await turn();
  expect(here.told.woken).toHaveLength(9);
});

test('a hook may go to the background by itself', async () => {
  await using here = world(
    one(
      'PreToolUse',
      `echo '{"async":true,"asyncTimeout":10000}'; until test -e go; do sleep 0.01; done; echo '{"systemMessage":"later"}'; exit 2`,
    ),
  );
  expect(await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).toEqual({
    context: [],
    systemMessages: [],
  });
  appendFileSync(join(here.project, 'go'), '');
  await expect.poll(() => here.told.later).toEqual(['later']);
});

test('background hooks end with the program', async () => {
  const here = world(one('Stop', 'echo $$ > pid; sleep 600', { async: true }));
  await here.hooks.dispatch('Stop', ending, here.scope());
  await expect.poll(() => lines(join(here.project, 'pid'))[0]).toBeTruthy();
  await here.hooks.close();
  expect(here.told.records).toMatchObject([{ outcome: 'cancelled' }]);
});

test('the last hooks share a short time', async () => {
  await using here = world(one('SessionEnd', 'sleep 600'), {
    env: () => ({ ...process.env, COPPICE_SESSIONEND_HOOKS_TIMEOUT_MS: '200' }),
  });
  const { runs } = await here.hooks.fire('SessionEnd', { reason: 'other' }, here.scope());
  expect(runs[0]?.ran.outcome).toBe('timeout');
});

test('a transcript that cannot be written is a notice, not a failure', async () => {
  await using here = world(one('PreToolUse', 'true'));
  const record = () => Promise.reject(new Error('disk full'));
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope({ record }));
  await expect.poll(() => here.notices()).toEqual([expect.stringContaining('disk full')]);
});

test('secrets are masked in what is shown and kept', async () => {
  await using here = world(one('PreToolUse', 'echo the key is sk-1; echo no sk-1 >&2; exit 2'), {
    mask: (text) => text.replaceAll('sk-1', '***'),
  });
  const verdict = await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(verdict.reason).toBe('no ***');
  expect(here.told.records[0]?.stdout).toBe('the key is ***\n');
});
