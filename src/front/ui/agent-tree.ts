import type { SessionId } from '../../contract/ids.ts';
import type { MemberLook, TeamLook } from '../../contract/team-look.ts';
import { safeLine } from '../../lib/safe-text.ts';
import { begun } from './agent-rows.ts';
import type { AgentRow } from './item.ts';
import { short } from './item-lines.ts';
import { type MemberDoing, memberDoing, standing } from './member-words.ts';
import { as, type Line, type Role, span } from './span.ts';
import { duration } from './tool-lines.ts';
import { isStalled } from './view-agents.ts';
import type { View } from './view-state.ts';
import { cells, clip } from './width.ts';
import { clipLine, pad } from './wrap.ts';

/** One agent in the tree under the prompt: it runs, or is a member of the team. */
export interface Branch {
  readonly row: AgentRow;
  /** 0 for those that the main conversation started. */
  readonly depth: number;
  readonly member?: MemberLook;
}

/** Which agent the keys go to; its place counts when it has ended meanwhile. */
export interface AgentFocus {
  readonly id: SessionId;
  readonly place: number;
}

/** What the tree shows. */
export interface Grove {
  readonly view: Pick<View, 'agents'>;
  readonly team?: TeamLook;
}

/** The team first, as it stands in its file; then others, children under their parents, in the order in which they came. */
export function treeOf({ view: { agents }, team }: Grove): readonly Branch[] {
  const members = standing(team);
  if (agents.length === 0 && members.length === 0) return [];
  // One that has shut down takes a moment to end; it is no stranger meanwhile.
  const mates = new Set(team?.members.map(({ session }) => session));
  const others = agents.filter(({ id }) => !mates.has(id));
  const here = new Set([...members.map(({ session }) => session), ...others.map((row) => row.id)]);
  const under = (parent: SessionId, depth: number): readonly Branch[] =>
    others
      .filter((row) => row.parent === parent && row.id !== parent)
      .flatMap((row) => [{ row, depth }, ...under(row.id, depth + 1)]);
  return [
    ...members.flatMap((member): readonly Branch[] => [
      { row: agents.find(({ id }) => id === member.session) ?? atRest(member), depth: 0, member },
      ...under(member.session, 1),
    ]),
    ...others
      .filter((row) => row.parent === undefined || !here.has(row.parent))
      .flatMap((row) => [{ row, depth: 0 }, ...under(row.id, 1)]),
  ];
}

/** A member that does not run is a row all the same: it can be opened and spoken to. */
const atRest = ({ session, name, type = name, color }: MemberLook): AgentRow =>
  begun(
    { id: session, name, label: type, type, background: true, resting: true, ...(color ? { color } : {}) },
    0,
  );

/** Where the focus is now; undefined where nobody is left. */
export const placeOf = (tree: readonly Branch[], focus: AgentFocus | undefined): number | undefined => {
  if (focus === undefined || tree.length === 0) return undefined;
  const at = tree.findIndex(({ row }) => row.id === focus.id);
  return at >= 0 ? at : Math.min(focus.place, tree.length - 1);
};

const CHARS_PER_TOKEN = 4;

const roles: Readonly<Record<string, Role>> = {
  red: 'error',
  blue: 'link',
  green: 'ok',
  yellow: 'warn',
  purple: 'edits',
  orange: 'code',
  pink: 'shell',
  cyan: 'plan',
};

const nameOf = ({ row: { name, label }, member }: Branch): string =>
  member ? safeLine(member.name, 40) : name ? `${name} · ${label}` : label;

const factsOf = ({ row, member }: Branch, now: number): string => {
  const written = Math.round(row.reply.length / CHARS_PER_TOKEN);
  const tokens = (member?.tokens ?? row.tokens) + written;
  const begun =
    member?.state !== 'working'
      ? undefined
      : member.backend === 'process'
        ? member.since
        : row.woke || undefined;
  if (member)
    return [
      ...(member.unread > 0 ? [`✉ ${member.unread}`] : []),
      ...(tokens > 0 ? [`${short(tokens)} tokens`] : []),
      ...(begun === undefined ? [] : [duration(Math.max(0, now - begun))]),
    ].join(' · ');
  return [
    ...(row.background ? [] : ['waited for']),
    ...(tokens > 0 ? [`${short(tokens)} tokens`] : []),
    duration(now - row.since),
  ].join(' · ');
};

/** Name, what it does, how much, how long. Its glyph tells the state without colour too. */
function branchLine(
  branch: Branch,
  here: boolean,
  { width, now, cwd, names }: Pick<TreeLook, 'width' | 'now' | 'cwd'> & { readonly names: number },
): Line {
  const { row, depth, member } = branch;
  const { text, role, glyph } = member ? memberDoing(member, row, now) : rowDoing(row, { now, cwd });
  const told = role === 'warn' || role === 'error';
  const color = roles[member?.color ?? row.color ?? ''];
  const facts = factsOf(branch, now);
  const begin: Line = [
    here ? as('select', '❯ ') : span('  '),
    as('faint', depth > 0 ? `${'  '.repeat(depth - 1)}└ ` : ''),
    as(told || role === 'dim' ? role : (color ?? role), `${glyph} `),
    span(clip(nameOf(branch), Math.max(4, names - 2 * depth)), here ? { role: 'select', bold: true } : {}),
  ];
  const room = width - names - cells(facts) - 10;
  return clipLine(
    [
      ...pad(begin, names + 6),
      ...pad([as(told ? role : 'dim', clip(text, Math.max(8, room)))], Math.max(8, room)),
      as('faint', `  ${facts}`),
    ],
    width - 1,
  );
}

const rowDoing = (row: AgentRow, { now, cwd }: Pick<TreeLook, 'now' | 'cwd'>): MemberDoing => {
  if (row.waiting) return { text: 'waits for an answer', role: 'warn', glyph: '?' };
  if (isStalled(row, now)) return { text: 'stalled', role: 'warn', glyph: '!' };
  const text = cwd === undefined ? row.doing : row.doing.replaceAll(`${cwd}/`, '');
  return { text, role: 'running', glyph: row.resting ? '◌' : '○' };
};

/** `Team crew · 2 of 3 at work`. */
const headLine = (tree: readonly Branch[], { name }: TeamLook, width: number): Line => {
  const members = tree.flatMap(({ member }) => member ?? []);
  const busy = members.filter(({ state }) => state === 'working').length;
  return clipLine(
    [
      as('faint', '  Team '),
      span(safeLine(name, 60)),
      as('faint', ` · ${busy} of ${members.length} at work · @name to speak · /team`),
    ],
    width - 1,
  );
};

export interface TreeLook {
  readonly width: number;
  readonly now: number;
  /** Most rows it may take. */
  readonly most: number;
  readonly team?: TeamLook;
  /** Paths in it are shown from there. */
  readonly cwd?: string;
}

/** The running agents under the prompt; where there are too many, those around the focus. */
export function treeLines(
  tree: readonly Branch[],
  focus: AgentFocus | undefined,
  { width, now, most: all, team, cwd }: TreeLook,
): Line[] {
  if (tree.length === 0 || all < 1) return [];
  const head = team && tree[0]?.member && all > 1 ? [headLine(tree, team, width)] : [];
  const most = all - head.length;
  const place = placeOf(tree, focus);
  const room = tree.length <= most ? tree.length : Math.max(1, most - 1);
  const from = Math.max(0, Math.min((place ?? 0) - Math.floor(room / 2), tree.length - room));
  const shown = tree.slice(from, from + room);
  const names = Math.min(
    Math.floor(width * 0.4),
    Math.max(...shown.map((branch) => cells(nameOf(branch)) + 2 * branch.depth)),
  );
  const rows = shown.map((branch, at) => branchLine(branch, from + at === place, { width, now, cwd, names }));
  const hidden = tree.length - room;
  return [...head, ...rows, ...(hidden > 0 ? [[as('faint', `    and ${hidden} more`)]] : [])];
}
