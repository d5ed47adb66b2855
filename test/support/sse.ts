import { createHash } from 'node:crypto';
import type { Block, MessageReply, Stop, Usage } from './replies.ts';

/** A content block as it goes over the wire. */
export type SentBlock = { type: string } & Record<string, unknown>;

/** The message a reply stands for, with ids and signatures filled in. */
export interface SentMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly SentBlock[];
  readonly stop_reason: Stop;
  readonly stop_sequence: null;
  readonly usage: Usage;
}

/** The signature under which a thinking block is known again; equal text gives an equal signature. */
export const signature = (thinking: string): string =>
  `sig${createHash('sha256').update(thinking).digest('base64')}`;

/** Fills in what the script left out. `serial` makes the ids differ between replies. */
export const sentMessage = (reply: MessageReply, model: string, serial: number): SentMessage => ({
  id: `msg_${String(serial).padStart(4, '0')}`,
  type: 'message',
  role: 'assistant',
  model,
  content: reply.blocks.map((block, index) =>
    sentBlock(block, `toolu_${String(serial).padStart(4, '0')}_${index}`),
  ),
  stop_reason:
    reply.stop ?? (reply.blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn'),
  stop_sequence: null,
  usage: {
    input_tokens: 100,
    output_tokens: Math.max(1, Math.ceil(lengthOf(reply.blocks) / 4)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...reply.usage,
  },
});

/** The SSE events of a message, in order, ready to write. */
export const eventsOf = (reply: MessageReply, sent: SentMessage): string[] => [
  sse('message_start', {
    message: { ...sent, content: [], stop_reason: null, usage: { ...sent.usage, output_tokens: 1 } },
  }),
  ...reply.blocks.flatMap((block, index) =>
    blockEvents(block, sent.content[index], index, reply.chunk ?? 24),
  ),
  sse('message_delta', { delta: { stop_reason: sent.stop_reason, stop_sequence: null }, usage: sent.usage }),
  sse('message_stop', {}),
];

/** One SSE event; the type stands both in the `event` line and in the data, as the service sends it. */
export const sse = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const sentBlock = (block: Block, id: string): SentBlock => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: signature(block.thinking) };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool_use', id: block.id ?? id, name: block.name, input: parsed(block.json) };
  }
};

const blockEvents = (block: Block, sent: SentBlock | undefined, index: number, chunk: number): string[] => {
  const delta = (fields: object): string => sse('content_block_delta', { index, delta: fields });
  const around = (start: object, deltas: string[]): string[] => [
    sse('content_block_start', { index, content_block: start }),
    ...deltas,
    sse('content_block_stop', { index }),
  ];
  switch (block.type) {
    case 'text':
      return around(
        { type: 'text', text: '' },
        chunks(block.text, chunk).map((text) => delta({ type: 'text_delta', text })),
      );
    case 'thinking':
      return around({ type: 'thinking', thinking: '', signature: '' }, [
        ...chunks(block.thinking, chunk).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: sent?.signature }),
      ]);
    case 'redacted_thinking':
      return around({ type: 'redacted_thinking', data: block.data }, []);
    case 'tool_use':
      return around(
        { type: 'tool_use', id: sent?.id, name: block.name, input: {} },
        ['', ...chunks(block.json, chunk)].map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
      );
  }
};

/** Splits by code points: a delta never tears a character apart, as on the real wire. */
const chunks = (text: string, size: number): string[] => {
  const points = Array.from(text);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) =>
    points.slice(i * size, (i + 1) * size).join(''),
  );
};

const lengthOf = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, block) => sum + JSON.stringify(block).length - 26, 0);

/** A broken input has no parsed form; a non-streamed answer then carries the text itself. */
const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};
