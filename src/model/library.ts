/** Loaded by the first request; a file of its own, so that the bundle holds only this part of the library. */
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Answer } from './plain-response.ts';

export interface LibraryOptions {
  readonly baseURL: string;
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Answer>;
}

/** A client that neither retries, logs, traces nor looks for credentials: all that is ours. */
export const createLibrary = ({ baseURL, fetch }: LibraryOptions): BaseAnthropic =>
  new BaseAnthropic({
    apiKey: 'set-by-the-connection',
    baseURL,
    // It reads no more of an answer than we give; its type asks for all of the platform's.
    fetch: fetch as typeof globalThis.fetch,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
