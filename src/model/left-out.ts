/** Pictures and documents that a server does not take: words stand in their place. */
import type { Message, TextBlock, UserBlock } from '../contract/message.ts';
import type { Quirk } from './quirks.ts';

const LEFT_OUT: Readonly<Record<string, { readonly quirk: Quirk; readonly text: string }>> = {
  document: {
    quirk: 'no-documents',
    text: '[A document stood here. It was left out: the server did not take it.]',
  },
  image: {
    quirk: 'no-images',
    text: '[A picture stood here. It was left out: the server did not take it.]',
  },
};

/** True where a message shows what such a server does not take. */
export const shows = (messages: readonly Message[], quirk: Quirk): boolean =>
  messages.some(
    (message) => message.role === 'user' && message.content.some((block) => mediaIn(block, new Set([quirk]))),
  );

const mediaIn = (block: UserBlock, quirks: ReadonlySet<Quirk>): boolean => {
  const left = LEFT_OUT[block.type];
  if (left) return quirks.has(left.quirk);
  return (
    block.type === 'tool_result' &&
    typeof block.content !== 'string' &&
    block.content.some((part) => mediaIn(part, quirks))
  );
};

/** Words in the place of pictures and documents that the server does not take. */
export const withoutMedia = (message: Message, quirks: ReadonlySet<Quirk>): Message => {
  if (message.role !== 'user' || !message.content.some((block) => mediaIn(block, quirks))) return message;
  const left = <Block extends UserBlock>(block: Block): Block | TextBlock => {
    const found = LEFT_OUT[block.type];
    return found && quirks.has(found.quirk) ? { type: 'text', text: found.text } : block;
  };
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === 'tool_result' && typeof block.content !== 'string'
        ? { ...block, content: block.content.map(left) }
        : left(block),
    ),
  };
};
