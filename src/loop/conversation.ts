/** From what is recorded to what is sent: neighbours of one role are merged, results stand in call order, pairs are whole. */
import type { CallId } from '../contract/ids.ts';
import {
  type AssistantMessage,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  textOf,
  type UserBlock,
  type UserMessage,
} from '../contract/message.ts';

export const usesOf = (message: AssistantMessage): readonly ToolUseBlock[] =>
  message.content.flatMap((block) => (block.type === 'tool_use' ? [block as ToolUseBlock] : []));

const isResult = (block: UserBlock): block is ToolResultBlock => block.type === 'tool_result';

/** Results first and in the order of the calls; the rest as it came. A result without its call is left out. */
const ordered = (blocks: readonly UserBlock[], before: Message | undefined): readonly UserBlock[] => {
  const results = blocks.filter(isResult);
  if (results.length === 0) return blocks;
  const order = before?.role === 'assistant' ? usesOf(before).map((use) => use.id) : [];
  const first = new Map<CallId, ToolResultBlock>();
  for (const result of results) if (!first.has(result.tool_use_id)) first.set(result.tool_use_id, result);
  const sorted = order.flatMap((id) => first.get(id) ?? []);
  return [...sorted, ...blocks.filter((block) => !isResult(block))];
};

/** What goes into a request. Bytes already sent stay as they were: only the end grows. */
export const sendable = (messages: readonly Message[]): readonly Message[] => {
  const merged: Message[] = [];
  let users: UserBlock[] | undefined;
  const flush = () => {
    if (!users) return;
    const content = ordered(users, merged.at(-1));
    if (content.length > 0) merged.push({ role: 'user', content } satisfies UserMessage);
    users = undefined;
  };
  for (const message of messages) {
    if (message.role === 'user') {
      users = [...(users ?? []), ...message.content];
      continue;
    }
    flush();
    const last = merged.at(-1);
    if (last?.role === 'assistant')
      merged[merged.length - 1] = { ...message, content: [...last.content, ...message.content] };
    else if (last) merged.push(message);
  }
  flush();
  return merged;
};

/** Calls of the last reply that have no result yet. */
export const openUses = (messages: readonly Message[]): readonly ToolUseBlock[] => {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const reply = messages[at];
  if (reply?.role !== 'assistant') return [];
  const answered = new Set(
    messages
      .slice(at + 1)
      .flatMap((message) =>
        message.role === 'user' ? message.content.filter(isResult).map((block) => block.tool_use_id) : [],
      ),
  );
  return usesOf(reply).filter((use) => !answered.has(use.id));
};

/** What the model said last, cut replies included; empty when it said nothing. */
export const lastWords = (messages: readonly Message[]): string =>
  messages
    .filter((message) => message.role === 'assistant')
    .map((message) => textOf(message.content))
    .findLast((text) => text.trim() !== '') ?? '';

/** Whether a call has a result that is no error. */
export const succeeded = (messages: readonly Message[], id: CallId): boolean =>
  messages.some(
    (message) =>
      message.role === 'user' &&
      message.content.some((block) => isResult(block) && block.tool_use_id === id && !block.is_error),
  );

/** An error result: a sentence the model reads. */
export const refusal = (id: CallId, text: string): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: text,
  is_error: true,
});
