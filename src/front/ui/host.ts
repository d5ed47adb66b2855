import type { ScreenPorts } from '../../contract/screen.ts';
import type { Session } from '../../contract/session.ts';
import type { Item } from './item.ts';
import type { ScreenState } from './screen-state.ts';
import type { Line } from './span.ts';
import type { Store } from './store.ts';

/** What the parts of the screen share; one per screen. */
export interface Host {
  readonly store: Store<ScreenState>;
  readonly ports: ScreenPorts;
  /** Nothing before the first one is attached. */
  session(): Session | undefined;
  /** Takes in every event until now. */
  flush(): void;
  /** Finished items, into the scrollback, after the events that came before them. */
  show(...items: readonly Item[]): void;
  /** Rows as they are. */
  print(lines: readonly Line[]): void;
  /** Says something in the footer for a moment. */
  hint(text: string | undefined, ms?: number): void;
  /** Hands the terminal over for the time of `work`. */
  suspend<T>(work: () => Promise<T>): Promise<T>;
  /** Stops the whole job, as Ctrl+Z does elsewhere. */
  stopJob(): void;
  redraw(): void;
  exit(reason: 'quit' | 'end'): void;
  /** Reads the footer's facts again. */
  refresh(): void;
  bell(): void;
  now(): number;
}
