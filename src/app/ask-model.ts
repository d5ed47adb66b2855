/** One question to a model, without tools: hooks of type prompt, pages to read, summaries. */
import { textOf } from '../contract/message.ts';
import type { Models } from './models.ts';

export interface ModelQuestion {
  readonly system: string;
  readonly prompt: string;
  /** Tier, alias or id. */
  readonly model: string;
  /** What `inherit` means. */
  readonly parent: string;
  readonly signal: AbortSignal;
  /** Tokens of the answer. */
  readonly maxTokens?: number;
}

/** The text of the answer, or why there is none. Never rejects. */
export const askModel = async (
  models: Models,
  question: ModelQuestion,
): Promise<{ readonly text: string } | { readonly failed: string }> => {
  const request = {
    model: models.id(question.model, question.parent),
    system: [{ type: 'text' as const, text: question.system }],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question.prompt }] }],
    maxTokens: question.maxTokens ?? 1024,
  };
  for await (const event of models.client.stream(request, question.signal)) {
    if (event.type === 'failed') return { failed: event.failure.text };
    if (event.type === 'done') return { text: textOf(event.message.content) };
  }
  return { failed: 'The model gave no answer.' };
};
