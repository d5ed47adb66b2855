/** A conversation made shorter without a model: always possible, always the same. */
import type { Message, ToolResultBlock, UserBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { usesOf } from './conversation.ts';
import { bytesPerToken, estimate, weight } from './estimate.ts';

const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()} […]`;

/** One line per thing that happened; the newest are kept when space is short. */
const digest = (messages: readonly Message[], bytes: number): string => {
  const lines = messages.flatMap((message) => {
    const words = message.content.filter(
      (block) => block.type !== 'text' || !String(block.text).startsWith('<system-reminder>'),
    );
    const text = textOf(words).trim();
    const said = text === '' ? [] : [`${message.role}: ${clip(text, 600)}`];
    const did =
      message.role === 'assistant'
        ? usesOf(message).map((use) => `called ${use.name} ${clip(JSON.stringify(use.input), 200)}`)
        : [];
    return [...said, ...did];
  });
  const taken: string[] = [];
  let left = bytes;
  for (const line of lines.toReversed()) {
    left -= weight(line) + 2;
    if (left < 0) break;
    taken.push(line);
  }
  const dropped = lines.length - taken.length;
  return [...(dropped > 0 ? [`(${dropped} earlier steps were dropped)`] : []), ...taken.toReversed()].join(
    '\n',
  );
};

/** Room for the words around the digest. */
const FRAME_TOKENS = 200;

/** What happened, within half a window less what is fixed: the next request stays under 60 % of it. */
export const shortened = (messages: readonly Message[], window: number, fixed: unknown): string => {
  const room = window * 0.5 - estimate(fixed) - FRAME_TOKENS;
  return `The conversation was shortened without a summary. What happened, in order:\n${digest(messages, Math.max(0, room * bytesPerToken))}`;
};

const MOST_RESULT = 1_500;

const MOST_WORDS = 6_000;

/** The same conversation with little left of tool results and of very long messages, without pictures: one that a summary can be asked of. */
export const lightened = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.map(lightBlock) } : message,
  );

const lightBlock = (block: UserBlock): UserBlock => {
  if (block.type === 'image' || block.type === 'document') return { type: 'text', text: `[${block.type}]` };
  if (block.type === 'text') return { type: 'text', text: clip(block.text, MOST_WORDS) };
  return lightResult(block);
};

const lightResult = (block: ToolResultBlock): ToolResultBlock => ({
  ...block,
  content:
    clip(typeof block.content === 'string' ? block.content : textOf(block.content), MOST_RESULT) || '(empty)',
});
