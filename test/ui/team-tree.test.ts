import { expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import type { MemberLook, TeamLook } from '../../src/contract/team-look.ts';
import { begun } from '../../src/front/ui/agent-rows.ts';
import { treeLines, treeOf } from '../../src/front/ui/agent-tree.ts';
import type { AgentRow } from '../../src/front/ui/item.ts';
import { plain } from '../../src/front/ui/span.ts';

const member = (name: string, state: MemberLook['state'], more: Partial<MemberLook> = {}): MemberLook => ({
  name,
  session: name as SessionId,
  cwd: '/p',
  backend: 'in-process',
  state,
  running: true,
  tasks: [],
  unread: 0,
  ...more,
});
const live = (name: string, more: Partial<AgentRow> = {}): AgentRow => ({
  ...begun({ id: name as SessionId, name, label: name, type: 'general-purpose', background: true }, 36_000),
  doing: 'Bash npm test',
  seen: 99_000,
  ...more,
});
const crew = (members: readonly MemberLook[]): TeamLook => ({
  name: 'crew',
  members: [member('team-lead', 'lead'), ...members],
  letters: [],
});
const shown = (
  members: readonly MemberLook[],
  agents: readonly AgentRow[] = [],
  { width = 80, most = 12, focus = '' } = {},
) => {
  const team = crew(members);
  const at = { id: focus as SessionId, place: 0 };
  return treeLines(treeOf({ view: { agents }, team }), focus === '' ? undefined : at, {
    width,
    now: 100_000,
    most,
    team,
    cwd: '/p',
  }).map((line) => plain(line).trimEnd());
};

it('a row says what a member does and on which task, how long, what it used, and what it has not read', () => {
  const task = { id: '2', subject: 'Parse', activeForm: 'Parsing' };
  expect(
    shown(
      [
        member('ann', 'working', { tasks: [task], tokens: 12_300 }),
        member('bob', 'idle', { unread: 2, tokens: 900 }),
        member('cleo', 'working'),
        member('dan', 'working'),
        member('eve', 'working', { backend: 'process', tokens: 70, since: 70_000 }),
      ],
      [live('ann'), live('cleo', { waiting: true }), live('dan', { seen: 10_000 }), live('eve', { seen: 1 })],
    ),
  ).toEqual([
    '  Team crew · 4 of 5 at work · @name to speak · /team',
    '  ○ ann   2 Parsing · Bash npm test                         12k tokens · 1m 4s',
    '  ◌ bob   idle                                                ✉ 2 · 900 tokens',
    '  ? cleo  waits for an answer                                            1m 4s',
    '  ! dan   stalled                                                        1m 4s',
    '  ○ eve   working                                              70 tokens · 30s',
  ]);
});

it('why a member is parked or has failed is said; who has shut down is not shown', () => {
  expect(
    shown([
      member('ann', 'parked', { why: 'Reached the limit of 400 tokens.' }),
      member('bob', 'failed', { why: 'no answer\u001b[31m' }),
      member('cleo', 'stopped', { running: false }),
      member('dan', 'ended', { running: false }),
    ]).slice(1),
  ).toEqual([
    '  ◍ ann   parked: Reached the limit of 400 tokens.',
    '  ✕ bob   failed: no answer',
    '  ◌ cleo  stopped',
  ]);
});

it('nobody stands there twice: agents of members under them, all others after the team', () => {
  const agents = [
    live('other'),
    live('bob'),
    live('under-bob', { parent: 'bob' as SessionId, name: undefined }),
    live('under-stopped', { parent: 'cleo' as SessionId, name: undefined }),
  ];
  agents.push(live('dan'), live('under-dan', { parent: 'dan' as SessionId, name: undefined }));
  const gone = member('dan', 'ended');
  const team = crew([member('ann', 'idle'), member('bob', 'working'), member('cleo', 'stopped'), gone]);
  expect(treeOf({ view: { agents }, team }).map(({ row, depth }) => `${depth} ${row.id}`)).toEqual([
    '0 ann',
    '0 bob',
    '1 under-bob',
    '0 cleo',
    '1 under-stopped',
    '0 other',
    '0 under-dan',
  ]);
});

it('no row is wider than the screen, and of many members those around the chosen one are shown', () => {
  const many = Array.from({ length: 9 }, (_, n) =>
    member(`member-with-a-long-name-${n}`, 'working', {
      tasks: [{ id: '1', subject: 'A subject that goes on and on, as they do, for ever' }],
      tokens: 5_000_000,
    }),
  );
  const rows = shown(many, [], { width: 40, most: 6, focus: 'member-with-a-long-name-7' });
  expect(rows).toHaveLength(6);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(40);
  expect(rows.at(-1)).toBe('    and 5 more');
});

it('a team without members has no rows', () => {
  expect(shown([])).toEqual([]);
});

it('paths are shown from where they are worked on', () => {
  const agents = [live('ann', { doing: 'Write /w/src/a.ts' }), live('x', { doing: 'Read /p/src/b.ts' })];
  const rows = shown([member('ann', 'working', { cwd: '/w' })], agents);
  expect(rows.map((row) => row.slice(2, 30).trimEnd()).slice(1)).toEqual([
    '○ ann    Write src/a.ts',
    '○ x · x  Read src/b.ts',
  ]);
});
