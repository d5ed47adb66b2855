import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';

/** How often spinner and elapsed time move, in milliseconds. */
const every = { lively: 125, calm: 1000 } as const;

const active = ({ view, shell }: ScreenState): boolean =>
  view.busy || view.compacting || view.retry !== undefined || view.agents.length > 0 || shell !== undefined;

/** Moves the clock of the screen while something runs; an idle screen does nothing at all. */
export function whileActive(
  store: Store<ScreenState>,
  pace: 'lively' | 'calm',
  now: () => number,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const tick = () =>
    store.update((state) => ({ ...state, now: now(), tick: pace === 'calm' ? 0 : state.tick + 1 }));
  const look = () => {
    if (active(store.get())) timer ??= setInterval(tick, every[pace]);
    else if (timer) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const stop = store.subscribe(look);
  look();
  return () => {
    stop();
    clearInterval(timer);
  };
}
