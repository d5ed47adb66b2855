/** One call of a server's tool, with its progress, its cancelling and one more try where the server forgot us. */
import * as z from 'zod';
import type { Connection } from './connection.ts';
import type { ContentPart } from './content.ts';
import type { RemoteResult, ServerToolDeps } from './server-tool.ts';

const callResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

/** An address answers 404 when it does not know our session any more: nothing of the call was done. */
export const isSessionGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 404;

export interface RemoteCallDeps {
  readonly timeoutMs: number;
  /** Throws a sentence when nothing is connected. */
  live(): Connection;
  /** Connects anew where that helps against this error; true when it did. Throws a better error where it knows one. */
  renewed(failed: unknown): Promise<boolean>;
  /** Resolves when what the server said of its lists until now was looked at. */
  listed(): Promise<void>;
}

const progressText = (done: number, total: number | undefined, message: string | undefined): string =>
  `${message ? `${message} ` : ''}${done}${total === undefined ? '' : `/${total}`}\n`;

export const callRemote = ({ timeoutMs, live, renewed, listed }: RemoteCallDeps): ServerToolDeps['call'] => {
  return async (name, input, signal, progress): Promise<RemoteResult> => {
    const ask = async () => {
      const result = await live().request(
        { method: 'tools/call', params: { name, arguments: { ...input } } },
        callResult,
        {
          signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          onprogress: (step) => progress(progressText(step.progress, step.total, step.message)),
        },
      );
      await listed();
      return {
        content: result.content as readonly ContentPart[],
        ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
        isError: result.isError === true,
      };
    };
    try {
      return await ask();
    } catch (failed) {
      if (signal.aborted || !(await renewed(failed))) throw failed;
      return ask();
    }
  };
};
