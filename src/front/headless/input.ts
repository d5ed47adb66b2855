import * as z from 'zod';
import type { ImageBlock } from '../../contract/message.ts';

/** One message from standard input. */
export interface StreamMessage {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

const image = z.object({
  type: z.literal('image'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});
const text = z.object({ type: z.literal('text'), text: z.string() });
const line = z.object({
  type: z.literal('user'),
  message: z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([text, image]))]),
  }),
});

/** A `stream-json` input line (conventions 10): a message, or a sentence that says what was wrong with it. */
export const readMessage = (raw: string, number: number): StreamMessage | { readonly problem: string } => {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { problem: `Line ${number} of standard input is not JSON; it was skipped.` };
  }
  const parsed = line.safeParse(value);
  if (!parsed.success)
    return {
      problem: `Line ${number} of standard input is no user message: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}. Expected {"type":"user","message":{"role":"user","content":"..."}}.`,
    };
  const { content } = parsed.data.message;
  if (typeof content === 'string') return { text: content, images: [] };
  return {
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    images: content.flatMap((block) => (block.type === 'image' ? [block] : [])),
  };
};
