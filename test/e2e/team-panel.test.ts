import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Received } from '../support/received.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { pngFile } from '../support/sample-files.ts';
import { scene, untilFile } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const asLead = ({ raw }: Received) => raw.includes('Lead a team.');
const asMate = (name: string) => (request: Received) =>
  request.raw.includes(`You are ${name}.`) && !asLead(request);
const start = (name: string) =>
  use('AgentTool', { prompt: `You are ${name}.`, description: `work as ${name}`, name, team_name: 'crew' });
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(() => terminal.screen().some((line) => line.includes(`❯ ${text}`)));
  terminal.key('enter');
};
const row = (terminal: Terminal, begin: RegExp) => terminal.screen().find((line) => begin.test(line)) ?? '';

test.each([
  [80, 30],
  [120, 40],
])(
  'the team stands on the screen, and a person speaks to its members (%i x %i)',
  async (columns, rows) => {
    const [annHeld, bobHeld, bobAsked] = [gate(), gate(), gate()];
    await using on = await scene();
    const { server } = on;
    server.lane(
      asLead,
      use('TeamCreateTool', { team_name: 'crew', description: 'Builds it' }),
      use('TaskCreateTool', { subject: 'Lex', description: 'D', activeForm: 'Lexing' }),
      [start('ann'), start('bob')],
      // Bob has been asked by then: the letter waits for his next request.
      async () => {
        await bobAsked.opened;
        return use('SendMessageTool', { to: 'bob', summary: 'Mind the tests please', message: 'Mind them.' });
      },
      say('They are at it.'),
    );
    server.lane(
      asMate('ann'),
      use('TaskUpdateTool', { taskId: '1', status: 'in_progress' }),
      pauseAfter(say('Half of it.'), 3, annHeld),
      say('Heard you.'),
      say('And again.'),
    );
    server.lane(
      asMate('bob'),
      () => {
        bobAsked.open();
        return pauseAfter(say('Looking.'), 3, bobHeld);
      },
      say('I mind.'),
    );
    server.always(asLead, say('I see.'));
    await using terminal = await on.screen([], { columns, rows });
    await submit(terminal, 'Lead a team.');

    await terminal.waitFor(/Team crew · 2 of 2 at work/);
    await terminal.waitFor(() =>
      /○ ann +1 Lexing · writing +\S.* tokens · \d+s$/.test(row(terminal, /^ {2}○ ann/)),
    );
    await terminal.waitFor(() => row(terminal, /^ {2}○ bob/).includes('✉ 1'));

    terminal.type('@an');
    await terminal.waitFor(/❯ ann +teammate · working/);
    terminal.key('enter');
    await terminal.waitFor('❯ @ann');
    terminal.type('hurry up');
    terminal.key('enter');
    await terminal.waitFor('said to ann');
    await submit(terminal, '@nobody hi there');
    await terminal.waitFor(/nobody called "nobody".*members are: ann, bob/s);
    for (let n = 0; n < 16; n++) terminal.key('backspace');
    annHeld.open();
    await expect
      .poll(() => server.requests.some((one) => asMate('ann')(one) && one.prompt.includes('hurry up')))
      .toBe(true);

    terminal.key('down');
    await terminal.waitFor(/❯ . ann/);
    expect(terminal.screen().filter((line) => /^. . ann\b|^ {2}. ann\b/.test(line))).toHaveLength(1);
    terminal.key('enter');
    await terminal.waitFor(/^ ann {2}\S.* (\d+%|all|end)/m);
    await terminal.waitFor('Heard you.');
    expect(terminal.screen().join('\n')).toContain('❯ hurry up');
    terminal.type('once more');
    await terminal.waitFor('❯ once more');
    terminal.key('enter');
    await terminal.waitFor('And again.');
    terminal.key('esc');
    await terminal.waitUntilGone('esc leaves');

    bobHeld.open();
    await terminal.waitFor(/Team crew · 0 of 2 at work/);
    // He tells it after he has noted it.
    await untilFile(join(on.repo.state, 'teams', 'crew', 'log.jsonl'), '"from":"bob"');
    await submit(terminal, '/team');
    await terminal.waitFor(/user to ann +│ hurry up +│ read/);
    expect(terminal.text()).toMatch(/team-lead to bob +│ Mind the tests please +│ read/);
    expect(terminal.text()).toMatch(/bob to team-lead +│ is idle/);
    expect(terminal.text()).toMatch(/1 Lex \(in progress, ann\)/);

    const log = (await on.run(['team', 'log', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log.map(({ time }) => time)).toEqual(log.map(({ time }) => time).toSorted());
    expect(new Set(log.map(({ agent }) => agent))).toEqual(new Set(['team-lead', 'ann', 'bob', 'user']));
    expect(log.filter(({ type, from }) => type === 'message' && from === 'user')).toMatchObject([
      { to: 'ann', state: 'read', id: expect.any(String) },
      { to: 'ann', state: 'read' },
    ]);
    expect(server.violations).toEqual([]);
  },
  90_000,
);

test('a picture can be said to a member, in words that are its own', async () => {
  await using on = await scene();
  const { server } = on;
  writeFileSync(join(on.repo.path, 'shot.png'), pngFile(20, 10));
  server.lane(asLead, use('TeamCreateTool', { team_name: 'crew' }), start('ann'), say('She is there.'));
  server.always(asMate('ann'), say('Ready.'));
  server.always(asLead, say('I see.'));
  await using terminal = await on.screen();
  await submit(terminal, 'Lead a team.');
  await terminal.waitFor(/◌ ann +idle/);
  terminal.type('@ann look at ');
  terminal.paste('shot.png');
  await terminal.waitFor('❯ @ann look at [Image #1]');
  terminal.key('enter');
  await terminal.waitFor('said to ann');
  const hers = () => server.requests.findLast(asMate('ann'))?.raw ?? '';
  await expect.poll(() => hers().includes(pngFile(20, 10).toString('base64'))).toBe(true);
  expect(hers()).toContain('look at [Image #1]');
  expect(hers()).not.toContain('@ann look');
  expect(server.violations).toEqual([]);
}, 60_000);
