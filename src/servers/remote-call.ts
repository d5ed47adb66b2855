/** One call of a server's tool, with its progress and its cancelling. */
import * as z from 'zod';
import type { ContentPart } from './content.ts';
import type { Reach } from './reach.ts';
import type { RemoteResult, ServerToolDeps } from './server-tool.ts';
import { inTime } from './trouble.ts';

const callResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

export interface RemoteCallDeps {
  readonly timeoutMs: number;
  readonly ask: Reach['ask'];
  /** Resolves when what the server said of its lists until now was looked at. */
  listed(): Promise<void>;
}

const progressText = (done: number, total: number | undefined, message: string | undefined): string =>
  `${message ? `${message} ` : ''}${done}${total === undefined ? '' : `/${total}`}\n`;

export const callRemote = ({ timeoutMs, ask, listed }: RemoteCallDeps): ServerToolDeps['call'] => {
  return async (name, input, signal, progress): Promise<RemoteResult> => {
    const result = await ask(signal, (connection) =>
      connection.request({ method: 'tools/call', params: { name, arguments: { ...input } } }, callResult, {
        signal,
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        onprogress: (step) => progress(progressText(step.progress, step.total, step.message)),
      }),
    ).catch((failed: unknown) => {
      throw inTime(failed, timeoutMs, 'MCP_TOOL_TIMEOUT');
    });
    await listed();
    return {
      content: result.content as readonly ContentPart[],
      ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
      isError: result.isError === true,
    };
  };
};
