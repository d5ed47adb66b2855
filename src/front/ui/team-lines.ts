import type { MemberLook, TeamLook } from '../../contract/team-look.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { AgentRow } from './item.ts';
import { short } from './item-lines.ts';
import { as, blank, type Line, type Span, span } from './span.ts';
import { duration, type Look } from './tool-lines.ts';
import { cells, clip } from './width.ts';
import { clipLine, lineCells } from './wrap.ts';

const MOST_ROWS = 6;
/** Wider, and the eye loses the row. */
const WIDEST = 110;
/** So many may rest side by side before they share a row. */
const MOST_RESTING = 3;
/** Where nothing was heard of an agent for so long it may hang. */
const STALLED_MS = 60_000;

/** The team under the spinner: a row for each member; those who only rest may share one. */
export function teamLines(team: TeamLook, agents: readonly AgentRow[], look: Look, now: number): Line[] {
  const members = team.members.filter(({ state }) => !['lead', 'gone', 'ended'].includes(state));
  if (members.length === 0) return [];
  const resting = members.filter(
    ({ state, unread, tasks }) => state === 'idle' && unread === 0 && tasks.length === 0,
  );
  const together = resting.length > MOST_RESTING || resting.length === members.length ? resting : [];
  const single = members.filter((member) => !together.includes(member));
  const shown = single.slice(0, MOST_ROWS);
  const column = Math.min(16, Math.max(...members.map(({ name }) => cells(safeLine(name, 40)))));
  const left = single.length - shown.length;
  return [
    blank,
    headLine(team, members, look),
    ...shown.map((member) =>
      memberLine(
        member,
        agents.find(({ id }) => id === member.session),
        { look, now, column },
      ),
    ),
    ...(left > 0 ? [[as('faint', `    and ${left} more`)]] : []),
    ...(together.length > 0 ? [restingLine(together, look)] : []),
  ];
}

const headLine = ({ name }: TeamLook, members: readonly MemberLook[], look: Look): Line => {
  const busy = members.filter(({ state }) => state === 'working').length;
  return clipLine(
    [
      span('  '),
      as('accent', 'Team '),
      span(safeLine(name, 60), { bold: true }),
      as('faint', ` · ${busy} of ${members.length} at work · ↓ open · @name to speak · /team`),
    ],
    look.width - 1,
  );
};

const restingLine = (members: readonly MemberLook[], look: Look): Line =>
  clipLine(
    [
      as('dim', '  ○ '),
      as('dim', members.map(({ name }) => safeLine(name, 40)).join(', ')),
      as('faint', '  idle'),
    ],
    look.width - 1,
  );

interface Place {
  readonly look: Look;
  readonly now: number;
  /** Width of the names. */
  readonly column: number;
}

function memberLine(member: MemberLook, live: AgentRow | undefined, { look, now, column }: Place): Line {
  const name = clip(safeLine(member.name, 40), column);
  const head: Line = [
    span('  '),
    markOf(member, live),
    span(`${name}${' '.repeat(column - cells(name))}  `, member.state === 'working' ? { bold: true } : {}),
  ];
  const facts: Line = [
    ...(member.unread > 0 ? [as('plan', `✉ ${member.unread}`), span('  ')] : []),
    as('faint', memberFacts(member, live, now)),
  ];
  const width = Math.min(look.width, WIDEST) - 1;
  const room = width - lineCells(facts) - 2;
  const begin = clipLine([...head, ...doingOf(member, live, now)], Math.max(20, room));
  return clipLine([...begin, span(' '.repeat(Math.max(2, room + 2 - lineCells(begin)))), ...facts], width);
}

function markOf({ state }: MemberLook, live: AgentRow | undefined): Span {
  if (live?.waiting || state === 'parked') return as('warn', '◍ ');
  if (state === 'working') return as('running', '● ');
  if (state === 'failed') return as('error', '✕ ');
  return as('dim', state === 'stopped' ? '◌ ' : '○ ');
}

/** The tasks of a member as one text: `1 Writing the lexer`. */
export const memberTasks = ({ tasks }: MemberLook): string =>
  tasks.map(({ id, activeForm, subject }) => safeLine(`${id} ${activeForm ?? subject}`, 120)).join(', ');

/** `working`, `parked: Reached the limit of 400 tokens.` */
export const memberState = ({ state, why }: MemberLook): string =>
  `${state}${why === undefined ? '' : `: ${safeLine(why, 200)}`}`;

function doingOf(member: MemberLook, live: AgentRow | undefined, now: number): Line {
  if (live?.waiting) return [as('warn', 'waits for an answer')];
  if (member.state === 'parked') return [as('warn', memberState(member))];
  if (member.state === 'failed') return [as('error', memberState(member))];
  const task = memberTasks(member);
  if (member.state !== 'working')
    return [as('dim', memberState(member)), ...(task === '' ? [] : [as('faint', ` · ${task}`)])];
  const stalled = live && !live.inTool && now - live.seen > STALLED_MS;
  const doing = stalled ? as('warn', 'stalled') : as('dim', live?.doing ?? 'working');
  return task === '' ? [doing] : [span(task), as('faint', ' · '), doing];
}

const memberFacts = ({ state, tokens }: MemberLook, live: AgentRow | undefined, now: number): string =>
  [
    ...(live && state === 'working' ? [duration(now - live.since)] : []),
    ...(tokens ? [`${short(tokens)} tokens`] : []),
  ].join(' · ');
