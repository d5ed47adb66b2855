/** One rate governor for all agents of a run: when the service tells one of them to wait, everybody waits, and goes on by itself. */
import type { SessionId } from '../contract/ids.ts';
import type { RateLimits } from '../contract/model.ts';

export interface Governor {
  /** Undefined when nothing is limited; else resolves, in order of arrival, at the reset, or at once on abort. */
  pass(signal: AbortSignal): Promise<void> | undefined;
  /** The service told `from` to wait so long. True when a countdown is to be shown: one for all who wait. */
  wait(from: string, ms: number): boolean;
  /** Milliseconds until requests may go out again, 0 when nothing is limited. */
  left(): number;
  /** The person gave up the wait that `from` was told: where nobody else waits, the next request is tried at once. */
  giveUp(from: SessionId): void;
  /** Nobody needs to wait any more: it was given up in another process. */
  open(): void;
  /** What rate headers said: with nothing left, milliseconds until the reset when a countdown is to be shown. */
  hear(from: SessionId, limits: RateLimits): number | undefined;
}

/** Headers are a forecast by another clock: nobody waits longer for it, the service says itself when it is too early. */
const LONGEST_FORECAST_MS = 120_000;
/** A wait that grows by less than a countdown can show is not told again. */
const TELLING_MS = 1_000;

export const createGovernor = (now: () => number): Governor => {
  let until = 0;
  let teller: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const queue = new Set<() => void>();

  const look = (): void => {
    timer = undefined;
    const left = until - now();
    if (left > 0 && queue.size > 0) {
      timer = setTimeout(look, left);
      return;
    }
    const going = [...queue];
    queue.clear();
    for (const go of going) go();
  };

  const wait = (from: string, ms: number): boolean => {
    const at = now() + ms;
    const limited = until > now();
    const tell = !limited || from === teller || at > until + TELLING_MS;
    if (tell) teller = from;
    until = Math.max(until, at);
    return tell;
  };

  return {
    wait,
    left: () => Math.max(0, until - now()),
    giveUp(from) {
      if (from === teller && queue.size === 0) until = 0;
    },
    open() {
      until = 0;
      clearTimeout(timer);
      look();
    },
    hear(from, { requestsRemaining, tokensRemaining, resetAt }) {
      const ms = (resetAt ?? 0) - now();
      const usedUp = requestsRemaining === 0 || tokensRemaining === 0;
      if (!usedUp || ms <= 0 || ms > LONGEST_FORECAST_MS || until >= now() + ms) return undefined;
      return wait(from, ms) ? ms : undefined;
    },
    pass(signal) {
      if (signal.aborted || until <= now()) return undefined;
      return new Promise((resolve) => {
        const go = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          queue.delete(go);
          if (queue.size === 0) {
            clearTimeout(timer);
            timer = undefined;
          }
          resolve();
        };
        queue.add(go);
        signal.addEventListener('abort', leave, { once: true });
        timer ??= setTimeout(look, until - now());
      });
    },
  };
};
