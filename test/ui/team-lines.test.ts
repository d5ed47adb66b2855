import { expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { MemberLook } from '../../src/contract/team-look.ts';
import type { AgentRow } from '../../src/front/ui/item.ts';
import { plain } from '../../src/front/ui/span.ts';
import { teamLines } from '../../src/front/ui/team-lines.ts';

const member = (name: string, state: MemberLook['state'], more: Partial<MemberLook> = {}): MemberLook => ({
  name,
  session: name as SessionId,
  cwd: '/p',
  state,
  running: true,
  tasks: [],
  unread: 0,
  ...more,
});
const live = (name: string, more: Partial<AgentRow> = {}): AgentRow => ({
  id: name as SessionId,
  label: name,
  type: 'general-purpose',
  background: true,
  doing: 'Bash npm test',
  since: 36_000,
  seen: 99_000,
  toolCalls: 1,
  tokens: 1,
  waiting: false,
  resting: false,
  inTool: false,
  ...more,
});
const shown = (members: readonly MemberLook[], agents: readonly AgentRow[] = [], width = 80) =>
  teamLines(
    { name: 'crew', members: [member('team-lead', 'lead'), ...members], letters: [] },
    agents,
    { width, links: false },
    100_000,
  ).map((line) => plain(line).trimEnd());

it('a row says what a member does and on which task, how long, what it used, and what it has not read', () => {
  const task = { id: '2', subject: 'Parse', activeForm: 'Parsing' };
  expect(
    shown(
      [
        member('ann', 'working', { tasks: [task], tokens: 12_300 }),
        member('bob', 'idle', { unread: 2, tokens: 900 }),
        member('cleo', 'working'),
        member('dan', 'working'),
      ],
      [live('ann'), live('cleo', { waiting: true }), live('dan', { seen: 10_000 })],
    ),
  ).toEqual([
    '',
    '  Team crew · 3 of 4 at work · ↓ open · @name to speak · /team',
    '  ● ann   2 Parsing · Bash npm test                          1m 4s · 12k tokens',
    '  ○ bob   idle                                                  ✉ 2  900 tokens',
    '  ◍ cleo  waits for an answer                                             1m 4s',
    '  ● dan   stalled                                                         1m 4s',
  ]);
});

it('why a member is parked or has failed is said; who has shut down is not shown', () => {
  expect(
    shown([
      member('ann', 'parked', { why: 'Reached the limit of 400 tokens.' }),
      member('bob', 'failed', { why: 'no answer\u001b[31m' }),
      member('cleo', 'stopped', { running: false }),
      member('dan', 'ended', { running: false }),
    ]).slice(2),
  ).toEqual([
    '  ◍ ann   parked: Reached the limit of 400 tokens.',
    '  ✕ bob   failed: no answer',
    '  ◌ cleo  stopped',
  ]);
});

it.each([
  ['all of them', 2, [], ['  ○ m0, m1  idle']],
  ['more than three', 4, [member('ann', 'working')], ['  ● ann  working', '  ○ m0, m1, m2, m3  idle']],
])('members that rest share a row: %s', (_, count, more, rows) => {
  const resting = Array.from({ length: count }, (_, n) => member(`m${n}`, 'idle'));
  expect(shown([...more, ...resting]).slice(2)).toEqual(rows);
});

it('no row is wider than the screen, and of many members the first are shown', () => {
  const many = Array.from({ length: 9 }, (_, n) =>
    member(`member-with-a-long-name-${n}`, 'working', {
      tasks: [{ id: '1', subject: 'A subject that goes on and on, as they do, for ever' }],
      tokens: 5_000_000,
    }),
  );
  const rows = shown(many, [], 40);
  expect(rows).toHaveLength(2 + 6 + 1);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(40);
  expect(rows.at(-1)).toBe('    and 3 more');
});

it('a team without members has no panel', () => {
  expect(shown([])).toEqual([]);
});
