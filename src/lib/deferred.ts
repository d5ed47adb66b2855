export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** A promise with its resolver in hand. */
export const deferred = <T>(): Deferred<T> => {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
};

/** Resolves when the signal fires; at once when it has. It listens until then: for signals that end with their work. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** What comes of a work; undefined when a signal fires first. Nothing of it stays behind at the signals. */
export const orAborted = async <T>(
  work: Promise<T>,
  ...signals: readonly AbortSignal[]
): Promise<T | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  for (const signal of signals) {
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  }
  try {
    return await Promise.race([work, promise]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
};
