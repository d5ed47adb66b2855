/** A server's tool as one of ours: `mcp__server__tool`. Everything it says of itself is untrusted text. */
import * as z from 'zod';
import type { Tool, ToolOutcome } from '../contract/tool.ts';
import { safeText } from '../lib/safe-text.ts';
import { type ContentPart, type ContentPorts, readContent } from './content.ts';
import type { RemoteTool } from './offer.ts';

/** What a call answers; `isError` makes it an error result. */
export interface RemoteResult {
  readonly content: readonly ContentPart[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface ServerToolDeps {
  /** What the model calls it. */
  readonly name: string;
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<RemoteResult>;
  readonly content: ContentPorts;
}

const DESCRIPTION_MOST = 2048;

const record = z.record(z.string(), z.unknown());
type Schema = Readonly<Record<string, unknown>>;

/** The service takes no alternatives at the top of a schema: their properties are offered together, none of them required. */
const plainSchema = (schema: Schema): Schema => {
  const { oneOf, anyOf, allOf, ...rest } = schema;
  const branches = [oneOf, anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const properties = [...branches, rest].map(
    (branch) => record.safeParse(record.safeParse(branch).data?.properties).data,
  );
  return { ...rest, type: 'object', properties: Object.assign({}, ...properties) };
};

const resultText = (error: unknown): string =>
  error instanceof Error ? safeText(error.message) : 'unknown error';

export const serverTool = (remote: RemoteTool, deps: ServerToolDeps): Tool => {
  const { name } = deps;
  const description = safeText(remote.description ?? remote.annotations?.title ?? remote.name);
  const readOnly = remote.annotations?.readOnlyHint === true;
  const run = async (
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<ToolOutcome> => {
    const result = await deps.call(remote.name, input, signal, progress);
    const { text, blocks } = await readContent(result.content, result.structuredContent, deps.content);
    const shown = { kind: 'text', body: text } as const;
    if (result.isError) return { status: 'error', text, display: { ...shown, failed: true } };
    const structured =
      result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent };
    return {
      status: 'ok',
      text,
      ...(blocks ? { blocks } : {}),
      display: shown,
      response: { content: result.content, ...structured },
    };
  };
  return {
    schema: {
      name,
      description:
        description.length > DESCRIPTION_MOST
          ? `${description.slice(0, DESCRIPTION_MOST).toWellFormed()}…`
          : description,
      input_schema: { ...plainSchema(remote.inputSchema), type: 'object' },
    },
    prepare(raw) {
      const input = record.safeParse(raw ?? {}).data;
      if (!input || Array.isArray(raw)) return { invalid: `${name} takes an object with its parameters.` };
      return {
        input,
        subject: JSON.stringify(input),
        readOnly,
        parallel: readOnly,
        run: ({ signal, progress }) =>
          run(input, signal, progress).catch(
            (error: unknown): ToolOutcome =>
              signal.aborted
                ? { status: 'cancelled', text: `[interrupted] The call of ${name} was cancelled.` }
                : { status: 'error', text: `${name} failed: ${resultText(error)}` },
          ),
      };
    },
  };
};
