/** Messages in the shape of the Messages API, so that what is stored is what is sent. */
import type { CallId } from './ids.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
export interface ImageBlock {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
}
/** A PDF handed to the model as it is. */
export interface DocumentBlock {
  readonly type: 'document';
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
}
/** Goes back unchanged in tool rounds: the service checks the signature. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: CallId;
  readonly name: string;
  readonly input: unknown;
}
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: CallId;
  readonly content: string | readonly (TextBlock | ImageBlock | DocumentBlock)[];
  readonly is_error?: boolean;
}
/** Tools that the service runs itself (web search): kept and sent back as they came. */
export interface ServerBlock {
  readonly type: 'server_tool_use' | 'web_search_tool_result';
  readonly [key: string]: unknown;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ServerBlock;
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock;

/** Token counts of one reply; cache counts are included in no other field. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'pause_turn'
  | 'model_context_window_exceeded';

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}
export interface AssistantMessage {
  readonly role: 'assistant';
  /** The service's message id; one per reply. */
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: StopReason | null;
  readonly usage: Usage;
}
export type Message = UserMessage | AssistantMessage;

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Tokens as budgets count them: what is read from the cache again is not used again. */
export const usedTokens = (usage: Usage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens;

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
});

/** From so many tokens on a prompt is long: some models have another price for it. */
const LONG_PROMPT = 100_000;

/** What one model used in all. */
export interface ModelUse extends Usage {
  /** The part of it that had a long prompt. */
  readonly long?: Usage;
}

/** Of one request. */
export const modelUse = (usage: Usage): ModelUse =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens > LONG_PROMPT
    ? { ...usage, long: usage }
    : usage;

const addUse = (a: ModelUse, b: ModelUse): ModelUse => ({
  ...addUsage(a, b),
  ...(a.long || b.long ? { long: addUsage(a.long ?? noUsage, b.long ?? noUsage) } : {}),
});

/** By model id. */
export type UseByModel = Readonly<Record<string, ModelUse>>;

export const withUse = (all: UseByModel, model: string, use: ModelUse): UseByModel => ({
  ...all,
  [model]: addUse(all[model] ?? noUsage, use),
});

/** What a conversation and all agents under it used. */
export const allUse = ({
  usageByModel,
  usageBelow = {},
}: {
  readonly usageByModel: UseByModel;
  readonly usageBelow?: UseByModel;
}): UseByModel =>
  Object.entries(usageBelow).reduce((all, [model, use]) => withUse(all, model, use), usageByModel);

/** The text blocks of a message, joined by line ends. */
export const textOf = (content: readonly { readonly type: string; readonly text?: unknown }[]): string =>
  content
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');

const MALFORMED = '__malformed_json';

/**
 * The input of a tool call whose JSON could not be read: a valid object that goes back to the service as it is.
 * The loop answers such a call with an error result; it is never run.
 */
export const malformedInput = (raw: string): Readonly<Record<string, string>> => ({ [MALFORMED]: raw });

/** What the model wrote where an input was not a JSON object; undefined for a sound input. */
export const malformedOf = (input: unknown): string | undefined => {
  if (typeof input !== 'object' || input === null || !(MALFORMED in input)) return undefined;
  const raw = input[MALFORMED];
  return typeof raw === 'string' ? raw : undefined;
};
