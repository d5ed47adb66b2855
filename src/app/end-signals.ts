import type { Host } from './host.ts';

const codes: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
  ['SIGUSR2', 140],
];

/** From here on a signal ends nothing by itself: what is open is closed first, then the exit code tells of it. */
export interface EndSignals {
  /** The exit code of the first signal that came. */
  code(): number | undefined;
  /** Called for every signal; at once when one has come already. */
  listen(action: () => void): void;
}

export const endSignals = (host: Pick<Host, 'onSignal'>): EndSignals => {
  // Node would open a debugger that anybody here could talk to.
  host.onSignal('SIGUSR1', () => {});
  let first: number | undefined;
  const actions: (() => void)[] = [];
  for (const [signal, code] of codes)
    host.onSignal(signal, () => {
      first ??= code;
      for (const action of actions) action();
    });
  return {
    code: () => first,
    listen(action) {
      actions.push(action);
      if (first !== undefined) action();
    },
  };
};
