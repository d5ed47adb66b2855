import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hookRow } from '../../src/hooks/listing.ts';
import { trialReport } from '../../src/hooks/trial.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const SCRIPTS = join(import.meta.dirname, '../hooks/scripts');

/** A repository as people have them: hooks in `.claude/settings.json`, scripts beside it. */
const place = async (hooks: unknown) => {
  const repo = await tempRepo({ files: { '.claude/settings.json': JSON.stringify({ hooks }) } });
  cpSync(SCRIPTS, join(repo.path, '.claude/hooks'), { recursive: true });
  return repo;
};
const fires = async (
  repo: Awaited<ReturnType<typeof place>>,
  event: string,
  input: object,
  ...more: string[]
) => {
  const ran = await runCoppice(repo, ['hooks', 'run', event, '--input', '-', '--json', '--trust', ...more], {
    stdin: JSON.stringify(input),
  });
  expect([ran.code, ran.signal]).toEqual([0, null]);
  return trialReport.parse(JSON.parse(ran.stdout));
};
const one = (event: string, command: string, more: object = {}) => ({
  [event]: [{ matcher: '*', hooks: [{ type: 'command', command, ...more }] }],
});
const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

test('a real script decides, a call that is fine passes', async () => {
  await using repo = await place(
    one('PreToolUse', '"$CLAUDE_PROJECT_DIR"/.claude/hooks/block-dangerous-rm.py'),
  );
  expect((await fires(repo, 'PreToolUse', bash('rm -rf /'))).verdict).toMatchObject({
    decision: 'deny',
    blocked: true,
  });
  expect((await fires(repo, 'PreToolUse', bash('rm -rf ./dist'))).verdict).toMatchObject({
    decision: null,
    blocked: false,
  });
});

test('an untrusted project runs none of its hooks and says so', async () => {
  await using repo = await place(one('PreToolUse', 'exit 2'));
  const ran = await runCoppice(repo, ['hooks', 'run', 'PreToolUse', '--json']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ matched: 0, verdict: { blocked: false } });
  expect(ran.stderr).toContain('not trusted');
});

const stuck: readonly (readonly [command: string, outcome: string])[] = [
  ['echo $$ > pid; sleep 600', 'timeout'],
  ['echo $$ > pid; sleep 600 & exit 0', 'success'],
  ['trap "" TERM; echo $$ > pid; sleep 600; sleep 600', 'timeout'],
  ['echo $$ > pid; cat; cat', 'success'],
];
test.concurrent.each(stuck)('nothing is left of %s', async (command, outcome) => {
  await using repo = await place(one('PreToolUse', command, { timeout: 0.5 }));
  const report = await fires(repo, 'PreToolUse', bash('ls'));
  expect(report.runs.map((run) => run.outcome)).toEqual([outcome]);
  expect(report.verdict.decision).toBe(outcome === 'timeout' ? 'ask' : null);
  expect(report.notices).toHaveLength(outcome === 'timeout' ? 1 : 0);
  const pid = Number(readFileSync(join(repo.path, 'pid'), 'utf8'));
  await vi.waitUntil(() => {
    try {
      process.kill(-pid, 0);
      return false;
    } catch {
      return true;
    }
  }, 8000);
});

test('a broken file keeps its good parts, and the list says what is wrong', async () => {
  await using repo = await place({
    BeforeTool: [],
    '// PostToolUse': 'off',
    PostToolUse: { matcher: 'Edit', hooks: [{ type: 'command', command: 'true' }] },
    PreToolUse: [
      { matcher: 'tools:Write AND file_paths:**/*.py', hooks: [{ type: 'command', command: 'true' }] },
      {
        matcher: 'Write,Edit,MultiEdit',
        hooks: [{ type: 'command' }, { type: 'command', command: 'echo good', timeout: 5000 }],
      },
    ],
  });
  expect(await fires(repo, 'PreToolUse', { tool_name: 'Edit', tool_input: {} })).toMatchObject({
    matched: 1,
    runs: [{ stdout: 'good\n' }],
  });
  const listed = await runCoppice(repo, ['hooks', 'list', '--json', '--trust']);
  const rows = hookRow.array().parse(JSON.parse(listed.stdout));
  expect(rows.map(({ event, type, active, problem }) => [event, type, active, problem !== null])).toEqual([
    ['PostToolUse', 'command', true, true],
    ['PreToolUse', 'command', true, true],
    ['PreToolUse', 'command', true, false],
    ['BeforeTool', null, false, true],
    ['PreToolUse', 'command', false, true],
  ]);
});

test.each([
  [['hooks', 'run', 'Bogus'], ''],
  [['hooks', 'run', 'Stop', '--input', '/no/such/file'], ''],
  [['hooks', 'run', 'Stop', '--input', '-'], '{"half":'],
  [['hooks', 'run'], ''],
])('%j is wrong use', async (args, stdin) => {
  await using repo = await place({});
  expect(await runCoppice(repo, args, { stdin })).toMatchObject({ code: 2, stdout: '' });
});
