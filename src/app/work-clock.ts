import type { SessionEvent } from '../contract/event.ts';
import type { AskId } from '../contract/ids.ts';
import { once } from '../lib/once.ts';

/** How long a run worked: what it waited for whoever drives it, for a message or an answer, does not count. */
interface WorkClock {
  /** It waits from now on, until what this answers is called. */
  wait(): () => void;
  /** Questions that open and are settled. */
  see(event: SessionEvent): void;
  /** Whole milliseconds of work so far. */
  ms(): number;
}

/** `started` is when the work began, in the time of `now`. */
export const workClock = (started: number, now: () => number): WorkClock => {
  let worked = 0;
  let since = started;
  let waits = 0;
  const count = (): void => {
    if (waits === 0) worked += now() - since;
    since = now();
  };
  const wait = (): (() => void) => {
    count();
    waits += 1;
    return once(() => {
      count();
      waits -= 1;
    });
  };
  const asked = new Map<AskId, () => void>();
  return {
    wait,
    see(event) {
      if (event.type === 'ask') asked.set(event.ask, wait());
      if (event.type === 'ask.settled') asked.get(event.ask)?.();
    },
    ms() {
      count();
      return Math.round(worked);
    },
  };
};

/** The same items; the time until each is there is waited. */
export async function* waitedFor<Item>(items: AsyncIterable<Item>, clock: WorkClock): AsyncGenerator<Item> {
  let back = clock.wait();
  try {
    for await (const item of items) {
      back();
      yield item;
      back = clock.wait();
    }
  } finally {
    back();
  }
}
