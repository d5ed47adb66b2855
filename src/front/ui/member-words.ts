import type { MemberLook, TeamLook } from '../../contract/team-look.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { AgentRow } from './item.ts';
import type { Role } from './span.ts';
import { isStalled } from './view-agents.ts';

/** Those of a team that a person can have at work: neither its lead nor who has shut down. */
export const standing = (team: TeamLook | undefined): readonly MemberLook[] =>
  team?.members.filter(({ state }) => state !== 'lead' && state !== 'gone' && state !== 'ended') ?? [];

/** The tasks of a member as one text: `1 Writing the lexer`. */
export const memberTasks = ({ tasks }: MemberLook): string =>
  tasks.map(({ id, activeForm, subject }) => safeLine(`${id} ${activeForm ?? subject}`, 120)).join(', ');

/** `working`, `parked: Reached the limit of 400 tokens.`, `has shut down`. */
export const memberState = ({ state, why }: MemberLook): string =>
  `${state === 'ended' ? 'has shut down' : state}${why === undefined ? '' : `: ${safeLine(why, 200)}`}`;

export interface MemberDoing {
  readonly text: string;
  readonly role: Role;
  /** Tells the state where there is no colour. */
  readonly glyph: string;
}

/** What a member is at, as its row and its page say it. Nothing is heard of one in a process of its own while it works. */
export const memberDoing = (member: MemberLook, row: AgentRow | undefined, now: number): MemberDoing => {
  const { state } = member;
  const tasks = memberTasks(member);
  const withTasks = (text: string): string => (tasks === '' ? text : `${tasks} · ${text}`);
  if (row?.waiting) return { text: withTasks('waits for an answer'), role: 'warn', glyph: '?' };
  if (state === 'parked') return { text: memberState(member), role: 'warn', glyph: '◍' };
  if (state === 'failed') return { text: memberState(member), role: 'error', glyph: '✕' };
  if (state !== 'working') return { text: withTasks(memberState(member)), role: 'dim', glyph: '◌' };
  const heard = row !== undefined && member.backend === 'in-process';
  if (heard && isStalled(row, now)) return { text: withTasks('stalled'), role: 'warn', glyph: '!' };
  const doing = heard && !row.resting ? row.doing.replaceAll(`${member.cwd}/`, '') : 'working';
  return { text: withTasks(doing), role: 'running', glyph: '○' };
};
