/** What hooks see of teammates, in the lead's process and in processes of their own (rulings 17 and 18). */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { isLead, isMate, memberOf, requestIdIn, startMate } from '../support/crew.ts';
import { say, use } from '../support/replies.ts';
import { jsonLines } from '../support/run-binary.ts';
import { scene, until } from '../support/scene.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000 });

const events = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop', 'SessionEnd'],
  ...['SubagentStart', 'SubagentStop', 'TeammateIdle'],
];
const SHUTDOWN = { to: 'ann', message: { type: 'shutdown_request' } };

it.each([
  ['in-process', 'lead'],
  ['process', 'ann'],
])(
  'a teammate (%s) fires the events of an agent, each once a run, under the ids of %s',
  async (mode, whose) => {
    await using on = await scene();
    const file = `${on.repo.root}/seen.jsonl`;
    const hooks = [{ hooks: [{ type: 'command', command: `printf "%s\\n" "$(cat)" >> ${file}` }] }];
    await on.repo.write(
      `${on.repo.state}/settings.json`,
      JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hooks])) }),
    );
    const heard = () => (existsSync(file) ? jsonLines(readFileSync(file, 'utf8')) : []);
    const isIdle = () => memberOf(on.repo, 'ann')?.state === 'idle';
    on.server.lane(
      isLead,
      [use('TeamCreateTool', { team_name: 'crew' })],
      [startMate('ann')],
      say('Started.'),
      async () => {
        await until('ann to be idle', isIdle);
        return [use('SendMessageTool', SHUTDOWN)];
      },
    );
    on.server.always(isLead, say('I see.'));
    on.server.lane(isMate('ann'), [use('Bash', { command: 'true' })], say('Ready.'), (request) => [
      use('SendMessageTool', {
        to: 'team-lead',
        message: {
          type: 'shutdown_response',
          request_id: requestIdIn(request, 'shutdown', 'ann'),
          approve: true,
        },
      }),
    ]);
    await using terminal = await on.screen(['--teammate-mode', mode, '--allowedTools', 'Bash(true)']);
    terminal.type('Lead a team.');
    await terminal.waitFor('Lead a team.');
    await terminal.settle(30);
    terminal.key('enter');
    await until('her last event', () => heard().some((one) => one.hook_event_name === 'SubagentStop'));
    await until('ann to end', () => memberOf(on.repo, 'ann')?.state === 'ended');
    await terminal.waitFor(/ann +has shut down/);

    const ann = memberOf(on.repo, 'ann')?.session;
    const lead = memberOf(on.repo, 'team-lead')?.session;
    const hers = heard().filter((one) => one.agent_type === 'general-purpose');
    expect(hers.map((one) => one.hook_event_name)).toEqual([
      'SubagentStart',
      ...['PreToolUse', 'TeammateIdle', 'PreToolUse'],
      'SubagentStop',
    ]);
    for (const one of hers)
      expect(one).toMatchObject({
        session_id: whose === 'lead' ? lead : ann,
        parent_session_id: lead,
        team_name: 'crew',
      });
    expect(hers[0]).toMatchObject({ agent_id: ann });
    expect(hers.at(-1)).toMatchObject({
      agent_id: ann,
      agent_transcript_path: memberOf(on.repo, 'ann')?.transcript,
    });
    expect(hers.find((one) => one.hook_event_name === 'TeammateIdle')).toMatchObject({
      teammate_name: 'ann',
    });
    const started = heard().filter((one) => one.hook_event_name === 'SessionStart');
    expect(started.map((one) => one.session_id)).toEqual([lead]);
    expect(on.server.violations).toEqual([]);
  },
);

it.each([
  ['the same hooks', false, ['before']],
  ['other hooks than its lead trusts', true, []],
])('a teammate in a process of its own that finds %s', async (_, changed, run) => {
  await using on = await scene();
  const file = `${on.repo.root}/ran.txt`;
  const settings = (word: string) =>
    on.repo.write(
      '.coppice/settings.json',
      JSON.stringify({
        hooks: {
          PreToolUse: [
            { matcher: 'Glob', hooks: [{ type: 'command', command: `printf ${word} >> ${file}` }] },
          ],
        },
      }),
    );
  await settings('before');
  on.server.lane(
    isLead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    async () => {
      if (changed) await settings('after');
      return [startMate('ann')];
    },
    say('Started.'),
  );
  on.server.always(isLead, say('I see.'));
  on.server.lane(isMate('ann'), [use('Glob', { pattern: '*.none' })], say('Ready.'));
  await using terminal = await on.screen(['--teammate-mode', 'process']);
  terminal.type('Lead a team.');
  await terminal.waitFor('Lead a team.');
  await terminal.settle(30);
  terminal.key('enter');
  const team = `${on.repo.state}/teams/crew/config.json`;
  await until('ann to be idle', () => existsSync(team) && memberOf(on.repo, 'ann')?.state === 'idle');
  expect(existsSync(file) ? [readFileSync(file, 'utf8')] : []).toEqual(run);
});
