import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { doctorCheck } from '../../src/app/doctor-check.ts';
import { modelServer } from '../support/model-server.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const checksOf = (stdout: string) => z.array(doctorCheck).parse(JSON.parse(stdout));

test('a sound house has nothing to mend, and no connection is made unless asked', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const ran = await runCoppice(place, ['doctor', '--json']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const checks = checksOf(ran.stdout);
  expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'node',
      'git',
      'bash',
      'ripgrep',
      'sandbox',
      'home',
      'credential',
      'settings',
      'telemetry',
    ]),
  );
  expect(ran.stdout).toContain('ANTHROPIC_API_KEY');
  expect(ran.stdout).not.toContain('CANARY');
  expect(server.requests).toEqual([]);
});

test('what is wrong is named with file and cure', async () => {
  await using place = await tempRepo({ env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' } });
  mkdirSync(place.state);
  chmodSync(place.state, 0o755);
  writeFileSync(
    join(place.state, 'settings.json'),
    JSON.stringify({
      cleanupPeriodDays: 'many',
      permissions: { allow: ['Bash(git *'] },
      hooks: {
        PreToolUse: [{ hooks: [{ type: 'command', command: 'echo $CLAUDE_TOOL_INPUT' }] }],
        Nonsense: [{ hooks: [{ type: 'command', command: 'true' }] }],
      },
    }),
  );
  await place.write('.coppice/settings.local.json', '{ "broken": ');
  const ran = await runCoppice(place, ['doctor', '--json', '--online']);
  expect(ran.code).toBe(1);
  const wrong = checksOf(ran.stdout).filter(({ status }) => status !== 'ok');
  expect(wrong.every(({ fix }) => fix !== '')).toBe(true);
  const lines = wrong.map(({ check, status, detail }) => `${check} ${status} ${detail}`);
  for (const sight of [
    /^home warn .* can be looked into by others/,
    /^endpoint fail http:\/\/127\.0\.0\.1:1/,
    /^settings fail .*settings\.local\.json/,
    /^settings warn .*cleanupPeriodDays/,
    /^rules warn .*Bash\(git \*/,
    /^hooks warn .*Nonsense/,
    /^hooks warn .*CLAUDE_TOOL_INPUT, which nothing sets/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(sight));
});

test('lines for a person say what to do', async () => {
  await using place = await tempRepo();
  const ran = await runCoppice(place, ['doctor']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^! credential +none\n +→ Set ANTHROPIC_API_KEY/m);
});

test('in practice nothing is missing and nothing is sent: doctor, /status and /context say so', async () => {
  await using place = await tempRepo();
  const ran = await runCoppice(place, ['--practice', 'doctor', '--json', '--online']);
  expect(
    checksOf(ran.stdout).filter(({ check }) => /^(credential|endpoint|model)$/.test(check)),
  ).toMatchObject([
    { status: 'ok', check: 'credential', detail: 'none needed: practice model' },
    { status: 'ok', check: 'endpoint', detail: 'none: practice, offline, nothing is sent' },
    { status: 'ok', check: 'model', detail: 'practice (offline, no language model)' },
  ]);
  const status = await runCoppice(place, ['--practice', '-p', '/status']);
  expect(status.stdout).toContain('| endpoint | none: practice, offline, nothing is sent |');
  expect(status.stdout).not.toContain('anthropic.com');
  await runCoppice(place, ['--practice', '-p', 'hello']);
  const context = await runCoppice(place, ['--practice', '--continue', '-p', '/context']);
  expect(context.stdout).toContain('by estimate, and went nowhere: practice is offline.');
});
