import type { AgentInfo } from '../../contract/agent.ts';
import type { OpenAsk } from '../../contract/ask.ts';
import type { SessionId } from '../../contract/ids.ts';
import type { Session } from '../../contract/session.ts';
import { safeText } from '../../lib/safe-text.ts';
import { askedBy, rowsOf } from './agent-rows.ts';
import type { AgentRow, Item, ToolCall } from './item.ts';
import { finish, isEmpty, noStream, type Piece, type Stream, settle } from './stream.ts';

export interface Queued {
  readonly place: number;
  readonly text: string;
}

/** Everything on screen that comes from events; the fold of all of them. */
export interface View {
  readonly root: SessionId;
  /** Finished and not yet written out. */
  readonly items: readonly Item[];
  readonly stream: Stream;
  /** The next piece of the answer follows without an empty row. */
  readonly close: boolean;
  readonly thinking?: { readonly text: string; readonly since: number };
  /** In source order: running ones, and finished ones that wait for an earlier one. */
  readonly tools: readonly ToolCall[];
  readonly agents: readonly AgentRow[];
  /** Agents in the background whose end was shown: the notice of it says nothing new. */
  readonly reported: readonly SessionId[];
  readonly queue: readonly Queued[];
  readonly asks: readonly OpenAsk[];
  readonly hooks: readonly { readonly id: string; readonly text: string }[];
  readonly busy: boolean;
  /** When the running turn began, epoch milliseconds; later by what it waited for answers. */
  readonly since: number;
  /** Since when the turn stands still for an answer, epoch milliseconds. */
  readonly asking?: number;
  /** Milliseconds that this turn stood still for answers. */
  readonly waited: number;
  /** Characters streamed in this turn and not yet counted by the service. */
  readonly fresh: number;
  /** Output tokens of this turn that the service has counted. */
  readonly counted: number;
  readonly announced?: string;
  readonly retry?: {
    readonly text: string;
    readonly attempt: number;
    readonly of: number;
    readonly until: number;
  };
  readonly activity?: string;
  readonly compacting: boolean;
  readonly lastError?: string;
  /** A typed command that stands on the screen already. */
  readonly echoed?: string;
  readonly over: boolean;
}

export const emptyView = (root: SessionId): View => ({
  root,
  items: [],
  stream: noStream,
  close: false,
  tools: [],
  agents: [],
  reported: [],
  queue: [],
  asks: [],
  hooks: [],
  busy: false,
  since: 0,
  waited: 0,
  fresh: 0,
  counted: 0,
  compacting: false,
  over: false,
});

/** A session as a screen finds it: questions may be open in it and agents run. */
export const viewOf = (session: Session, agents: readonly AgentInfo[], now: number): View => {
  const rows = rowsOf(agents, now);
  const view: View = {
    ...emptyView(session.id),
    asks: session.openAsks().map((ask) => askedBy(ask, rows)),
    busy: session.busy(),
    since: now,
    agents: rows,
  };
  return withAnswerTime(view, now);
};

/**
 * Keeps the time that a turn stood still for an answer out of the time that it worked. Questions of agents in the
 * background hold nobody up. `now`: epoch milliseconds.
 */
export function withAnswerTime(view: View, now: number): View {
  const held = view.asks.some(({ session }) => holdsUp(view, session));
  if (held) return view.asking === undefined ? { ...view, asking: now } : view;
  if (view.asking === undefined) return view;
  const waited = now - view.asking;
  return { ...view, asking: undefined, waited: view.waited + waited, since: view.since + waited };
}

const holdsUp = (view: View, session: SessionId): boolean => {
  if (session === view.root) return true;
  const row = view.agents.find(({ id }) => id === session);
  return row !== undefined && !row.background && holdsUp(view, row.parent ?? view.root);
};

/** Once a frame: moves what is finished of the running answer to the finished items. */
export function flow(view: View): View {
  if (isEmpty(view.stream)) return view;
  const { stream, pieces } = settle(view.stream);
  return stream === view.stream ? view : withPieces({ ...view, stream }, pieces);
}

/** Ends what is being written (answer, thinking), for something else follows. */
export function flushed(view: View, now: number): View {
  const thought: View = view.thinking
    ? {
        ...view,
        thinking: undefined,
        items: [...view.items, { kind: 'thought', text: view.thinking.text, ms: now - view.thinking.since }],
      }
    : view;
  if (isEmpty(thought.stream)) return thought;
  const { stream, pieces } = finish(thought.stream);
  return { ...withPieces({ ...thought, stream }, pieces), close: false };
}

export const noted = (view: View, level: 'info' | 'warn' | 'error', text: string): View => ({
  ...view,
  items: [...view.items, { kind: 'note', level, text: safeText(text) }],
});

/** The front took the finished items over. */
export const drained = (view: View): View => (view.items.length === 0 ? view : { ...view, items: [] });

function withPieces(view: View, pieces: readonly Piece[]): View {
  let close = view.close;
  const items: Item[] = pieces.map((piece) => {
    const item: Item =
      piece.kind === 'markdown'
        ? { kind: 'markdown', text: piece.text, close }
        : { ...piece, close: close || piece.before !== '' };
    close = piece.kind === 'markdown' && piece.close;
    return item;
  });
  return { ...view, close, items: [...view.items, ...items] };
}

/** Finished calls leave in source order, so that scrollback reads as it was asked. */
export function drainTools(view: View): View {
  const open = view.tools.findIndex((one) => one.status === 'running');
  const done = open < 0 ? view.tools : view.tools.slice(0, open);
  if (done.length === 0) return view;
  return {
    ...view,
    tools: view.tools.slice(done.length),
    items: [...view.items, ...done.map((call): Item => ({ kind: 'tool', call }))],
  };
}
