/**
 * Hook scripts of the kinds people have, each run twice with the same input: by hand, as its author would try it, and
 * unchanged through the program, from a `.claude` home.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookEvent, HookVerdict } from '../../src/contract/hook.ts';
import { parseHooks } from '../../src/hooks/parse.ts';
import { origin, world } from '../hooks/world.ts';

const SCRIPTS = join(import.meta.dirname, '../hooks/scripts');

interface Place {
  readonly project: string;
  readonly home: string;
}
interface Case {
  readonly name: string;
  readonly script: string;
  /** Words after the script on the command line. */
  readonly words?: string;
  readonly event: HookEvent;
  readonly input: (place: Place) => Readonly<Record<string, unknown>>;
  /** Prepares the project, also between the two ways of running. */
  readonly files?: Readonly<Record<string, string>>;
  /** What its author sees: exit code, and words on stdout or stderr. */
  readonly byHand: { readonly code: number; readonly says?: RegExp };
  readonly verdict: Partial<HookVerdict> | ((place: Place) => Partial<HookVerdict>);
  readonly after?: (place: Place) => void;
}

const bash = (command: string) => () => ({
  tool_name: 'Bash',
  tool_input: { command, description: 'd' },
  tool_use_id: 't',
});
const denied = (reason: string) => ({ decision: 'deny' as const, reason, blocked: reason });
const has = (text: string): string => expect.stringContaining(text);
const lines = (path: string) => readFileSync(path, 'utf8').trim().split('\n');
const edited =
  (name: string, more: object = {}) =>
  ({ project }: Place) => ({
    tool_name: 'Edit',
    tool_input: { file_path: join(project, name), old_string: 'a', new_string: 'b', ...more },
    tool_use_id: 't',
    tool_response: { filePath: join(project, name), success: true },
  });
const ended =
  (active: boolean, text = '') =>
  () => ({
    stop_hook_active: active,
    last_assistant_message: text,
    background_tasks: [],
    session_crons: [],
  });
const FAILING = '#!/bin/sh\necho "1 test failed: adds"\nexit 1\n';
const WROTE = `${[
  { type: 'user', message: { role: 'user', content: 'change it' } },
  {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', name: 'Edit', input: { file_path: '/p/a.ts' } }] },
  },
]
  .map((one) => JSON.stringify(one))
  .join('\n')}\n`;
const RAN = `${WROTE}${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }] } })}\n`;

const cases: readonly Case[] = [
  {
    name: 'a recursive delete is refused and logged',
    script: 'block-dangerous-rm.py',
    event: 'PreToolUse',
    input: bash('cd /tmp && sudo rm -fr ~/'),
    byHand: { code: 2, says: /BLOCKED/ },
    verdict: denied('BLOCKED: rm -rf of ~/ is not allowed here'),
    after: ({ project }) =>
      expect(JSON.parse(readFileSync(join(project, 'logs/pre_tool_use.json'), 'utf8'))).toHaveLength(2),
  },
  {
    name: 'an ordinary delete passes',
    script: 'block-dangerous-rm.py',
    event: 'PreToolUse',
    input: bash('rm -rf ./build'),
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'a secret file is not read',
    script: 'protect-env-files.py',
    event: 'PreToolUse',
    input: ({ project }) => ({
      tool_name: 'Read',
      tool_input: { file_path: join(project, '.env') },
      tool_use_id: 't',
    }),
    byHand: { code: 0, says: /"permissionDecision": "deny"/ },
    verdict: ({ project }) => denied(`${project}/.env holds secrets; use ${project}/.env.sample instead`),
  },
  {
    name: 'pushing asks',
    script: 'protect-env-files.py',
    event: 'PreToolUse',
    input: bash('git push'),
    byHand: { code: 0 },
    verdict: { decision: 'ask', reason: 'pushing is for people' },
  },
  {
    name: 'an empty object is no opinion',
    script: 'protect-env-files.py',
    event: 'PreToolUse',
    input: bash('ls'),
    byHand: { code: 0, says: /^\{\}$/m },
    verdict: {},
  },
  {
    name: 'a file is formatted after an edit',
    script: 'format-after-edit.sh',
    event: 'PostToolUse',
    input: edited('a.json'),
    files: { 'a.json': '{"a":1}   \n' },
    byHand: { code: 0, says: /additionalContext/ },
    verdict: { context: ['a.json: formatted'] },
    after: ({ project }) => expect(readFileSync(join(project, 'a.json'), 'utf8')).toBe('{\n  "a": 1\n}\n'),
  },
  {
    name: 'a broken file comes back to the model',
    script: 'format-after-edit.sh',
    event: 'PostToolUse',
    input: edited('a.json'),
    files: { 'a.json': '{"a":' },
    byHand: { code: 2 },
    verdict: { blocked: 'a.json is not valid JSON; fix it before going on' },
  },
  {
    name: 'everything is logged and handed on',
    script: 'log-everything.js',
    event: 'UserPromptSubmit',
    input: () => ({ prompt: 'hello' }),
    byHand: { code: 0, says: /"prompt":"hello"/ },
    verdict: {},
    after: ({ home }) =>
      expect(lines(join(home, '.claude/logs/events.jsonl')).map((one) => JSON.parse(one).about)).toEqual([
        'hello',
        'hello',
      ]),
  },
  {
    name: 'a logged start adds no context',
    script: 'log-everything.js',
    event: 'SessionStart',
    input: () => ({ source: 'startup' }),
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'a prompt gets context as plain text that begins like a tag',
    script: 'prompt-context.sh',
    event: 'UserPromptSubmit',
    input: () => ({ prompt: 'please deploy' }),
    files: { 'TODO.md': '- [ ] one\n- [x] two\n' },
    byHand: { code: 0, says: /^<project-context>/ },
    verdict: {
      context: [
        '<project-context>\nbranch: none\nchanged files: 0\nopen items: 1\nhint: read docs/deploy.md before you deploy\n</project-context>',
      ],
    },
  },
  {
    name: 'a prompt with a key is refused',
    script: 'prompt-context.sh',
    event: 'UserPromptSubmit',
    input: () => ({ prompt: 'use AKIAABCDEFGHIJKLMNOP' }),
    byHand: { code: 2 },
    verdict: { blocked: 'The prompt holds a key. Take it out and send it again.' },
  },
  {
    name: 'a session knows the one before and has its variables',
    script: 'session-context.py',
    event: 'SessionStart',
    input: () => ({ source: 'resume', model: 'm' }),
    byHand: { code: 0, says: /"additionalContext"/ },
    verdict: { context: [has('was here before.\nPROJECT_SESSION is set.')] },
    after: ({ project }) =>
      expect(lines(join(project, 'session.env'))).toContain('export PROJECT_SESSION="session-1"'),
  },
  {
    name: 'failing tests keep the agent going',
    script: 'until-tests-pass.sh',
    event: 'Stop',
    input: ended(false),
    files: { 'run-tests.sh': FAILING },
    byHand: { code: 0, says: /"decision": "block"/ },
    verdict: { blocked: 'Tests fail (round 1):\n1 test failed: adds' },
  },
  {
    name: 'it gives up after three rounds: stopping beats blocking',
    script: 'until-tests-pass.sh',
    event: 'Stop',
    input: ended(true),
    files: { 'run-tests.sh': FAILING, '.stop-session-1': '2' },
    byHand: { code: 0, says: /"continue": false/ },
    verdict: { stop: 'tests still fail after 3 rounds' },
  },
  {
    name: 'passing tests end it',
    script: 'until-tests-pass.sh',
    event: 'Stop',
    input: ended(true),
    files: { 'run-tests.sh': '#!/bin/sh\nexit 0\n' },
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'code without a test run is sent back',
    script: 'review-before-stop.js',
    event: 'Stop',
    input: ended(false),
    files: { 'session-1.jsonl': WROTE },
    byHand: { code: 2 },
    verdict: { blocked: 'You changed /p/a.ts and ran no test. Run the tests, then finish.' },
  },
  {
    name: 'code with a test run is done',
    script: 'review-before-stop.js',
    event: 'Stop',
    input: ended(false),
    files: { 'session-1.jsonl': RAN },
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'it is sent back only once',
    script: 'review-before-stop.js',
    event: 'Stop',
    input: ended(true),
    files: { 'session-1.jsonl': WROTE },
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'a command is rewritten, with nothing but the changed key',
    script: 'rewrite-command.py',
    event: 'PreToolUse',
    input: bash('npm install left-pad'),
    byHand: { code: 0 },
    verdict: {
      updatedInput: { command: 'pnpm install left-pad' },
      context: ['ran `pnpm install left-pad` instead of `npm install left-pad`'],
    },
  },
  {
    name: 'the old words for no',
    script: 'rewrite-command.py',
    event: 'PreToolUse',
    input: bash('curl x'),
    byHand: { code: 0 },
    verdict: denied('curl: use the WebFetch tool'),
  },
  {
    name: 'the old words for yes',
    script: 'rewrite-command.py',
    event: 'PreToolUse',
    input: bash('ls -l'),
    byHand: { code: 0 },
    verdict: { decision: 'allow', reason: 'harmless' },
  },
  {
    name: 'a permission question is answered with rules to keep',
    script: 'answer-permission.sh',
    event: 'PermissionRequest',
    input: () => ({
      tool_name: 'Bash',
      tool_input: { command: 'npm test -- a' },
      permission_suggestions: [],
    }),
    byHand: { code: 0 },
    verdict: {
      decision: 'allow',
      updatedInput: { command: 'npm test -- a', timeout: 600_000 },
      permissionUpdates: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
          behavior: 'allow',
          destination: 'session',
        },
      ],
    },
  },
  {
    name: 'a permission question is refused for good',
    script: 'answer-permission.sh',
    event: 'PermissionRequest',
    input: () => ({ tool_name: 'Bash', tool_input: { command: 'sudo reboot' }, permission_suggestions: [] }),
    byHand: { code: 0 },
    verdict: { ...denied('never on this machine'), interrupt: true },
  },
  {
    name: 'other questions stay with the person',
    script: 'answer-permission.sh',
    event: 'PermissionRequest',
    input: () => ({ tool_name: 'WebFetch', tool_input: { url: 'https://x' }, permission_suggestions: [] }),
    byHand: { code: 0, says: /^$/ },
    verdict: {},
  },
  {
    name: 'a commit subject out of form is refused',
    script: 'commit-message.sh',
    event: 'PreToolUse',
    input: bash('git add . && git commit -m "Fixed stuff."'),
    byHand: { code: 2 },
    verdict: denied(
      'The commit subject does not fit:\n- begin with feat:, fix:, docs:, test:, refactor: or chore:\n- leave out the full stop',
    ),
  },
  {
    name: 'a good commit subject passes',
    script: 'commit-message.sh',
    event: 'PreToolUse',
    input: bash("git commit -m 'fix(ui): keep the cursor'"),
    byHand: { code: 0 },
    verdict: {},
  },
  {
    name: 'a risk is named once in a session',
    script: 'remind-once.py',
    event: 'PreToolUse',
    input: edited('a.js', { new_string: 'eval(x)' }),
    byHand: { code: 2 },
    // By hand it has been said: state in a file.
    verdict: {},
    after: ({ home }) => expect(existsSync(join(home, '.claude/reminders_session-1.json'))).toBe(true),
  },
  {
    name: 'a reviewer that did not conclude goes on',
    script: 'subagent-report.mjs',
    event: 'SubagentStop',
    input: () => ({
      ...ended(false, 'looked around')(),
      agent_id: 'a1',
      agent_type: 'code-reviewer',
      agent_transcript_path: '/none',
    }),
    byHand: { code: 0, says: /"decision": "block"/ },
    verdict: {
      blocked: 'End with one line that says PASS or FAIL, and why.',
      systemMessages: ['code-reviewer did not conclude'],
    },
    after: ({ project }) =>
      expect(
        lines(join(project, '.claude/reports/agents.jsonl')).map((one) => JSON.parse(one).agent),
      ).toEqual(['a1', 'a1']),
  },
  {
    name: 'a transcript is saved before compaction',
    script: 'backup-before-compact.py',
    event: 'PreCompact',
    input: () => ({ trigger: 'manual', custom_instructions: '' }),
    files: { 'session-1.jsonl': '{}\n' },
    byHand: { code: 0, says: /backed up/ },
    verdict: {},
    after: ({ project }) =>
      expect(existsSync(join(project, '.claude/backups/session-1-manual-1.jsonl'))).toBe(true),
  },
  {
    name: 'no compaction during a release',
    script: 'backup-before-compact.py',
    event: 'PreCompact',
    input: () => ({ trigger: 'auto', custom_instructions: '' }),
    files: { RELEASE_IN_PROGRESS: '' },
    byHand: { code: 0 },
    verdict: { blocked: 'A release is being made; compact afterwards.' },
  },
  {
    name: 'a known failure gets its advice',
    script: 'explain-failure.jq',
    event: 'PostToolUseFailure',
    input: () => ({ ...bash('npm start')(), error: 'Error: listen EADDRINUSE :::3000', duration_ms: 5 }),
    byHand: { code: 0 },
    verdict: { context: ['The port is taken: find the process with `lsof -i` before you start another.'] },
  },
  {
    name: 'an interruption is not explained',
    script: 'explain-failure.jq',
    event: 'PostToolUseFailure',
    input: () => ({ ...bash('x')(), error: 'timed out', is_interrupt: true, duration_ms: 5 }),
    byHand: { code: 0, says: /^$/ },
    verdict: {},
  },
  {
    name: 'a script without an interpreter line runs',
    script: 'run-hook.cmd',
    words: 'start',
    event: 'SessionStart',
    input: () => ({ source: 'startup', model: 'm' }),
    files: { '.claude/hooks/skills/tidy.md': 'Keep "things" tidy\nmore\n' },
    byHand: { code: 0, says: /"additionalContext": "tidy: Keep \\"things\\" tidy"/ },
    verdict: { context: ['tidy: Keep "things" tidy'] },
  },
  {
    name: 'a name that is not there is an error and no more',
    script: 'run-hook.cmd',
    words: 'nope',
    event: 'SessionStart',
    input: () => ({ source: 'startup', model: 'm' }),
    byHand: { code: 1 },
    verdict: {},
  },
  {
    name: 'a task with open checks is not done',
    script: 'task-gate.js',
    event: 'TaskCompleted',
    input: () => ({ task_id: '7', task_subject: 'Build it' }),
    files: { 'checks/7.md': '- [x] a\n- [ ] b\n' },
    byHand: { code: 2 },
    verdict: { blocked: 'Task 7 has open checks: b' },
  },
  {
    name: 'a task that is done says so',
    script: 'task-gate.js',
    event: 'TaskCompleted',
    input: () => ({ task_id: '8', task_subject: 'Build it' }),
    byHand: { code: 0 },
    verdict: { systemMessages: ['Task 8 is done.'] },
  },
];

const setUp = (files: Readonly<Record<string, string>>, project: string) => {
  cpSync(SCRIPTS, join(project, '.claude/hooks'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text, { mode: 0o755 });
  }
};

const prepared = (one: Pick<Case, 'script' | 'words' | 'event'>) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  const command = `"$CLAUDE_PROJECT_DIR"/.claude/hooks/${one.script}${one.words ? ` ${one.words}` : ''}`;
  const raw = { [one.event]: [{ matcher: '*', hooks: [{ type: 'command', command, timeout: 30 }] }] };
  const env = () => ({ ...process.env, HOME: home });
  const plugin = join(tmpdir(), 'no-plugin');
  const source = parseHooks(raw, origin({ foreign: true })).source;
  const here = world([source], { env, envFile: async ({ project }) => join(project, 'session.env') });
  const withRoot = {
    ...source,
    pluginRoot: one.script.endsWith('.cmd') ? join(here.project, '.claude/hooks') : plugin,
  };
  return { here, home, command, env: env(), source: withRoot };
};

test.each(cases)('$script: $name', async (one) => {
  const { here, home, command, env, source } = prepared(one);
  const place = { project: here.project, home };
  const at = here.scope({ extra: [source] });
  const common = {
    session_id: 'session-1',
    transcript_path: at.transcriptPath,
    cwd: here.project,
    permission_mode: 'default',
    hook_event_name: one.event,
  };
  const input = one.input(place);
  setUp(one.files ?? {}, here.project);
  const tried = spawnSync('bash', ['-c', command], {
    cwd: here.project,
    input: JSON.stringify({ ...common, ...input }),
    encoding: 'utf8',
    env: {
      ...env,
      CLAUDE_PROJECT_DIR: here.project,
      CLAUDE_PLUGIN_ROOT: source.pluginRoot,
      CLAUDE_ENV_FILE: join(here.project, 'by-hand.env'),
    },
  });
  expect([tried.status, tried.stderr]).toEqual([
    one.byHand.code,
    one.byHand.code === 0 ? '' : expect.any(String),
  ]);
  expect(tried.stdout.trim() + tried.stderr.trim()).toMatch(one.byHand.says ?? /(?:)/);

  setUp(one.files ?? {}, here.project);
  await using plain = world([source], {
    env: () => env,
    envFile: async () => join(here.project, 'session.env'),
  });
  const { verdict, runs } = await plain.hooks.fire(one.event, input, { ...at, extra: [] });
  const { blockedBy: _, ...said } = verdict;
  const expected = typeof one.verdict === 'function' ? one.verdict(place) : one.verdict;
  expect(said).toEqual({ context: [], systemMessages: [], ...expected });
  expect(runs.map(({ ran }) => ran.outcome)).not.toContain('timeout');
  one.after?.(place);
});

test('a notifier that reads nothing and leaves children behind holds nobody up', async () => {
  const { here, home, env, source } = prepared({ script: 'notify-in-background.sh', event: 'Notification' });
  setUp({}, here.project);
  const plain = world([source], { env: () => env });
  const { runs } = await plain.hooks.fire(
    'Notification',
    { message: 'm', notification_type: 'idle_prompt' },
    here.scope(),
  );
  expect(runs[0]?.ran).toMatchObject({ outcome: 'success', exitCode: 0, stdout: 'notification sent\n' });
  expect(lines(join(home, '.claude/notify.log'))).toEqual([expect.stringContaining('notified')]);
  await plain.hooks.close();
});
