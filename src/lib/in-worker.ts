/** Heavy or risky work on outside data beside the main thread: it can be ended, and it can run out of its own memory only. */
import { Worker } from 'node:worker_threads';
import { errorText } from './error-text.ts';

/** A worker file beside the module that asks: `x.worker.ts` in the sources, `x.worker.js` in the bundle. */
export const workerFile = (name: string, beside: string): URL =>
  new URL(`./${name}.worker.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside);

export interface WorkerWish {
  readonly file: URL;
  /** Plain data; the worker reads it as `workerData`. */
  readonly task: unknown;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Megabytes of heap (default 512). */
  readonly memory?: number;
}

/** `failed` is the end of a sentence: what became of the work. */
export type WorkerEnd =
  | { readonly answer: unknown }
  | { readonly failed: string }
  | { readonly interrupted: true };

/** Starts a worker for one task and takes its first message as the answer. Never rejects; what the worker prints is dropped. */
export const inWorker = async (wish: WorkerWish): Promise<WorkerEnd> => {
  if (wish.signal.aborted) return { interrupted: true };
  const { promise, resolve } = Promise.withResolvers<WorkerEnd>();
  const worker = new Worker(wish.file, {
    workerData: wish.task,
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: wish.memory ?? 512 },
  });
  const timer = setTimeout(
    () => resolve({ failed: `it took longer than ${Math.round(wish.timeoutMs / 1000)} seconds` }),
    wish.timeoutMs,
  );
  const stop = () => resolve({ interrupted: true });
  wish.signal.addEventListener('abort', stop, { once: true });
  worker.once('message', (answer: unknown) => resolve({ answer }));
  worker.once('error', (error: unknown) => resolve({ failed: errorText(error) }));
  worker.once('exit', () => resolve({ failed: 'it ended without an answer' }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    wish.signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
};
