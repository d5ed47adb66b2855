import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookEvents } from '../../src/hooks/events.ts';
import { inForce } from '../../src/hooks/in-force.ts';
import { legacyNeeds } from '../../src/hooks/legacy.ts';
import { hookRow, hookRows } from '../../src/hooks/listing.ts';
import { parseHooks } from '../../src/hooks/parse.ts';
import { hookTable } from '../../src/hooks/table.ts';
import {
  readTrial,
  recordedRuns,
  replayRuns,
  runTrial,
  type TrialPlace,
  trialReport,
} from '../../src/hooks/trial.ts';
import { bash, one, origin, type World, world } from '../hooks/world.ts';

const place = (here: World): TrialPlace => ({
  cwd: here.project,
  project: here.project,
  transcriptPath: join(here.project, 't.jsonl'),
  newId: () => 'new',
  emit: (body) => void here.told.events.push(body),
  signal: new AbortController().signal,
});

test('a request is an event and an object', () => {
  expect(readTrial('Stop', undefined)).toEqual({ event: 'Stop', given: {} });
  expect(readTrial('Stop', ' {"a":1}\n')).toEqual({ event: 'Stop', given: { a: 1 } });
  expect(readTrial('Nope', '{}')).toEqual({ usage: expect.stringContaining('no hook event named Nope') });
  expect(readTrial('Stop', '{')).toEqual({ usage: expect.stringContaining('not JSON') });
  expect(readTrial('Stop', '[]')).toEqual({ usage: expect.stringContaining('one JSON object') });
});

test('a trial gives what was given, fills in the rest, and reports', async () => {
  await using here = world(one('PreToolUse', 'cat > seen; echo no >&2; exit 2', {}, 'Bash'));
  const given = { session_id: 's', cwd: '/tmp', permission_mode: 'plan', ...bash('rm -rf /') };
  const report = await runTrial(here.hooks, 'PreToolUse', given, place(here));
  expect(trialReport.parse(report)).toEqual({
    event: 'PreToolUse',
    matched: 1,
    runs: [
      {
        type: 'command',
        label: 'cat > seen; echo no >&2; exit 2',
        source: 'project',
        path: join(here.project, '.coppice/settings.json'),
        exitCode: 2,
        stdout: '',
        stderr: 'no\n',
        durationMs: expect.any(Number),
        outcome: 'blocked',
        background: false,
        wake: null,
      },
    ],
    verdict: {
      decision: 'deny',
      blocked: true,
      reason: 'no',
      context: [],
      updatedInput: null,
      systemMessages: [],
      continue: true,
      stopReason: null,
    },
    notices: [],
  });
  expect(JSON.parse(readFileSync(join(here.project, 'seen'), 'utf8'))).toEqual({
    transcript_path: join(here.project, 't.jsonl'),
    hook_event_name: 'PreToolUse',
    prompt_id: 'new',
    ...given,
  });
});

test('background hooks are waited for, once is not used up', async () => {
  await using here = world({
    Stop: [
      {
        hooks: [
          { type: 'command', command: 'echo wake up; exit 2', asyncRewake: true, once: true },
          { type: 'command', command: `echo '{"async":true}'; sleep 0.1; exit 1`, once: true },
        ],
      },
    ],
  });
  for (const _ of [1, 2]) {
    const { matched, runs, verdict } = await runTrial(here.hooks, 'Stop', {}, place(here));
    expect([matched, verdict.decision]).toEqual([2, null]);
    expect(runs).toMatchObject([
      { exitCode: 2, outcome: 'success', background: true, wake: 'wake up\n' },
      { exitCode: 1, outcome: 'success', background: true, wake: null },
    ]);
  }
});

test('doubt is asked about; a stop is a stop', async () => {
  await using doubt = world(one('PreToolUse', 'sleep 9', { timeout: 0.1 }));
  expect((await runTrial(doubt.hooks, 'PreToolUse', {}, place(doubt))).verdict).toMatchObject({
    decision: 'ask',
    blocked: false,
  });
  await using stop = world(one('PostToolUse', `echo '{"continue":false,"stopReason":"enough"}'`));
  expect((await runTrial(stop.hooks, 'PostToolUse', {}, place(stop))).verdict).toMatchObject({
    continue: false,
    stopReason: 'enough',
  });
});

test.each(hookEvents)('%s can be tried without any input', async (event) => {
  await using here = world(one(event, 'cat'));
  const report = await runTrial(here.hooks, event, {}, place(here));
  expect(report).toMatchObject({
    matched: 1,
    verdict: { decision: null, context: [], systemMessages: [] },
    notices: [],
  });
  expect(JSON.parse(report.runs[0]?.stdout ?? '')).toMatchObject({
    hook_event_name: event,
    session_id: 'new',
  });
});

test('recorded runs can be run again and compared', async () => {
  await using here = world(one('PreToolUse', 'echo "$(cat answer)"', {}, 'Bash'));
  appendFileSync(join(here.project, 'answer'), 'one');
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  const entry = { uuid: 'u', parentUuid: null, timestamp: '' };
  const records = recordedRuns(
    here.told.records.map((run) => ({ ...entry, type: 'hook' as const, run })),
    'PreToolUse',
  );
  expect(records).toHaveLength(1);
  expect(await replayRuns(here.hooks, records, place(here))).toMatchObject([{ differences: [] }]);
  appendFileSync(join(here.project, 'answer'), ' two');
  expect(await replayRuns(here.hooks, records, place(here))).toMatchObject([
    { differences: ['stdout was "one\\n", is "one two\\n"'] },
  ]);
  const gone = records.map((record) => ({ ...record, key: 'other' }));
  expect(await replayRuns(here.hooks, gone, place(here))).toMatchObject([
    { differences: [expect.stringContaining('no hook')] },
  ]);
});

test('the list shows what is configured and what is wrong with it', () => {
  const parsed = parseHooks(
    {
      PreToolUse: [
        { matcher: 'x**', hooks: [{ type: 'command', command: 'a', if: 'Bash(git *)' }] },
        {
          matcher: 'Bash',
          hooks: [{ type: 'http', url: 'https://u:p@h.example/x?key=1', timeout: 'soon' }, { type: 'nope' }],
        },
      ],
      Nope: [],
    },
    origin({ path: '/f' }),
  );
  const rows = hookRows([parsed.source], parsed.problems).map((one) => hookRow.parse(one));
  expect(
    rows.map(({ event, matcher, if: rule, type, label, active, problem }) => [
      event,
      matcher,
      rule,
      type,
      label,
      active,
      problem !== null,
    ]),
  ).toEqual([
    ['PreToolUse', 'x**', 'Bash(git *)', 'command', 'a', true, true],
    ['PreToolUse', 'Bash', null, 'http', 'https://h.example/x', true, true],
    ['PreToolUse', 'Bash', null, 'nope', 'hooks.PreToolUse[1].hooks[1]', false, true],
    ['Nope', null, null, null, 'hooks.Nope', false, true],
  ]);
});

test('hooks that wait for variables nobody sets are named', () => {
  const { source } = parseHooks(
    {
      PostToolUse: [
        {
          hooks: [
            { type: 'command', command: `prettier --write "$CLAUDE_TOOL_FILE_PATH" \${TOOL_NAME}` },
            { type: 'command', command: 'echo "$CLAUDE_PROJECT_DIR" $MY_TOOL_NAME' },
          ],
        },
      ],
    },
    origin({ path: '/f' }),
  );
  expect(legacyNeeds([source])).toMatchObject([
    { path: '/f', place: 'hooks.PostToolUse[0].hooks[0]', variables: ['CLAUDE_TOOL_FILE_PATH', 'TOOL_NAME'] },
  ]);
});

test('policy and trust decide what is in force', () => {
  const sources = (['managed', 'user', 'project', 'local', 'plugin'] as const).map((source) => ({
    ...origin({ source }),
    groups: [],
  }));
  const active = (policy: Partial<Parameters<typeof inForce>[1]>) =>
    inForce(sources, { disabled: false, managedOnly: false, trusted: true, ...policy }).flatMap((one) =>
      one.active ? [one.source] : [],
    );
  expect(active({})).toEqual(['managed', 'user', 'project', 'local', 'plugin']);
  expect(active({ trusted: false })).toEqual(['managed', 'user', 'plugin']);
  expect(active({ disabled: true })).toEqual(['managed']);
  expect(active({ managedOnly: true })).toEqual(['managed']);
});

test('the table has a row for every event', () => {
  const rows = hookTable().split('\n');
  expect(rows).toHaveLength(2 + hookEvents.length);
  for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(8);
});
