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
