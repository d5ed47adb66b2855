/** One question to a model, without tools: hooks of type prompt, pages to read. */
import { textOf } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { EntryBody } from '../contract/transcript.ts';
import { aside } from '../loop/aside.ts';
import { unpricedText } from '../loop/budget.ts';
import type { LoopDeps } from '../loop/deps.ts';
import type { Models } from './models.ts';

export interface ModelQuestion {
  readonly system: string;
  readonly prompt: string;
  /** Tier, alias or id. */
  readonly model: string;
  readonly signal: AbortSignal;
  /** Tokens of the answer. */
  readonly maxTokens?: number;
  /** What asks: its use is recorded under this name. */
  readonly about: string;
}

export type ModelAnswer = { readonly text: string } | { readonly failed: string };

/** What such a question stands on. */
export interface AskDeps extends Pick<LoopDeps, 'governor' | 'emit'> {
  readonly models: Models;
  /** True when some limit is in money. */
  money(): boolean;
  record(session: SessionState['id'], body: EntryBody): Promise<void>;
}

/** On behalf of a session, which it is counted for. Never rejects. */
export const askModel = async (
  { models, money, record, governor, emit }: AskDeps,
  state: SessionState,
  question: ModelQuestion,
): Promise<ModelAnswer> => {
  const model = models.id(question.model, state.model);
  if (money() && models.facts(model).price === undefined) return { failed: unpricedText(model) };
  const asked = await aside(
    { model: models.client, governor, emit },
    state,
    {
      model,
      system: [{ type: 'text', text: question.system }],
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: question.prompt }] }],
      maxTokens: question.maxTokens ?? 1024,
    },
    question.signal,
  );
  if ('failure' in asked) return { failed: asked.failure.text };
  const { message } = asked;
  await record(state.id, {
    type: 'spent',
    about: question.about,
    model: message.model,
    usage: message.usage,
  });
  return { text: textOf(message.content) };
};
