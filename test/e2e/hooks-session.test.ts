/** Hooks through the whole program: what the model is sent, what lands on disk, what the stream tells. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { reply, type Step, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const SCRIPTS = join(import.meta.dirname, '../hooks/scripts');
const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const on = (event: string, text: string, more: object = {}, matcher?: string) => ({
  [event]: [{ ...(matcher ? { matcher } : {}), hooks: [command(text, more)] }],
});

const setUp = async (
  hooks: unknown,
  script: readonly Step<Received>[],
  files: Readonly<Record<string, string>> = {},
) => {
  const server = await modelServer(script);
  const repo = await tempRepo({
    server,
    files: { '.claude/settings.json': JSON.stringify({ hooks }), ...files },
  });
  cpSync(SCRIPTS, join(repo.path, '.claude/hooks'), { recursive: true });
  const ask = (prompt: string, ...flags: string[]) =>
    runCoppice(repo, ['-p', prompt, '--trust', '--permission-mode', 'acceptEdits', ...flags]);
  return {
    server,
    repo,
    ask,
    sent: (at: number) => JSON.stringify(server.requests.at(at)?.body.messages ?? null),
    async [Symbol.asyncDispose]() {
      await repo.dispose();
      await server.close();
    },
  };
};
const lines = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as Readonly<Record<string, unknown>>);

test('a denied call never runs, and the model reads why', async () => {
  await using here = await setUp(
    on('PreToolUse', '"$CLAUDE_PROJECT_DIR"/.claude/hooks/block-dangerous-rm.py', {}, 'Bash'),
    [reply(use('Bash', { command: 'rm -rf ~/ && touch ran', description: 'd' })), say('understood')],
  );
  const ran = await here.ask('clean up', '--allowedTools', 'Bash');
  expect([ran.code, ran.stdout]).toEqual([0, 'understood\n']);
  expect(here.sent(1)).toContain('BLOCKED: rm -rf of ~/ is not allowed here');
  expect(existsSync(join(here.repo.path, 'ran'))).toBe(false);
});

test('context from start and prompt, variables for commands, changed input, words after the result', async () => {
  await using here = await setUp(
    {
      ...on('SessionStart', 'echo "the moon is full"; echo "export HOOKED=yes" >> "$CLAUDE_ENV_FILE"'),
      ...on('UserPromptSubmit', 'echo "<note>ask twice</note>"'),
      ...on(
        'PreToolUse',
        `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo was $HOOKED > out"}}}'`,
        {},
        'Bash',
      ),
      ...on(
        'PostToolUse',
        `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"remember the tests"}}'`,
        {},
        'Bash',
      ),
      ...on('SessionEnd', 'cat > end.json'),
    },
    [reply(use('Bash', { command: 'echo was > out', description: 'd' })), say('done')],
  );
  expect((await here.ask('go')).code).toBe(0);
  expect(here.sent(0)).toContain('the moon is full');
  expect(here.sent(0)).toContain('<note>ask twice</note>');
  expect(readFileSync(join(here.repo.path, 'out'), 'utf8')).toBe('was yes\n');
  expect(here.sent(1)).toContain('remember the tests');
  expect(JSON.parse(readFileSync(join(here.repo.path, 'end.json'), 'utf8'))).toMatchObject({
    hook_event_name: 'SessionEnd',
    reason: 'other',
  });
});

test('a refused prompt is not sent', async () => {
  await using here = await setUp(on('UserPromptSubmit', 'echo not this >&2; exit 2'), []);
  const ran = await here.ask('secret');
  expect(here.server.requests).toHaveLength(0);
  expect(ran.stderr).toContain('not this');
});

test('a Stop hook keeps the agent going until the tests pass', async () => {
  await using here = await setUp(
    on('Stop', '"$CLAUDE_PROJECT_DIR"/.claude/hooks/until-tests-pass.sh'),
    [say('done?'), reply(use('Write', { file_path: 'ok', content: 'x' })), say('now done')],
    {},
  );
  await here.repo.write('run-tests.sh', '#!/bin/sh\ntest -e ok || { echo "ok is missing"; exit 1; }\n');
  await here.repo.git('update-index', '--refresh').catch(() => '');
  const { chmod } = await import('node:fs/promises');
  await chmod(join(here.repo.path, 'run-tests.sh'), 0o755);
  const ran = await here.ask('make it pass');
  expect(ran.stdout).toBe('now done\n');
  expect(here.sent(1)).toContain('Tests fail (round 1):');
});

test('a waking hook brings the model back, in a run without a person too', async () => {
  await using here = await setUp(
    on(
      'PostToolUse',
      'test -e woken || { touch woken; sleep 0.5; echo "the build broke: line 7"; exit 2; }',
      { asyncRewake: true },
      'Bash',
    ),
    [reply(use('Bash', { command: 'ls', description: 'd' })), say('first'), say('fixed')],
  );
  const ran = await here.ask('go');
  expect(ran.stdout).toBe('fixed\n');
  expect(here.sent(2)).toContain('the build broke: line 7');
});

test('a plain background hook ends with a run without a person, which stays a success', async () => {
  await using here = await setUp(on('UserPromptSubmit', 'sleep 300', { async: true }), [say('hi')]);
  const ran = await here.ask('hello');
  expect(ran).toMatchObject({ code: 0, stdout: 'hi\n', stderr: '' });
});

test('hook runs are told in the stream and kept in the transcript', async () => {
  await using here = await setUp(on('UserPromptSubmit', 'exit 0', { statusMessage: 'Looking closely' }), [
    say('hi'),
  ]);
  const ran = await here.ask('hello', '--output-format', 'stream-json', '--verbose', '--include-hook-events');
  const told = lines(ran.stdout).filter((line) => JSON.stringify(line).includes('UserPromptSubmit'));
  expect(told.length).toBeGreaterThanOrEqual(2);
  const id = String(lines(ran.stdout)[0]?.session_id);
  const shown = await runCoppice(here.repo, ['hooks', 'replay', id, '--json', '--trust']);
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { event: 'UserPromptSubmit', outcome: 'success', input: { prompt: 'hello' } },
  ]);
  const again = await runCoppice(here.repo, ['hooks', 'replay', id, '--json', '--trust', '--run', '--yes']);
  expect(JSON.parse(again.stdout)).toMatchObject([{ differences: [] }]);
});

test('once holds across a resume', async () => {
  await using here = await setUp(on('UserPromptSubmit', 'echo ran >> log', { once: true }), [
    say('one'),
    say('two'),
  ]);
  await here.ask('a');
  await here.ask('b', '--continue');
  expect(readFileSync(join(here.repo.path, 'log'), 'utf8')).toBe('ran\n');
});

test('a prompt hook asks the small model', async () => {
  await using here = await setUp(
    { Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is the work finished? $ARGUMENTS' }] }] },
    [say('half'), say('whole')],
  );
  let asked = 0;
  here.server.always('You decide for a hook', () =>
    say(asked++ === 0 ? '{"ok": false, "reason": "only half"}' : '{"ok": true}'),
  );
  const ran = await here.ask('work');
  expect(ran.stdout).toBe('whole\n');
  const question = here.server.requests.find((one) =>
    JSON.stringify(one.body.system).includes('You decide for a hook'),
  );
  expect(question?.body.model).toContain('haiku');
  expect(JSON.stringify(question?.body.messages)).toContain('hook_event_name');
});

test('an agent hook sends a verifier that reads, and hooks of its kind stay out of it', async () => {
  const hooks = {
    ...on('SubagentStart', 'cat >> started'),
    Stop: [{ hooks: [{ type: 'agent', prompt: 'Does notes.txt say finished? $ARGUMENTS' }] }],
    PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'agent', prompt: 'never asked' }] }],
  };
  const verdicts = ['{"ok": false, "reason": "notes.txt is missing"}', '{"ok": true}'];
  await using here = await setUp(hooks, [say('half'), say('whole')], { 'notes.txt': 'finished' });
  here.server.lane(
    'You verify one thing for Coppice',
    reply(use('Read', { file_path: join(here.repo.path, 'notes.txt') })),
    say(verdicts[0] ?? ''),
    say(verdicts[1] ?? ''),
  );
  const ran = await here.ask('work');
  expect([ran.stdout, here.server.violations]).toEqual(['whole\n', []]);
  expect(
    JSON.parse(readFileSync(join(here.repo.path, 'started'), 'utf8').replace(/\}\{[\s\S]*/, '}')),
  ).toMatchObject({ agent_type: 'verify' });
  const verifier = here.server.requests.filter((one) =>
    one.system.includes('You verify one thing for Coppice'),
  );
  expect(verifier.map((one) => one.tools.toSorted())).toEqual(verifier.map(() => ['Glob', 'Grep', 'Read']));

  here.server.lane('You verify one thing for Coppice', say('{"ok": false, "reason": "tried"}'));
  const tried = await runCoppice(here.repo, ['hooks', 'run', 'Stop', '--json', '--trust']);
  expect(JSON.parse(tried.stdout)).toMatchObject({
    runs: [{ type: 'agent', outcome: 'blocked' }],
    verdict: { decision: 'block', reason: 'tried' },
  });
});
