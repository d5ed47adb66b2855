/** A time limit by our own clock: settles when the time is up even if the work never ends. */
export const within = async <Result>(
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly done: Result } | 'timeout' | 'cancelled'> => {
  if (signal.aborted) return 'cancelled';
  const stop = new AbortController();
  const ended = Promise.withResolvers<'timeout' | 'cancelled'>();
  const cancel = () => ended.resolve('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(() => ended.resolve('timeout'), timeoutMs);
  try {
    return await Promise.race([work(stop.signal).then((done) => ({ done })), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    stop.abort();
  }
};
