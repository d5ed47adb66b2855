/** A server's tool as one of ours: `mcp__server__tool`. Everything it says of itself is untrusted text. */
import type { Tool, ToolOutcome } from '../contract/tool.ts';
import { safeText } from '../lib/safe-text.ts';
import { safeName } from './config.ts';
import { type ContentPart, readContent } from './content.ts';

export interface RemoteTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly title?: string };
}

/** What a call answers; `isError` makes it an error result. */
export interface RemoteResult {
  readonly content: readonly ContentPart[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface ServerToolDeps {
  readonly server: string;
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<RemoteResult>;
  spill(text: string): Promise<string>;
  readonly maxChars?: number;
}

const DESCRIPTION_MOST = 2048;

export const serverTool = (remote: RemoteTool, deps: ServerToolDeps): Tool => {
  const name = `mcp__${safeName(deps.server)}__${safeName(remote.name)}`;
  const description = safeText(remote.description ?? remote.annotations?.title ?? remote.name);
  return {
    schema: {
      name,
      description:
        description.length > DESCRIPTION_MOST ? `${description.slice(0, DESCRIPTION_MOST)}…` : description,
      input_schema: { ...remote.inputSchema, type: 'object' },
    },
    prepare(raw) {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
        return { invalid: `${name} takes an object with its parameters.` };
      const input = raw as Readonly<Record<string, unknown>>;
      const readOnly = remote.annotations?.readOnlyHint === true;
      return {
        input,
        subject: JSON.stringify(input),
        readOnly,
        parallel: readOnly,
        run: async (ctx): Promise<ToolOutcome> => {
          try {
            const result = await deps.call(remote.name, input, ctx.signal, ctx.progress);
            const { text, blocks } = await readContent(
              result.content,
              result.structuredContent,
              deps.maxChars,
              deps.spill,
            );
            const shown = { kind: 'text', body: text } as const;
            if (result.isError) return { status: 'error', text, display: { ...shown, failed: true } };
            return {
              status: 'ok',
              text,
              ...(blocks ? { blocks } : {}),
              display: shown,
              response: {
                content: result.content,
                ...(result.structuredContent === undefined
                  ? {}
                  : { structuredContent: result.structuredContent }),
              },
            };
          } catch (error) {
            if (ctx.signal.aborted)
              return { status: 'cancelled', text: `[interrupted] The call of ${name} was cancelled.` };
            return {
              status: 'error',
              text: `${name} failed: ${error instanceof Error ? safeText(error.message) : 'unknown error'}`,
            };
          }
        },
      };
    },
  };
};
