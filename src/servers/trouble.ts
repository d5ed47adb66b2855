/** What goes wrong with servers, as sentences. */
import type { ServerConfig } from '../contract/server.ts';
import { errorText } from '../lib/error-text.ts';

/** Both transports put the status of the answer into `code`. */
export const wantsSignIn = (failed: unknown): boolean =>
  failed instanceof Error && 'code' in failed && failed.code === 401;

/** Browser sign-in is not there: a token in a header is. */
export const signInText = (config: ServerConfig): string => {
  if (config.type === 'stdio') return `${config.command} wants a sign-in.`;
  const again = `Then /mcp reconnect ${config.name}.`;
  return Object.keys(config.headers).some((name) => name.toLowerCase() === 'authorization')
    ? `${config.url} refused the Authorization header that ${config.source} gives it (401). Renew the token. ${again}`
    : `${config.url} wants a sign-in (401). Coppice opens no browser for that: get a token from the service and put "headers": {"Authorization": "Bearer \${TOKEN}"} beside the url in ${config.source}, with TOKEN in your environment. ${again}`;
};

/** The library's code for a request that had no answer in its time. */
const NO_ANSWER = -32001;

/** The error of a request that waited `ms` milliseconds: where that was too short it says so, and what sets it. */
export const inTime = (failed: unknown, ms: number, setBy: string): unknown =>
  failed instanceof Error && 'code' in failed && failed.code === NO_ANSWER
    ? new Error(`It did not answer within ${ms / 1000} s (${setBy}, in ms, sets how long that is).`)
    : failed;

/** A failed request says why in its cause; the words end like a sentence. */
export const messageOf = (error: unknown): string => {
  const text = errorText(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
  const whole = cause === '' || text.includes(cause) ? text : `${text} (${cause})`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
};
