/** Every kind of limit for everybody who may have one: told at four fifths, parked before the next request, gone on with later. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { isLead, isMate, startMate } from '../support/crew.ts';
import type { Received } from '../support/received.ts';
import { reply, say, use } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 60_000 });

const price = { input: 1, output: 0, cacheWrite: 1, cacheRead: 1, window: 90_000_000 };
const house = { modelTiers: { medium: 'house' }, prices: { house: price } };

interface Kind {
  readonly kind: 'turns' | 'tokens' | 'usd' | 'minutes';
  readonly flag: string;
  readonly limit: number;
  /** Tokens of each reply, and how long it takes. */
  readonly tokens: number;
  readonly ms: number;
  /** Requests until it parks. */
  readonly requests: number;
  readonly reached: RegExp;
  readonly nearly?: RegExp;
}

const kinds: readonly Kind[] = [
  {
    kind: 'turns',
    flag: '--max-turns',
    limit: 5,
    tokens: 0,
    ms: 0,
    requests: 5,
    reached: /Reached the limit of 5 turns/,
    nearly: /80 % of the limit of 5 turns/,
  },
  {
    kind: 'tokens',
    flag: '--max-tokens',
    limit: 580,
    tokens: 500,
    ms: 0,
    requests: 2,
    reached: /Reached the limit of 580 tokens/,
    nearly: /80 % of the limit of 580 tokens/,
  },
  {
    kind: 'usd',
    flag: '--max-budget-usd',
    limit: 0.58,
    tokens: 500_000,
    ms: 0,
    requests: 2,
    reached: /Reached the budget of \$0\.58/,
    nearly: /80 % of the limit of \$0\.58/,
  },
  {
    kind: 'minutes',
    flag: '--max-minutes',
    limit: 0.05,
    tokens: 0,
    ms: 3_200,
    requests: 1,
    reached: /Reached the limit of 0\.05 minutes/,
  },
];

/** Works on and on, at the cost of its kind. */
const working =
  ({ tokens, ms }: Kind) =>
  async () => {
    await pause(ms);
    return reply(use('TaskListTool', {}), { usage: { input_tokens: tokens, output_tokens: 0 } });
  };
const settings = (whose: string, { kind, limit }: Kind): readonly string[] => [
  '--settings',
  JSON.stringify({ ...house, limits: { [whose]: { [kind]: limit } } }),
];
const isChild = ({ raw }: Received): boolean => raw.includes('Look around.') && !raw.includes('"go"');
const expectNearly = (stderr: string, { nearly }: Kind): void => {
  if (nearly) expect(stderr.match(new RegExp(nearly, 'g'))).toHaveLength(1);
};

describe.each(kinds)('a limit in $kind', (kind) => {
  const subtype = kind.kind === 'turns' ? 'error_max_turns' : 'error_max_budget_usd';
  const ends = async (on: Scene, ...flags: string[]): Promise<void> => {
    on.server.always(({ raw }) => !raw.includes('Go on.'), working(kind));
    const ran = await on.ask('go', ...flags, '--output-format', 'json');
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ subtype, errors: [expect.stringMatching(kind.reached)] });
    expectNearly(ran.stderr, kind);
    expect(on.server.requests).toHaveLength(kind.requests);
    on.server.script(say('Went on.'));
    const more = await on.ask('Go on.', '--continue', '--settings', JSON.stringify(house));
    expect(more).toMatchObject({ code: 0, stdout: 'Went on.\n' });
    expect(on.server.violations).toEqual([]);
  };

  test('of the session, on the command line', async () => {
    await using on = await scene();
    await ends(on, kind.flag, String(kind.limit), '--settings', JSON.stringify(house));
  });

  test('of the session, in the settings', async () => {
    await using on = await scene();
    await ends(on, ...settings('session', kind));
  });

  test('of an agent, which goes on with the same again when it is told to', async () => {
    await using on = await scene();
    const work = working(kind);
    let asked = 0;
    on.server.always(isChild, async () => {
      asked += 1;
      return asked > kind.requests ? say('All of it.') : await work();
    });
    on.server.script(
      [use('AgentTool', { prompt: 'Look around.', description: 'Look around' })],
      ({ results }: Received) => {
        expect(results[0]?.text).toMatch(kind.reached);
        const [, to = ''] = /SendMessageTool, to "([^"]+)"/.exec(results[0]?.text ?? '') ?? [];
        expect(asked).toBe(kind.requests);
        return [use('SendMessageTool', { to, message: 'Go on.', summary: 'go on where you stopped' })];
      },
      say('Sent.'),
      ({ raw }: Received) => say(raw.includes('All of it.') ? 'It is done.' : 'Nothing came.'),
    );
    const ran = await on.ask('go', ...settings('agent', kind));
    expect(ran).toMatchObject({ code: 0, stdout: 'It is done.\n' });
    expectNearly(ran.stderr, kind);
    expect(asked).toBe(kind.requests + 1);
    expect(on.server.violations).toEqual([]);
  });

  test('of a team: its member parks, and the lead is told', async () => {
    await using on = await scene();
    on.server.lane(
      isLead,
      [use('TeamCreateTool', { team_name: 'crew' })],
      [startMate('ann')],
      say('Started.'),
    );
    on.server.always(isLead, say('I see.'));
    on.server.always(isMate('ann'), working(kind));
    const ran = await on.ask('Lead a team.', ...settings('team', kind));
    expect(ran).toMatchObject({ code: 0 });
    expectNearly(ran.stderr, kind);
    expect(on.server.requests.filter(isMate('ann'))).toHaveLength(kind.requests);
    const told = on.server.requests.filter(isLead).at(-1)?.raw ?? '';
    expect(told).toMatch(new RegExp(`Parked: ${kind.reached.source} of the team crew`));
    expect(on.server.violations).toEqual([]);
  });
});
