import type { SessionEvent } from '../../contract/event.ts';
import type { CallId, SessionId } from '../../contract/ids.ts';
import type { Entry } from '../../contract/transcript.ts';
import { pastItems, subjectOf } from './history.ts';
import type { Item, ToolCall } from './item.ts';
import { stackedLines } from './item-lines.ts';
import { liveLines } from './live-lines.ts';
import type { Line } from './span.ts';
import type { Look } from './tool-lines.ts';
import { see, seeDelta } from './view.ts';
import { drained, emptyView, flow, type View } from './view-state.ts';

/** One agent's conversation as it grows: what is stored, and what happens since. */
export interface LiveConversation {
  hear(event: SessionEvent): void;
  /**
   * The stored part, and what was written of a reply before anything was heard; what was heard meanwhile and stands in
   * the stored part is not taken twice.
   */
  load(entries: readonly Entry[], reply: string, now: number): void;
  /** False for an agent in another process, of which only what it stored is known. */
  heard(): boolean;
  /** True when something came since it was asked last. */
  changed(): boolean;
  lines(look: Look, now: number): Line[];
}

const spoken: ReadonlySet<SessionEvent['type']> = new Set([
  ...(['turn.started', 'turn.finished', 'request.started', 'delta', 'entry', 'retry', 'notice'] as const),
  ...([
    'tool.started',
    'tool.progress',
    'tool.finished',
    'hook.started',
    'hook.finished',
    'compacting',
  ] as const),
]);

interface Painted {
  readonly look: string;
  readonly count: number;
  readonly lines: readonly Line[];
  /** The last of them is a call in a single row. */
  readonly row: boolean;
}

export function liveConversation(id: SessionId): LiveConversation {
  let stored: ReadonlySet<string> | undefined;
  let answered: ReadonlySet<string> = new Set();
  let early: SessionEvent[] = [];
  let items: readonly Item[] = [];
  let view: View = emptyView(id);
  let fresh = true;
  let heard = false;
  /** A reply whose beginning was not heard is shown when it is whole. */
  let fromBeginning = false;
  let painted: Painted | undefined;

  const fold = (event: SessionEvent, now: number): void => {
    if (event.type === 'request.started') fromBeginning = true;
    if (event.type === 'delta' && !fromBeginning) return;
    if (event.type === 'entry' && stored?.has(event.entry.uuid)) return;
    if (event.type === 'tool.finished' && answered.has(event.call)) return;
    const next = flow(see(view, event, now));
    items = next.items.length > 0 ? [...items, ...next.items] : items;
    view = drained(next);
    fresh = true;
  };

  /** Finished items are laid out once. */
  const past = (look: Look): Painted => {
    const key = `${look.width} ${look.full} ${look.links}`;
    const kept = painted?.look === key ? painted : { look: key, count: 0, lines: [], row: false };
    if (kept.count < items.length) {
      const { lines, row } = stackedLines(items.slice(kept.count), look, kept.row);
      painted = { look: key, count: items.length, lines: [...kept.lines, ...lines], row };
    } else painted = kept;
    return painted;
  };

  return {
    hear(event) {
      // Of one in another process only questions and its end come here, and none of what it says.
      if (event.session !== id || !spoken.has(event.type)) return;
      heard = true;
      if (stored === undefined) early.push(event);
      else fold(event, Date.now());
    },
    load(entries, reply, now) {
      stored = new Set(entries.map((entry) => entry.uuid));
      answered = new Set(answersIn(entries));
      items = pastItems(entries, true);
      painted = undefined;
      fresh = true;
      view = { ...emptyView(id), tools: runningIn(entries, answered, now) };
      const last = early.findLastIndex((event) => event.type === 'entry' && stored?.has(event.entry.uuid));
      if (last < 0 && reply !== '') {
        fromBeginning = true;
        view = seeDelta(view, 'text', reply, now);
      }
      for (const event of early.slice(last + 1)) fold(event, now);
      early = [];
    },
    heard: () => heard,
    changed() {
      const was = fresh;
      fresh = false;
      return was || view.tools.length > 0;
    },
    lines(look, now) {
      const { lines, row } = past(look);
      return [...lines, ...liveLines(view, look, now, row)];
    },
  };
}

const answersIn = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) =>
    entry.type === 'user'
      ? entry.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );

/** Calls of the last reply that have no result yet. */
const runningIn = (entries: readonly Entry[], answered: ReadonlySet<string>, now: number): ToolCall[] => {
  const reply = entries.findLast((entry) => entry.type === 'assistant');
  return (reply?.message.content ?? []).flatMap((block): ToolCall[] =>
    block.type === 'tool_use' && !answered.has(String(block.id))
      ? [
          {
            call: block.id as CallId,
            tool: String(block.name),
            subject: subjectOf(block.input),
            since: now,
            status: 'running',
            progress: '',
            text: '',
          },
        ]
      : [],
  );
};
