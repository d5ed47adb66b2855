import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bash, one, world } from '../hooks/world.ts';

test('stdin is the input document, and it is closed', async () => {
  await using here = world(one('PreToolUse', 'cat > first.json; cat >> first.json'));
  const at = here.scope();
  await here.hooks.dispatch('PreToolUse', bash('ls'), at);
  expect(JSON.parse(readFileSync(join(here.project, 'first.json'), 'utf8'))).toEqual({
    session_id: 'session-1',
    transcript_path: join(here.project, 'session-1.jsonl'),
    cwd: here.project,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    prompt_id: 'prompt-1',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 'toolu_1',
  });
});

const verdicts: readonly (readonly [name: string, event: string, command: string, expected: object])[] = [
  ['exit 0 says nothing', 'PreToolUse', 'true', {}],
  [
    'exit 2 denies a call with stderr',
    'PreToolUse',
    'echo no >&2; exit 2',
    { decision: 'deny', reason: 'no', blocked: 'no' },
  ],
  ['other exit codes are errors, not blocks', 'PreToolUse', 'echo no >&2; exit 1', {}],
  ['127 of a shell that ran is an error', 'PreToolUse', 'no-such-command-here', {}],
  [
    'JSON denies',
    'PreToolUse',
    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}'`,
    { decision: 'deny', reason: 'r', blocked: 'r' },
  ],
  [
    'JSON asks and changes the input',
    'PreToolUse',
    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"command":"ls -l"}}}'`,
    { decision: 'ask', updatedInput: { command: 'ls -l' } },
  ],
  [
    'changed input needs no decision',
    'PreToolUse',
    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}'`,
    { updatedInput: { command: 'ls -l' } },
  ],
  [
    'the old approve is an allow',
    'PreToolUse',
    `echo '{"decision":"approve","reason":"fine"}'`,
    { decision: 'allow', reason: 'fine' },
  ],
  [
    'the old block is a deny',
    'PreToolUse',
    `echo '{"decision":"block","reason":"r"}'`,
    { decision: 'deny', reason: 'r', blocked: 'r' },
  ],
  [
    'a deny without a reason takes the message for it',
    'PreToolUse',
    `echo '{"systemMessage":"careful","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'`,
    { decision: 'deny', reason: 'careful', blocked: 'careful', systemMessages: ['careful'] },
  ],
  [
    'exit 2 cannot be taken back by JSON',
    'PreToolUse',
    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; echo no >&2; exit 2`,
    { decision: 'deny', reason: 'no', blocked: 'no' },
  ],
  [
    'JSON decides beside exit 1',
    'Stop',
    `echo '{"decision":"block","reason":"tests"}'; exit 1`,
    { blocked: 'tests' },
  ],
  ['exit 2 keeps the agent going', 'Stop', 'echo tests fail >&2; exit 2', { blocked: 'tests fail' }],
  [
    'continue:false beats a block at the end',
    'Stop',
    `echo '{"continue":false,"stopReason":"enough","decision":"block","reason":"r"}'`,
    { stop: 'enough' },
  ],
  [
    'plain text is context for a prompt',
    'UserPromptSubmit',
    'echo "<note>hi</note>"',
    { context: ['<note>hi</note>'] },
  ],
  ['plain text is context at the start', 'SessionStart', 'echo branch main', { context: ['branch main'] }],
  ['plain text is nothing elsewhere', 'PostToolUse', 'echo done', {}],
  ['an empty object is nothing', 'SessionStart', 'echo "{}"', {}],
  ['input handed back is nothing', 'UserPromptSubmit', 'cat', {}],
  ['broken JSON is plain text', 'UserPromptSubmit', `echo '{"half":'`, { context: ['{"half":'] }],
  [
    'pretty JSON is JSON',
    'UserPromptSubmit',
    `printf '{\\n  "hookSpecificOutput": {\\n "hookEventName": "UserPromptSubmit",\\n "additionalContext": "c"}\\n}\\n'`,
    { context: ['c'] },
  ],
  [
    "foreign keys are nobody's business",
    'PostToolUse',
    `echo '{"metrics":{"a":1},"result":"block","modifiedToolInput":{}}'`,
    {},
  ],
  [
    'JSON on stderr is text',
    'PreToolUse',
    `echo '{"decision":"approve"}' >&2; exit 2`,
    { decision: 'deny', reason: '{"decision":"approve"}', blocked: '{"decision":"approve"}' },
  ],
  [
    'a permission request is answered',
    'PermissionRequest',
    `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m","interrupt":true}}}'`,
    { decision: 'deny', reason: 'm', blocked: 'm', interrupt: true },
  ],
  [
    'exit 2 means nothing to a permission request',
    'PermissionRequest',
    'echo no >&2; exit 2',
    { systemMessages: [expect.stringContaining('no')] },
  ],
  [
    'a denial may be tried again',
    'PermissionDenied',
    `echo '{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}'`,
    { retry: true },
  ],
  [
    'output is changed',
    'PostToolUse',
    `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"short"}}'`,
    { updatedOutput: 'short' },
  ],
  [
    'a worktree is where the last line says',
    'WorktreeCreate',
    'echo making; echo /tmp/tree; echo',
    { worktreePath: '/tmp/tree' },
  ],
  ['a worktree that failed is none', 'WorktreeCreate', 'echo full >&2; exit 7', { blocked: 'full' }],
  [
    'an event without decisions shows the words',
    'SessionStart',
    'echo no >&2; exit 2',
    { systemMessages: [expect.stringContaining('no')] },
  ],
  [
    'watched paths are handed over',
    'CwdChanged',
    `echo '{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/a"]}}'`,
    { watchPaths: ['/a'] },
  ],
  [
    'a Stop hook of an agent may name Stop',
    'SubagentStop',
    `echo '{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}'`,
    { blocked: 'r', context: ['c'] },
  ],
];

test.each(verdicts)('%s', async (_name, event, command, expected) => {
  await using here = world(one(event, command));
  const { blockedBy: _, ...verdict } = (
    await here.hooks.fire(
      event as 'Stop',
      event.includes('Tool') || event.startsWith('Perm') ? bash('ls') : {},
      here.scope(),
    )
  ).verdict;
  expect(verdict).toEqual({ context: [], systemMessages: [], ...expected });
});

test('errors are one notice that names the hook', async () => {
  await using here = world(one('PreToolUse', 'echo first >&2; echo second >&2; exit 3'));
  const { runs } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(runs.map(({ ran }) => [ran.outcome, ran.exitCode])).toEqual([['error', 3]]);
  expect(here.notices()).toEqual([
    'PreToolUse hook echo first >&2; echo second >&2; exit 3 failed with exit code 3: first',
  ]);
});

test('bash syntax, variables and the checkout as directory', async () => {
  await using here = world(
    one(
      'PreToolUse',
      '[[ $CLAUDE_PROJECT_DIR == "$COPPICE_PROJECT_DIR" ]] && pwd > "$CLAUDE_PROJECT_DIR/where"; env > vars',
    ),
    {
      env: () => ({
        ...process.env,
        ANTHROPIC_API_KEY: 'sk-secret',
        OTEL_X: '1',
        KEPT: 'yes',
        SHELL: '/bin/bash',
      }),
    },
  );
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(readFileSync(join(here.project, 'where'), 'utf8').trim()).toBe(here.project);
  const vars = readFileSync(join(here.project, 'vars'), 'utf8');
  expect(vars).toContain('KEPT=yes');
  expect(vars).toContain('CLAUDECODE=1');
  expect(vars).toContain('CLAUDE_CODE_SESSION_ID=session-1');
  expect(vars).not.toContain('sk-secret');
  expect(vars).not.toContain('OTEL_X');
  expect(vars).not.toContain('CLAUDE_ENV_FILE');
});

test('credentials are passed on when the person says so', async () => {
  await using here = world(one('Stop', 'echo "$ANTHROPIC_API_KEY" > key'), {
    env: () => ({ ...process.env, ANTHROPIC_API_KEY: 'sk-secret' }),
    passCredentials: () => ['ANTHROPIC_API_KEY'],
  });
  await here.hooks.fire('Stop', {}, here.scope());
  expect(readFileSync(join(here.project, 'key'), 'utf8').trim()).toBe('sk-secret');
});

test('start-up hooks have a file for variables', async () => {
  await using here = world(one('SessionStart', 'echo "export A=1" >> "$CLAUDE_ENV_FILE"'), {
    envFile: async ({ project }) => join(project, 'session.env'),
  });
  await here.hooks.fire('SessionStart', { source: 'startup' }, here.scope());
  expect(readFileSync(join(here.project, 'session.env'), 'utf8')).toBe('export A=1\n');
});

test('the argv form starts a program without a shell', async () => {
  await using here = world(one('PreToolUse', 'touch', { args: [`\${CLAUDE_PROJECT_DIR}/a b $(c)`] }));
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(existsSync(join(here.project, 'a b $(c)'))).toBe(true);
});

test('powershell is looked for on PATH', async () => {
  await using here = world(one('Stop', 'Write-Output hi', { shell: 'powershell' }), {
    env: () => ({ ...process.env, PATH: `${here.project}:${process.env.PATH}` }),
  });
  writeFileSync(join(here.project, 'pwsh'), '#!/bin/sh\nprintf "%s\\n" "$@" > argv\n', { mode: 0o755 });
  await here.hooks.fire('Stop', {}, here.scope());
  expect(readFileSync(join(here.project, 'argv'), 'utf8').trim().split('\n')).toEqual([
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    'Write-Output hi',
  ]);
});

test('a program that is not there leaves the call in doubt', async () => {
  await using here = world(one('PreToolUse', '/no/such/gate', { args: [] }));
  const { verdict, runs } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(verdict.uncertain).toContain('/no/such/gate could not start');
  expect(runs[0]?.ran.outcome).toBe('error');
});

test('onFailure block closes the gate', async () => {
  for (const command of ['exit 1', 'kill -9 $$', 'no-such-command-here']) {
    await using here = world(one('PreToolUse', command, { onFailure: 'block' }));
    const verdict = await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
    expect([command, verdict.decision]).toEqual([command, 'deny']);
  }
});

test('a killed hook leaves the call in doubt', async () => {
  await using here = world(one('PreToolUse', 'kill -9 $$'));
  expect((await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).uncertain).toContain(
    'was killed',
  );
});

test('a missing script is not a decision, except before a call', async () => {
  const command = 'python3 /no/such/hook.py';
  await using stop = world(one('Stop', command));
  expect(
    await stop.hooks.dispatch(
      'Stop',
      { stop_hook_active: false, last_assistant_message: '', background_tasks: [], session_crons: [] },
      stop.scope(),
    ),
  ).toEqual({ context: [], systemMessages: [] });
  expect(stop.notices()).toEqual([expect.stringContaining('could not start')]);
  await using call = world(one('PreToolUse', command));
  expect((await call.hooks.dispatch('PreToolUse', bash('ls'), call.scope())).decision).toBe('deny');
});

test('a hook may delete the directory it runs in', async () => {
  await using here = world(one('PreToolUse', 'rm -rf "$CLAUDE_PROJECT_DIR"; exit 2'));
  expect((await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).decision).toBe('deny');
  expect((await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).decision).toBe('deny');
  rmSync(here.project, { recursive: true, force: true });
});

test('too much output is cut, and everything is read', async () => {
  await using here = world(one('PreToolUse', 'head -c 20000000 /dev/zero; echo no >&2; exit 2'));
  const { verdict, runs } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(verdict.decision).toBe('deny');
  expect(runs[0]?.ran.stdout.length).toBe(1024 * 1024);
  expect(here.notices()).toEqual([expect.stringContaining('more than 1 MB')]);
  expect(here.told.records[0]?.stdout.length).toBeLessThan(11_000);
});

test('a decision that was cut off leaves the call in doubt', async () => {
  await using here = world(one('PreToolUse', `printf '{"x":"'; head -c 2000000 /dev/zero | tr '\\0' x`));
  const { verdict } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
  expect(verdict.uncertain).toContain('more than 1 MB');
});

test('long context goes to a file, with a preview', async () => {
  await using here = world(one('SessionStart', 'head -c 30000 /dev/zero | tr "\\0" x'), {
    spill: (at) => async (text) => {
      writeFileSync(join(at.session.project, 'spilled'), text);
      return join(at.session.project, 'spilled');
    },
  });
  const { verdict } = await here.hooks.fire('SessionStart', { source: 'startup' }, here.scope());
  expect(verdict.context[0]?.length).toBeLessThan(3000);
  expect(verdict.context[0]).toContain(join(here.project, 'spilled'));
  expect(readFileSync(join(here.project, 'spilled'), 'utf8').length).toBe(30_000);
});
