import type { SessionEvent } from '../../contract/event.ts';
import type { Session } from '../../contract/session.ts';
import { type Colours, languageOf } from './highlight.ts';
import type { Item } from './item.ts';
import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';
import { see } from './view.ts';
import { drained, flow, type View } from './view-state.ts';

/** How often a running answer is drawn, in milliseconds; a single event after a pause is drawn at once. */
const frameMs = 40;
/** The same after rows went into the scrollback: each time, the whole live part is written again below them. */
const printedMs = 90;

/** The same for what agents do, who may be many. */
const agentsMs = 200;

export interface Feed {
  /** Draws everything that came in until now. */
  flush(): void;
  stop(): void;
}

export interface FeedOptions {
  readonly store: Store<ScreenState>;
  readonly colours: Colours;
  /** Writes finished items into the scrollback. */
  show(items: readonly Item[]): void;
  /** After every frame: what changed between two views. */
  changed(before: View, after: View): void;
  now(): number;
}

/** Reads a session's events and folds them into the screen, many at a time. */
export function feed(session: Session, options: FeedOptions): Feed {
  const { store } = options;
  let pending: SessionEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let pause = frameMs;
  let due = 0;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const events = pending;
    pending = [];
    last = options.now();
    const before = store.get().view;
    const folded = flow(events.reduce((view, event) => see(view, event, last), before));
    // Rows in the scrollback are never repainted: code waits for its colours, which come within a moment.
    const coming = folded.items.flatMap((item) => options.colours.load(languageIn(item)) ?? []);
    const held = coming.length > 0;
    if (held) void Promise.all(coming).then(() => schedule());
    const { cwd } = session.state();
    store.update((state) => ({ ...state, cwd, now: last, view: held ? folded : drained(folded) }));
    pause = !held && folded.items.length > 0 ? printedMs : frameMs;
    if (!held && folded.items.length > 0) options.show(folded.items);
    options.changed(before, folded);
  };

  const schedule = (event?: SessionEvent) => {
    const soonest = Math.max(0, pauseBefore(event) - (options.now() - last));
    const at = options.now() + soonest;
    if (timer && at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(flush, soonest);
  };

  /** The end of a turn and a question are what a person waits for; what agents do is told in a row each, and can wait. */
  const pauseBefore = (event: SessionEvent | undefined): number => {
    if (event?.type === 'ask') return 0;
    if (event && event.session !== session.id) return Math.max(pause, agentsMs);
    return event?.type === 'turn.finished' ? 0 : pause;
  };

  const unlisten = session.listen((event) => {
    pending.push(event);
    schedule(event);
  });
  return {
    flush,
    stop() {
      unlisten();
      clearTimeout(timer);
    },
  };
}

/** The language of the code in an item; nothing paints the empty one. */
const languageIn = (item: Item): string => {
  if (item.kind === 'code') return item.language;
  return item.kind === 'tool' && item.call.display?.kind === 'diff' ? languageOf(item.call.display.path) : '';
};
