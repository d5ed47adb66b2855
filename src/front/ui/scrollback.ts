import { lookOf } from './frame.ts';
import type { Item } from './item.ts';
import { stackedLines } from './item-lines.ts';
import type { ScreenState } from './screen-state.ts';
import type { Line } from './span.ts';
import type { Store } from './store.ts';
import { ansiLines } from './theme.ts';

/** What stands above the live part, and the only way to add to it; while another page or program has the terminal, it waits. */
export interface Scrollback {
  print(lines: readonly Line[]): void;
  show(items: readonly Item[]): void;
  /** Rows that stand there already. */
  began(lines: readonly Line[]): void;
  /** The newest rows, for drawing the screen again. */
  recent(most: number): readonly Line[];
  /** Ink is mounted inline: its way of writing above the frame. */
  attach(write: (text: string) => void): void;
  detach(): void;
}

/** Rows that are kept for drawing the screen again. */
const KEPT = 300;

export function createScrollback(store: Store<ScreenState>): Scrollback {
  let write: ((text: string) => void) | undefined;
  let waiting = '';
  let recent: readonly Line[] = [];

  const print = (lines: readonly Line[]): void => {
    if (lines.length === 0) return;
    recent = [...recent, ...lines].slice(-KEPT);
    const text = `${ansiLines(lines, store.get().theme)}\n`;
    if (write) write(text);
    else waiting += text;
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
    },
    recent: (most) => recent.slice(-most),
    attach(next) {
      write = next;
      const text = waiting;
      waiting = '';
      if (text !== '') next(text);
    },
    detach() {
      write = undefined;
    },
  };
}
