import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';

/** How often spinner and elapsed time move, in milliseconds. */
const every = { lively: 125, calm: 1000 } as const;
type Pace = keyof typeof every;

const paceOf = ({ view, shell, tasks, tasksShown, team }: ScreenState): Pace | undefined => {
  if (view.busy || view.compacting || view.retry !== undefined || shell !== undefined) return 'lively';
  // What agents and others work on has its time on the screen as well.
  const members = new Map(team?.members.map(({ session, state }) => [session, state]));
  const working =
    view.agents.some(({ id }) => !members.has(id)) ||
    [...members.values()].includes('working') ||
    (tasksShown && tasks.tasks.some(({ status }) => status === 'in_progress'));
  return working ? 'calm' : undefined;
};

/** Moves the clock of the screen while something runs; an idle screen does nothing at all. */
export function whileActive(store: Store<ScreenState>, most: Pace, now: () => number): () => void {
  let timer: { readonly pace: Pace; readonly stop: () => void } | undefined;
  const begin = (pace: Pace) => {
    const tick = () =>
      store.update((state) => ({ ...state, now: now(), tick: pace === 'calm' ? 0 : state.tick + 1 }));
    const interval = setInterval(tick, every[pace]);
    return { pace, stop: () => clearInterval(interval) };
  };
  const look = () => {
    const wanted = paceOf(store.get());
    const pace = wanted && (most === 'calm' ? most : wanted);
    if (timer?.pace === pace) return;
    timer?.stop();
    timer = pace && begin(pace);
  };
  const stop = store.subscribe(look);
  look();
  return () => {
    stop();
    timer?.stop();
  };
}
