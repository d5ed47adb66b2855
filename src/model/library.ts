/** Loaded by the first request; a file of its own, so that the bundle holds only this part of the library. */
import { BaseAnthropic } from '@anthropic-ai/sdk/client';

export interface LibraryOptions {
  readonly baseURL: string;
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

/** A client that neither retries, logs, traces nor looks for credentials: all that is ours. */
export const createLibrary = ({ baseURL, fetch }: LibraryOptions): BaseAnthropic =>
  new BaseAnthropic({
    apiKey: 'set-by-the-connection',
    baseURL,
    fetch,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
