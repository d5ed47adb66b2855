import * as z from 'zod';

/** A content block as a client sent it; which fields it has depends on `type`. */
const WireBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
  cache_control: z.unknown().optional(),
});

const WireMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(WireBlock)]),
});

/** The parts of a Messages request that a test or the protocol check looks at. */
export const WireBody = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().positive().optional(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(WireBlock)]).optional(),
  messages: z.array(WireMessage).min(1, 'messages: at least one message is required'),
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        type: z.string().optional(),
        input_schema: z.unknown().optional(),
      }),
    )
    .optional(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().optional() }).optional(),
  temperature: z.number().optional(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
});

export type WireBlock = z.infer<typeof WireBlock>;
export type WireMessage = z.infer<typeof WireMessage>;
export type WireBody = z.infer<typeof WireBody>;

/** The content of a message as blocks; a bare string counts as one text block. */
export const blocksOf = (content: string | readonly WireBlock[]): readonly WireBlock[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** All text blocks joined by newlines, tool results and thinking left out. */
export const textOf = (content: string | readonly WireBlock[] | undefined): string =>
  content === undefined
    ? ''
    : blocksOf(content)
        .flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
        .join('\n');

/** What a tool_result says, its text blocks joined. */
export const resultText = (block: WireBlock): string => {
  const content = z
    .union([z.string(), z.array(WireBlock)])
    .optional()
    .safeParse(block.content);
  return content.success ? textOf(content.data) : '';
};

/** Messages with neighbours of one role merged, as the service reads them. */
export const merged = (
  messages: readonly WireMessage[],
): { role: string; blocks: readonly WireBlock[] }[] => {
  const turns: { role: string; blocks: readonly WireBlock[] }[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks = [...last.blocks, ...blocksOf(content)];
    else turns.push({ role, blocks: blocksOf(content) });
  }
  return turns;
};
