/** The service takes four breakpoints: tools, system, and the last two user turns. */
const MARK = { cache_control: { type: 'ephemeral' } } as const;
const TURNS = 2;

type Json = Readonly<Record<string, unknown>>;

export interface CacheableMessage extends Json {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Json[];
}

const markLast = <T extends Json>(blocks: readonly T[]): readonly T[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...MARK } : block));

export const markTools = markLast;
export const markSystem = markLast;

/**
 * Marks the end of the last two user turns: the newest writes the cache, the one before is what the next
 * request reads. Marks are the last key of a block, so that the bytes before stay as they were.
 */
export const markTurns = (messages: readonly CacheableMessage[]): readonly CacheableMessage[] => {
  const users = messages.flatMap((message, at) => (message.role === 'user' ? [at] : []));
  const marked = new Set(users.slice(-TURNS));
  return messages.map((message, at) =>
    marked.has(at) ? { ...message, content: markLast(message.content) } : message,
  );
};
