import { signature } from './sse.ts';
import { blocksOf, merged, type WireBlock, type WireBody, type WireMessage } from './wire.ts';

/**
 * Why the service would refuse this request with 400, or undefined where it would not.
 * The wording names the place (`messages.3: ...`), so a failing test says what was wrong.
 */
export const refusal = (body: WireBody): string | undefined =>
  firstOf([
    () => orderRefusal(body.messages),
    () => contentRefusal(body.messages),
    () => pairingRefusal(body.messages),
    () => thinkingRefusal(body),
    () => cacheRefusal(body),
    () => toolsRefusal(body),
    () => surrogateRefusal(body, 'body'),
  ]);

const orderRefusal = (messages: readonly WireMessage[]): string | undefined => {
  const odd = messages.findIndex(({ role }) => role !== 'user' && role !== 'assistant');
  if (odd >= 0) return `messages.${odd}: Unexpected role "${messages[odd]?.role}". Allowed: user, assistant.`;
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user') return 'messages: the conversation must end with a user message';
  return undefined;
};

const contentRefusal = (messages: readonly WireMessage[]): string | undefined =>
  firstOf(
    messages.map(({ content }, at) => () => {
      if (content.length === 0) return `messages.${at}: all messages must have non-empty content`;
      return firstOf(
        blocksOf(content).map((block, index) => () => blockRefusal(block, `messages.${at}.content.${index}`)),
      );
    }),
  );

const blockRefusal = (block: WireBlock, place: string): string | undefined => {
  switch (block.type) {
    case 'text':
      if (block.text === undefined) return `${place}.text: Field required`;
      return block.text.trim() === ''
        ? `${place}: text content blocks must contain non-whitespace text`
        : undefined;
    case 'tool_use':
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? '')) return `${place}.id: not a valid tool_use id`;
      if (!block.name) return `${place}.name: Field required`;
      return isObject(block.input) ? undefined : `${place}.input: Input should be a valid dictionary`;
    case 'tool_result':
      return toolResultRefusal(block, place);
    case 'thinking':
      if (block.cache_control) return `${place}: thinking blocks cannot carry cache_control`;
      return block.signature === signature(block.thinking ?? '')
        ? undefined
        : `${place}: Invalid \`signature\` in \`thinking\` block: the block was altered or never sent`;
    case 'redacted_thinking':
    case 'image':
    case 'document':
    case 'search_result':
      return undefined;
    default:
      return `${place}: Input tag "${block.type}" is not a known block type`;
  }
};

const toolResultRefusal = (block: WireBlock, place: string): string | undefined => {
  if (!block.tool_use_id) return `${place}.tool_use_id: Field required`;
  if (block.content === undefined || typeof block.content === 'string') return undefined;
  if (!Array.isArray(block.content)) return `${place}.content: must be a string or an array of blocks`;
  return firstOf(
    block.content.map((part: WireBlock, index) => () => {
      if (
        part.type !== 'text' &&
        part.type !== 'image' &&
        part.type !== 'document' &&
        part.type !== 'search_result'
      )
        return `${place}.content.${index}: Input tag "${part.type}" is not allowed in a tool_result`;
      if (block.is_error && part.type !== 'text') return `${place}: an is_error result may hold only text`;
      return part.type === 'text' && !part.text
        ? `${place}.content.${index}: text content blocks must be non-empty`
        : undefined;
    }),
  );
};

/** Every tool_use has exactly one tool_result at the head of the next user message, and the reverse. */
const pairingRefusal = (messages: readonly WireMessage[]): string | undefined => {
  const seen = new Set<string>();
  const turns = merged(messages);
  return firstOf(
    turns.map(({ role, blocks }, at) => () => {
      const wanted = ids(turns[at - 1]?.blocks ?? [], 'tool_use');
      const results = ids(blocks, 'tool_result');
      if (role === 'assistant') {
        if (results.length > 0) return `messages.${at}: tool_result blocks belong into user messages`;
        const uses = ids(blocks, 'tool_use');
        const twice = uses.find((id, index) => seen.has(id) || uses.indexOf(id) !== index);
        for (const id of uses) seen.add(id);
        return twice && `messages.${at}: tool_use ids must be unique, found ${twice} again`;
      }
      if (ids(blocks, 'tool_use').length > 0)
        return `messages.${at}: tool_use blocks belong into assistant messages`;
      const stray = results.find((id) => !wanted.includes(id));
      if (stray)
        return `messages.${at}: unexpected tool_use_id ${stray} in tool_result: no such tool_use before it`;
      const missing = wanted.filter((id) => !results.includes(id));
      if (missing.length > 0)
        return `messages.${at - 1}: tool_use ids without tool_result after them: ${missing.join(', ')}`;
      const twice = results.find((id, index) => results.indexOf(id) !== index);
      if (twice) return `messages.${at}: each tool_use must have a single result, found two for ${twice}`;
      const late = blocks.slice(0, results.length).some((block) => block.type !== 'tool_result');
      return late ? `messages.${at}: tool_result blocks must come first in the content` : undefined;
    }),
  );
};

/** Inside a tool loop a thinking model must see its own thinking at the head of its last message. */
const thinkingRefusal = ({ thinking, messages, temperature, max_tokens }: WireBody): string | undefined => {
  if (thinking?.type !== 'enabled') return undefined;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024) return 'thinking.budget_tokens: must be at least 1024';
  if (max_tokens !== undefined && budget >= max_tokens)
    return 'max_tokens must be greater than thinking.budget_tokens';
  if (temperature !== undefined && temperature !== 1)
    return 'temperature may only be set to 1 when thinking is enabled';
  const [last, results] = merged(messages).slice(-2);
  if (results?.blocks[0]?.type !== 'tool_result' || !last) return undefined;
  return last.blocks[0]?.type === 'thinking' || last.blocks[0]?.type === 'redacted_thinking'
    ? undefined
    : 'When thinking is enabled, a final assistant message must start with a thinking block';
};

const cacheRefusal = ({ system, tools, messages }: WireBody): string | undefined => {
  const marked = [
    ...(typeof system === 'string' || !system ? [] : system),
    ...(tools ?? []),
    ...messages.flatMap(({ content }) => [...blocksOf(content)]),
  ].filter((block) => block.cache_control);
  return marked.length > 4
    ? `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`
    : undefined;
};

const toolsRefusal = ({ tools = [], system }: WireBody): string | undefined => {
  if (Array.isArray(system)) {
    const empty = system.findIndex((block) => block.type === 'text' && !block.text?.trim());
    if (empty >= 0) return `system.${empty}: text content blocks must be non-empty`;
  }
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => name !== undefined && names.indexOf(name) !== index);
  if (twice) return `tools: Tool names must be unique, found ${twice} twice`;
  return firstOf(
    tools.map(({ name, type, input_schema }, at) => () => {
      if (type !== undefined && type !== 'custom') return undefined;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name ?? ''))
        return `tools.${at}.name: "${name}" is not a valid tool name`;
      return isObject(input_schema) && input_schema.type === 'object'
        ? undefined
        : `tools.${at}.input_schema: must be a JSON schema of type "object"`;
    }),
  );
};

/** Half a surrogate pair is not a character, and the service refuses the whole body for it. */
const surrogateRefusal = (value: unknown, place: string): string | undefined => {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : `${place}: lone surrogate in string`;
  if (typeof value !== 'object' || value === null) return undefined;
  return firstOf(
    Object.entries(value).map(
      ([key, part]) =>
        () =>
          surrogateRefusal(part, `${place}.${key}`),
    ),
  );
};

const ids = (blocks: readonly WireBlock[], type: 'tool_use' | 'tool_result'): string[] =>
  blocks.flatMap((block) =>
    block.type === type ? [(type === 'tool_use' ? block.id : block.tool_use_id) ?? ''] : [],
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstOf = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const found = check();
    if (found) return found;
  }
  return undefined;
};
