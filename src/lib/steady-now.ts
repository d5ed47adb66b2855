/** Epoch milliseconds by a clock that nobody can set while this program runs: for waits and limits of time. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();
