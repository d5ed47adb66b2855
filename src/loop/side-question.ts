/** A question beside the work: the model sees the conversation, nothing of it is added to the conversation. */
import type { Message } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { reminder } from '../lib/reminder.ts';
import { aside } from './aside.ts';
import { openUses, sendable } from './conversation.ts';
import type { Here } from './deps.ts';
import { requestOf } from './sample.ts';

export type SideAnswer = { readonly text: string } | { readonly failed: string };

const ANSWER_TOKENS = 4_000;
const BESIDE =
  'The user asks something beside the work. Answer from what stands in this conversation and what you know, in a few sentences. Call no tool. Neither the question nor your answer becomes part of the conversation; the work goes on as before.';

/** The same head as any request, so that what the service keeps of it serves. Calls without results are left out. */
export const sideQuestion = async (
  here: Here,
  question: string,
  signal: AbortSignal,
): Promise<SideAnswer> => {
  const { messages } = here.state();
  const whole =
    openUses(messages).length === 0
      ? messages
      : messages.slice(
          0,
          messages.findLastIndex(({ role }) => role === 'assistant'),
        );
  const asked: Message = { role: 'user', content: [reminder(BESIDE), { type: 'text', text: question }] };
  const request = { ...requestOf(here), messages: sendable([...whole, asked]), maxTokens: ANSWER_TOKENS };
  const answer = await aside(here.deps, here.state(), request, signal);
  if ('failure' in answer) return { failed: answer.failure.text };
  const { content, model, usage } = answer.message;
  await here.record({ type: 'spent', about: 'side question', model, usage });
  const text = textOf(content).trim();
  return text === '' ? { failed: 'The model answered without words; ask in the conversation.' } : { text };
};
