/** Every lifecycle event of the specification, fired by the built program and heard by a command hook. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { type Step, say, status, use } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

const EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
];
const HEAR = `printf '%s\\n' "$(cat)" >>"$HOME/heard"`;
const hear = (matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: 'command', command: HEAR }] },
];
const settings = JSON.stringify({
  hooks: {
    ...Object.fromEntries(EVENTS.map((event) => [event, hear()])),
    FileChanged: hear('watched.txt'),
  },
});

interface Heard {
  readonly hook_event_name: string;
  readonly [field: string]: unknown;
}
const heard = (place: TempRepo): readonly Heard[] => {
  const file = join(place.home, 'heard');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Heard);
};
const names = (place: TempRepo): readonly string[] => heard(place).map((one) => one.hook_event_name);

const opened = async (...script: readonly Step<Received>[]) => {
  const server = await modelServer(script);
  const place = await tempRepo({ server, files: { 'AGENTS.md': 'Be brief.\n', 'watched.txt': 'old\n' } });
  await place.write(join(place.home, '.coppice/settings.json'), settings);
  return {
    server,
    place,
    run: (...args: string[]) => runCoppice(place, ['-p', ...args]),
    async [Symbol.asyncDispose]() {
      await place.dispose();
      await server.close();
    },
  };
};

/** Waits for an event; the run is held back by the model's next answer meanwhile. */
const until = async (place: TempRepo, event: string): Promise<void> => {
  for (let tries = 0; !names(place).includes(event); tries++) {
    if (tries > 600) throw new Error(`${event} was not heard: ${names(place).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

test('a turn fires its events in their order, with what belongs to each', async () => {
  await using here = await opened(
    use('Bash', { command: 'cd src' }),
    use('Bash', { command: 'false' }),
    use('Write', { file_path: 'new.txt', content: 'x' }),
    say('done'),
  );
  const { code } = await here.run('go', '--init', '--allowed-tools', 'Bash(cd *),Bash(false)');
  expect(code).toBe(0);
  expect(names(here.place)).toEqual([
    'Setup',
    'SessionStart',
    'UserPromptSubmit',
    'InstructionsLoaded',
    'PreToolUse',
    'CwdChanged',
    'PostToolUse',
    'PreToolUse',
    'PostToolUseFailure',
    'PreToolUse',
    'PermissionRequest',
    'PermissionDenied',
    'Stop',
    'SessionEnd',
  ]);
  const common = {
    session_id: expect.any(String),
    transcript_path: expect.any(String),
    cwd: expect.any(String),
  };
  const events = heard(here.place);
  for (const one of events) expect(one).toMatchObject(common);
  const of = (event: string) => events.find((one) => one.hook_event_name === event);
  expect(of('Setup')).toMatchObject({ trigger: 'init' });
  expect(of('SessionStart')).toMatchObject({ source: 'startup' });
  expect(of('UserPromptSubmit')).toMatchObject({ prompt: 'go' });
  expect(of('InstructionsLoaded')).toMatchObject({ file_path: join(here.place.path, 'AGENTS.md') });
  expect(of('PreToolUse')).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'cd src' } });
  expect(of('PostToolUse')).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'cd src' } });
  expect(of('PostToolUseFailure')).toMatchObject({ tool_input: { command: 'false' } });
  expect(of('PermissionRequest')).toMatchObject({ tool_name: 'Write' });
  expect(of('PermissionDenied')).toMatchObject({ tool_name: 'Write', source: 'headless' });
});

test('a sub-agent starts and stops once each, whatever it was asked', async () => {
  await using here = await opened(
    use('AgentTool', { prompt: 'Count.', description: 'Count the files' }),
    say('three'),
    say('done'),
  );
  await here.run('go');
  const events = heard(here.place).filter((one) => one.hook_event_name.startsWith('Subagent'));
  expect(events).toMatchObject([
    { hook_event_name: 'SubagentStart', agent_type: 'general-purpose' },
    { hook_event_name: 'SubagentStop', agent_type: 'general-purpose' },
  ]);
});

test('an error of the model ends the agent with StopFailure in place of Stop', async () => {
  await using here = await opened(status(400, { message: 'no' }));
  const { code } = await here.run('go');
  expect(code).toBe(1);
  expect(names(here.place)).toContain('StopFailure');
  expect(names(here.place)).not.toContain('Stop');
});

test('compaction is told before and after', async () => {
  await using here = await opened(say('first'), say('A summary of it all.'));
  await here.run('go');
  await here.run('/compact', '--continue');
  const events = heard(here.place).filter((one) => one.hook_event_name.endsWith('Compact'));
  expect(events).toMatchObject([
    { hook_event_name: 'PreCompact', trigger: 'manual' },
    { hook_event_name: 'PostCompact', trigger: 'manual' },
  ]);
});

test('settings and watched files that change on disk are told while a run goes on', async () => {
  await using here = await opened(use('Bash', { command: 'echo new >watched.txt' }), async () => {
    await until(here.place, 'FileChanged');
    await here.place.write(join(here.place.home, '.coppice/settings.json'), settings.replace('{', '{ '));
    await until(here.place, 'ConfigChange');
    return say('done');
  });
  const { code } = await here.run('go', '--allowed-tools', 'Bash(echo *),Edit(watched.txt)');
  expect(code).toBe(0);
  expect(heard(here.place)).toContainEqual(
    expect.objectContaining({
      hook_event_name: 'FileChanged',
      file_path: join(here.place.path, 'watched.txt'),
      event: 'change',
    }),
  );
  expect(heard(here.place)).toContainEqual(
    expect.objectContaining({ hook_event_name: 'ConfigChange', source: 'user_settings' }),
  );
});

test('a person who is waited for is notified', async () => {
  await using here = await opened(use('Bash', { command: 'touch it' }), say('done'));
  await using terminal = await openTerminal(here.place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('go');
  terminal.key('enter');
  await terminal.waitFor('touch it');
  await until(here.place, 'Notification');
  expect(heard(here.place).find((one) => one.hook_event_name === 'Notification')).toMatchObject({
    notification_type: 'permission_prompt',
  });
});
