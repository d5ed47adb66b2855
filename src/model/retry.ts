import { setTimeout as sleep } from 'node:timers/promises';
import type { RateLimits } from '../contract/model.ts';

const LONGEST_BACKOFF_MS = 32_000;
/** A server that asks for more patience than this is not waited for. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** The server's own wish in milliseconds, from `retry-after-ms` or `retry-after` (seconds or a date). */
export const retryAfterMs = (headers: Headers, now: number): number | undefined => {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const wish = headers.get('retry-after')?.trim();
  if (!wish) return undefined;
  if (/^\d+(\.\d+)?$/.test(wish)) return Number.parseFloat(wish) * 1000;
  const until = Date.parse(wish);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
};

/**
 * The wait before try `attempt` + 1: at least what the server asks for, else the base doubled with every try,
 * up to half of it added by chance so that clients do not come back all at once.
 */
export const delayOf = (
  attempt: number,
  asked: number | undefined,
  { base = 500, random = Math.random }: { base?: number; random?: () => number } = {},
): number => {
  if (asked !== undefined) return Math.ceil(asked + random() * Math.min(base, asked / 10));
  const backoff = Math.min(base * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
  return Math.ceil(backoff * (1 + random() / 2));
};

/** True when the time is over, false when the signal ended it. */
export const waited = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};

const number = (text: string | null): number | undefined => {
  const value = Number.parseFloat(text ?? '');
  return Number.isNaN(value) ? undefined : value;
};

/** What the rate headers say; undefined where there are none. */
export const rateLimitsOf = (headers: Headers): RateLimits | undefined => {
  const read = (name: string) => headers.get(`anthropic-ratelimit-${name}`);
  const requestsRemaining = number(read('requests-remaining'));
  const tokensRemaining = number(read('tokens-remaining')) ?? number(read('input-tokens-remaining'));
  const date = Date.parse(read('tokens-reset') ?? read('requests-reset') ?? '');
  const unified = number(read('unified-reset'));
  const resetAt = unified !== undefined ? unified * 1000 : Number.isNaN(date) ? undefined : date;
  if (requestsRemaining === undefined && tokensRemaining === undefined && resetAt === undefined)
    return undefined;
  return { requestsRemaining, tokensRemaining, resetAt };
};
