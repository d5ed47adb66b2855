import * as z from 'zod';
import type { AssistantBlock, UserBlock } from '../contract/message.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { Connection } from './connection.ts';
import { jsonOf } from './trouble.ts';

const CHARS_PER_TOKEN = 4;
const IMAGE_TOKENS = 1600;
/** Base64 characters of a PDF for one token: about 3,000 tokens a page of 60 KB, and no more than ten pages are shown. */
const DOCUMENT_CHARS_PER_TOKEN = 27;
const MOST_DOCUMENT_TOKENS = 30_000;
const OVERHEAD_TOKENS = 10;
const PATIENCE_MS = 10_000;

const counted = z.object({ input_tokens: z.number().int().nonnegative() });

type Block = AssistantBlock | UserBlock;

/** About how many tokens a block is: four characters a token, an image 1,600, a PDF by its size. */
const blockTokens = (block: Block | { readonly type: string }): number => {
  if (block.type === 'image') return IMAGE_TOKENS;
  if (block.type === 'document')
    return Math.min(MOST_DOCUMENT_TOKENS, JSON.stringify(block).length / DOCUMENT_CHARS_PER_TOKEN);
  if (block.type === 'tool_result' && 'content' in block && Array.isArray(block.content))
    return OVERHEAD_TOKENS + block.content.reduce((sum, part) => sum + blockTokens(part), 0);
  if ('text' in block && typeof block.text === 'string') return block.text.length / CHARS_PER_TOKEN;
  return JSON.stringify(block).length / CHARS_PER_TOKEN;
};

/** Tokens of a request without asking anybody: within a third of the truth for prose and code. */
const estimateTokens = ({
  system,
  tools,
  messages,
}: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number =>
  Math.ceil(
    system.reduce((sum, block) => sum + blockTokens(block), 0) +
      JSON.stringify(tools).length / CHARS_PER_TOKEN +
      messages.reduce(
        (sum, { content }) => sum + content.reduce((all, block) => all + blockTokens(block), OVERHEAD_TOKENS),
        0,
      ),
  );

export interface CountDeps {
  readonly connection: Connection;
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: ModelRequest;
  readonly betas: readonly string[];
  readonly signal: AbortSignal;
}

/** Tokens of a request as the service counts them; estimated where it does not. Never throws. */
export const countTokens = async (
  deps: CountDeps,
): Promise<{ readonly tokens: number; readonly exact: boolean }> => {
  const { max_tokens: _, stream: __, ...body } = deps.body;
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const answer = await deps.connection.post('/v1/messages/count_tokens', body, {
      signal,
      betas: deps.betas,
      timeoutMs: PATIENCE_MS,
    });
    const parsed = counted.safeParse(jsonOf(await answer.text()));
    if (parsed.success) return { tokens: parsed.data.input_tokens, exact: true };
  } catch {
    // Whatever went wrong, the estimate below is an answer.
  }
  return { tokens: estimateTokens(deps.request), exact: false };
};
