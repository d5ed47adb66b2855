import type { AssistantBlock, Message, UserBlock } from '../contract/message.ts';
import type { ModelFacts, ModelRequest } from '../contract/model.ts';
import { type CacheableMessage, markSystem, markTools, markTurns } from './caching.ts';
import { factsOf } from './facts.ts';
import { withoutMedia } from './left-out.ts';
import type { Quirk } from './quirks.ts';
import { thinkingFields } from './thinking.ts';

export interface BodyOptions {
  /** False where caching is switched off or the server refused the marks. */
  readonly caching?: boolean;
  readonly quirks?: ReadonlySet<Quirk>;
  /** Signatures of thinking blocks that the service refused: those blocks are left out. */
  readonly refusedThinking?: ReadonlySet<string>;
  readonly facts?: readonly ModelFacts[];
}

type Json = Record<string, unknown>;

const MAX_TOKENS = 32_000;
const MAX_TOKENS_HARD = 64_000;

/** The caller's wish, else 32,000 (64,000 at high efforts), never more than the model can put out. */
export const maxTokensOf = (request: ModelRequest, facts: readonly ModelFacts[] = []): number => {
  const hard = request.effort === 'xhigh' || request.effort === 'max';
  const wish = request.maxTokens ?? (hard ? MAX_TOKENS_HARD : MAX_TOKENS);
  return Math.max(1, Math.min(wish, factsOf(request.model, facts).maxOutput));
};

/**
 * The body of a request, keys in an order that never changes and messages last: cache marks aside, the bytes of
 * one request up to the end of its messages begin those of the next. Nothing here depends on time or chance.
 */
export const buildBody = (request: ModelRequest, options: BodyOptions = {}): Json => {
  const { quirks = new Set<Quirk>(), refusedThinking = new Set<string>() } = options;
  const caching = (options.caching ?? true) && !quirks.has('no-cache');
  const maxTokens = maxTokensOf(request, options.facts);
  const fields = thinkingFields(request, maxTokens);
  const tools: readonly Json[] = request.tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    input_schema,
  }));
  const offered = [...(caching ? markTools(tools) : tools), ...(request.serverTools ?? [])];
  const system: readonly Json[] = request.system
    .filter(({ text }) => text !== '')
    .map(({ text }) => ({ type: 'text', text }));
  const messages = request.messages
    .map((message) => sent(withoutMedia(message, quirks), refusedThinking))
    .filter(speaks);
  return {
    model: request.model,
    max_tokens: maxTokens,
    stream: true,
    ...(fields.thinking && !quirks.has('no-thinking') && mayThink(fields.thinking, messages)
      ? { thinking: fields.thinking }
      : {}),
    ...(fields.output_config && !quirks.has('no-effort') ? { output_config: fields.output_config } : {}),
    ...(fields.tool_choice && !quirks.has('no-tool-choice') ? { tool_choice: fields.tool_choice } : {}),
    ...(offered.length > 0 ? { tools: offered } : {}),
    ...(system.length > 0 ? { system: caching ? markSystem(system) : system } : {}),
    messages: caching ? markTurns(messages) : messages,
  };
};

/**
 * With a budget, calls that wait for their results must follow thinking: where it was switched on (or its blocks
 * were refused) in the middle of a tool round, it begins with the next turn.
 */
const mayThink = (
  { type }: Readonly<Record<string, unknown>>,
  messages: readonly CacheableMessage[],
): boolean => {
  const results = messages.at(-1)?.content.some((block) => block.type === 'tool_result');
  if (type !== 'enabled' || !results) return true;
  const first = messages.findLast(({ role }) => role === 'assistant')?.content[0]?.type;
  return first === 'thinking' || first === 'redacted_thinking';
};

/** A message as the service takes it: role and content only, no empty text, no refused thinking. */
const sent = (message: Message, refused: ReadonlySet<string>): CacheableMessage => {
  if (message.role === 'user') return { role: 'user', content: message.content.filter(isFull).map(copied) };
  return {
    role: 'assistant',
    content: message.content.filter((block) => isFull(block) && !isRefused(block, refused)).map(copied),
  };
};

const copied = (block: AssistantBlock | UserBlock): Json => ({ ...block });

const speaks = ({ content }: CacheableMessage): boolean => content.length > 0;

/** The service refuses text of blanks alone. */
const isFull = (block: AssistantBlock | UserBlock): boolean =>
  block.type !== 'text' || typeof block.text !== 'string' || block.text.trim() !== '';

const isRefused = (block: AssistantBlock, refused: ReadonlySet<string>): boolean => {
  const proof = thinkingProof(block);
  return proof !== undefined && refused.has(proof);
};

/** What tells one thinking block from another: its signature, or its sealed content. */
const thinkingProof = (block: AssistantBlock): string | undefined => {
  if (block.type === 'thinking') return String(block.signature);
  return block.type === 'redacted_thinking' ? String(block.data) : undefined;
};

/** The proofs of every thinking block of a conversation. */
export const thinkingProofs = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((block) => thinkingProof(block) ?? []) : [],
  );
