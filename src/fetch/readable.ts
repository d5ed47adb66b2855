import * as z from 'zod';
import { inWorker, workerFile } from '../lib/in-worker.ts';

export interface ReadableTask {
  readonly html: string;
  /** Where it came from: relative links become whole ones. */
  readonly url: string;
}

const Answer = z.object({ title: z.string().optional(), text: z.string() });

const MOST_HTML = 3_000_000;
const READ_MS = 15_000;

/** Markdown of the part of a page that people read. `failed` is the end of a sentence. */
export const readable = async (
  html: string,
  url: string,
  signal: AbortSignal,
): Promise<
  | { readonly title?: string; readonly text: string; readonly cut: boolean }
  | { readonly failed: string }
  | { readonly interrupted: true }
> => {
  const task: ReadableTask = { html: html.slice(0, MOST_HTML), url };
  const end = await inWorker({
    file: workerFile('readable', import.meta.url),
    task,
    signal,
    timeoutMs: READ_MS,
  });
  return 'answer' in end ? { ...Answer.parse(end.answer), cut: html.length > MOST_HTML } : end;
};
