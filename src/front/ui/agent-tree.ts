import type { SessionId } from '../../contract/ids.ts';
import type { AgentRow } from './item.ts';
import { short } from './item-lines.ts';
import { as, type Line, type Role, span } from './span.ts';
import { duration } from './tool-lines.ts';
import { isStalled } from './view-agents.ts';
import type { View } from './view-state.ts';
import { cells, clip } from './width.ts';
import { clipLine, pad } from './wrap.ts';

/** One running agent in the tree under the prompt. */
export interface Branch {
  readonly row: AgentRow;
  /** 0 for those that the main conversation started. */
  readonly depth: number;
}

/** Which agent the keys go to; its place counts when it has ended meanwhile. */
export interface AgentFocus {
  readonly id: SessionId;
  readonly place: number;
}

/** Children under their parents, in the order in which they came. */
export function treeOf({ agents }: Pick<View, 'agents'>): readonly Branch[] {
  if (agents.length === 0) return [];
  const here = new Set(agents.map((row) => row.id));
  const under = (parent: SessionId, depth: number): readonly Branch[] =>
    agents
      .filter((row) => row.parent === parent && row.id !== parent)
      .flatMap((row) => [{ row, depth }, ...under(row.id, depth + 1)]);
  return agents
    .filter((row) => row.parent === undefined || !here.has(row.parent))
    .flatMap((row) => [{ row, depth: 0 }, ...under(row.id, 1)]);
}

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

const nameOf = ({ name, label }: AgentRow): string => (name ? `${name} · ${label}` : label);

const factsOf = (row: AgentRow, now: number): string => {
  const tokens = row.tokens + Math.round(row.reply.length / CHARS_PER_TOKEN);
  return [
    ...(row.background ? [] : ['waited for']),
    ...(tokens > 0 ? [`${short(tokens)} tokens`] : []),
    duration(now - row.since),
  ].join(' · ');
};

/** Name, what it does, how much, how long. Its glyph tells the state without colour too. */
function branchLine(
  { row, depth }: Branch,
  here: boolean,
  { width, now, names }: Pick<TreeLook, 'width' | 'now'> & { readonly names: number },
): Line {
  const stalled = isStalled(row, now);
  const glyph = row.waiting ? '?' : stalled ? '!' : row.resting ? '◌' : '○';
  const role = row.waiting || stalled ? 'warn' : (roles[row.color ?? ''] ?? 'running');
  const doing = row.waiting ? 'waits for an answer' : stalled ? 'stalled' : row.doing;
  const facts = factsOf(row, now);
  const begin: Line = [
    here ? as('select', '❯ ') : span('  '),
    as('faint', depth > 0 ? `${'  '.repeat(depth - 1)}└ ` : ''),
    as(role, `${glyph} `),
    span(clip(nameOf(row), Math.max(4, names - 2 * depth)), here ? { role: 'select', bold: true } : {}),
  ];
  const room = width - names - cells(facts) - 10;
  return clipLine(
    [
      ...pad(begin, names + 6),
      ...pad([as(role === 'warn' ? 'warn' : 'dim', clip(doing, Math.max(8, room)))], Math.max(8, room)),
      as('faint', `  ${facts}`),
    ],
    width - 1,
  );
}

export interface TreeLook {
  readonly width: number;
  readonly now: number;
  /** Most rows it may take. */
  readonly most: number;
}

/** The running agents under the prompt; where there are too many, those around the focus. */
export function treeLines(
  tree: readonly Branch[],
  focus: AgentFocus | undefined,
  { width, now, most }: TreeLook,
): Line[] {
  if (tree.length === 0 || most < 1) return [];
  const place = placeOf(tree, focus);
  const room = tree.length <= most ? tree.length : Math.max(1, most - 1);
  const from = Math.max(0, Math.min((place ?? 0) - Math.floor(room / 2), tree.length - room));
  const shown = tree.slice(from, from + room);
  const names = Math.min(
    Math.floor(width * 0.4),
    Math.max(...shown.map(({ row, depth }) => cells(nameOf(row)) + 2 * depth)),
  );
  const rows = shown.map((branch, at) => branchLine(branch, from + at === place, { width, now, names }));
  const hidden = tree.length - room;
  return hidden > 0 ? [...rows, [as('faint', `    and ${hidden} more`)]] : rows;
}
