/** The service's stream events, read with tolerance: other servers leave out ids, numbers and whole events. */
import * as z from 'zod';
import type { StopReason, Usage } from '../contract/message.ts';

const count = z.number().nonnegative().optional().catch(undefined);
const word = z.string().optional().catch(undefined);

const usage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
  })
  .optional()
  .catch(undefined);

const index = z.number().int().nonnegative().catch(0);
const block = z.looseObject({ type: z.string() });

const started = z.object({
  type: z.literal('message_start'),
  message: z.object({ id: word, model: word, usage }),
});
const blockStarted = z.object({ type: z.literal('content_block_start'), index, content_block: block });
const blockGrew = z.object({
  type: z.literal('content_block_delta'),
  index,
  delta: z.object({
    type: z.string(),
    text: word,
    thinking: word,
    signature: word,
    partial_json: word,
  }),
});
const blockEnded = z.object({ type: z.literal('content_block_stop'), index });
const ended = z.object({
  type: z.literal('message_delta'),
  delta: z.object({ stop_reason: word }).catch({}),
  usage,
});
const stopped = z.object({ type: z.literal('message_stop') });

export const wireEvent = z.discriminatedUnion('type', [
  started,
  blockStarted,
  blockGrew,
  blockEnded,
  ended,
  stopped,
]);
export type WireEvent = z.infer<typeof wireEvent>;

export const knownEvents: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

/** The body of an error, as the service and its imitators send it. */
export const wireError = z.object({
  error: z.union([
    z.object({ type: word, message: word }),
    z.string().transform((message) => ({ type: undefined, message })),
  ]),
  request_id: word,
});

/** A whole message: what a server that does not stream answers. */
export const wholeMessage = z.object({
  id: word,
  model: word,
  content: z.array(block),
  stop_reason: word,
  usage,
});

/** Later numbers replace earlier ones; what is missing stays. */
export const usageOf = (sent: z.infer<typeof usage>, before: Usage): Usage => ({
  input_tokens: sent?.input_tokens ?? before.input_tokens,
  output_tokens: sent?.output_tokens ?? before.output_tokens,
  cache_creation_input_tokens: sent?.cache_creation_input_tokens ?? before.cache_creation_input_tokens,
  cache_read_input_tokens: sent?.cache_read_input_tokens ?? before.cache_read_input_tokens,
});

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
  model_context_window_exceeded: 'model_context_window_exceeded',
  // Imitators.
  stop: 'end_turn',
  eos: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** An unknown or missing reason is read off the content: calls want answers. */
export const stopReasonOf = (sent: string | undefined, calls: boolean): StopReason => {
  const known = sent !== undefined && Object.hasOwn(REASONS, sent) ? REASONS[sent] : undefined;
  if (calls && (known === undefined || known === 'end_turn')) return 'tool_use';
  return known ?? 'end_turn';
};
