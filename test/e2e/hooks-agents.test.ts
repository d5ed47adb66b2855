/** What hooks are told of agents: each starts and stops once, with the ids of the conversation they belong to. */
import { expect, test } from 'vitest';
import { told, until, withHooks } from '../hooks/told.ts';
import { reply, say, status, use } from '../support/replies.ts';

const EVENTS = ['SessionStart', 'SubagentStart', 'SubagentStop', 'StopFailure', 'Stop', 'PreToolUse'];
const logged = Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [told] }]]));
const helper = /You are an agent of Coppice/;
const start = (more: object = {}) =>
  use('AgentTool', { prompt: 'Go', description: 'Look around here', ...more });

test('a failed agent fires StopFailure, then SubagentStop, each once', async () => {
  await using here = await withHooks(logged, [reply(start()), say('done')]);
  here.server.always(helper, status(400, { message: 'no' }));
  expect((await here.ask('go')).stdout).toBe('done\n');
  expect(here.told().map((one) => one.hook_event_name)).toEqual([
    'SessionStart',
    'PreToolUse',
    'SubagentStart',
    'StopFailure',
    'SubagentStop',
    'Stop',
  ]);
});

test('calls of a forked skill carry the root’s ids and the agent’s own', async () => {
  await using here = await withHooks(logged, [reply(use('SkillTool', { skill: 'look' })), say('done')], {
    '.coppice/skills/look/SKILL.md':
      '---\nname: look\ndescription: Looks.\ncontext: fork\nagent: explore\n---\nLook for it.',
  });
  here.server.lane(/You are a scout of Coppice/, reply(use('Glob', { pattern: '*.md' })), say('seen'));
  expect((await here.ask('go')).stdout).toBe('done\n');
  const all = here.told();
  const root = all[0];
  const inside = all.filter((one) => one.agent_id !== undefined);
  expect(inside.map((one) => [one.hook_event_name, one.agent_type])).toEqual([
    ['SubagentStart', 'explore'],
    ['PreToolUse', 'explore'],
    ['SubagentStop', 'explore'],
  ]);
  expect(new Set(inside.map((one) => one.agent_id)).size).toBe(1);
  for (const one of inside)
    expect(one).toMatchObject({ session_id: root?.session_id, transcript_path: root?.transcript_path });
  expect(all.filter((one) => one.hook_event_name === 'Stop')).toHaveLength(1);
});

test('Stop is told of the agents and commands that run on', async () => {
  await using here = await withHooks(logged, [
    reply([
      start({ run_in_background: true }),
      use('Bash', { command: 'sleep 30', description: 'Wait a while', run_in_background: true }),
    ]),
    say('going on'),
    say('heard'),
  ]);
  here.server.always(helper, async () => {
    await until(() => here.told().some((one) => one.hook_event_name === 'Stop'));
    return say('slow');
  });
  await here.ask('go', '--allowedTools', 'Bash');
  const [first] = here.told().filter((one) => one.hook_event_name === 'Stop');
  expect(first?.background_tasks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'agent', status: 'running', description: 'Look around here' }),
      expect.objectContaining({ type: 'shell', status: 'running', description: 'sleep 30' }),
    ]),
  );
});
