import { lookOf } from './frame.ts';
import type { Item } from './item.ts';
import { stackedLines } from './item-lines.ts';
import type { ScreenState } from './screen-state.ts';
import { type Line, plain } from './span.ts';
import type { Store } from './store.ts';
import { ansiLines } from './theme.ts';
import { cells } from './width.ts';

/** What stands above the live part, and the only way to add to it; while another page or program has the terminal, it waits. */
export interface Scrollback {
  print(lines: readonly Line[]): void;
  show(items: readonly Item[]): void;
  /** Rows that stand there already. */
  began(lines: readonly Line[]): void;
  /**
   * The newest rows that fit into a window, for drawing it again, and those that still wait however many they are;
   * `all` tells that no others were ever shown.
   */
  again(columns: number, most: number): { readonly lines: readonly Line[]; readonly all: boolean };
  /** Ink is mounted inline: its way of writing above the frame. */
  attach(write: (text: string) => void): void;
  detach(): void;
}

/** Rows that are kept for drawing the screen again. */
const KEPT = 300;

export function createScrollback(store: Store<ScreenState>): Scrollback {
  let write: ((text: string) => void) | undefined;
  let waiting = '';
  let waitingLines = 0;
  let shown = 0;
  let recent: readonly Line[] = [];

  const print = (lines: readonly Line[]): void => {
    if (lines.length === 0) return;
    shown += lines.length;
    recent = [...recent, ...lines].slice(-(KEPT + waitingLines));
    const text = `${ansiLines(lines, store.get().theme)}\n`;
    if (write) write(text);
    else {
      waiting += text;
      waitingLines += lines.length;
    }
  };

  return {
    print,
    show(items) {
      const before = store.get();
      const { lines, row } = stackedLines(items, lookOf(before), before.row);
      if (row !== before.row) store.update((state) => ({ ...state, row }));
      print(lines);
    },
    began(lines) {
      recent = lines;
      shown = lines.length;
    },
    again(columns, most) {
      const lines = recent.slice(-Math.max(waitingLines, fitting(recent, columns, most)));
      waiting = '';
      waitingLines = 0;
      return { lines, all: lines.length === shown };
    },
    attach(next) {
      write = next;
      const text = waiting;
      waiting = '';
      waitingLines = 0;
      if (text !== '') next(text);
    },
    detach() {
      write = undefined;
    },
  };
}

/** How many lines from the end take at most so many rows. */
function fitting(lines: readonly Line[], columns: number, most: number): number {
  let rows = 0;
  for (const [at, line] of lines.toReversed().entries()) {
    rows += Math.max(1, Math.ceil(cells(plain(line)) / columns));
    if (rows > most) return at;
  }
  return lines.length;
}
