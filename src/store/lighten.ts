/** Very long sessions in little memory: what is old is cut in memory, the file stays whole. */
import type { AssistantBlock, UserBlock } from '../contract/message.ts';
import type { Entry } from '../contract/transcript.ts';

/** Bytes of lines that are kept as they are, counted from the end: more than this no service takes in one request. */
export const KEPT_WHOLE = 32 * 1024 * 1024;
/** Lines below this are not worth cutting. */
export const WORTH_CUTTING = 1024;
const KEPT_TEXT = 200;

/** A message with short texts and no pictures, still a valid one; other entries as they are. */
export const lighten = (entry: Entry): Entry => {
  switch (entry.type) {
    case 'user': {
      const { responses: _, ...rest } = entry;
      return {
        ...rest,
        content: entry.content.map(lightUser),
        ...(entry.display ? { display: cut(entry.display) } : {}),
      };
    }
    case 'assistant': {
      const kept = entry.message.content
        .filter((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking')
        .map(lightAssistant);
      return {
        ...entry,
        message: {
          ...entry.message,
          content: kept.length > 0 ? kept : [{ type: 'text', text: '[thinking left out]' }],
        },
      };
    }
    case 'hook':
      return {
        ...entry,
        run: { ...entry.run, input: null, stdout: cut(entry.run.stdout), stderr: cut(entry.run.stderr) },
      };
    default:
      return entry;
  }
};

const lightUser = (block: UserBlock): UserBlock => {
  if (block.type === 'text') return { type: 'text', text: cut(block.text) };
  if (block.type !== 'tool_result') return { type: 'text', text: `[${block.type} left out]` };
  const content =
    typeof block.content === 'string'
      ? block.content
      : block.content
          .map((part) => (part.type === 'text' ? part.text : `[${part.type} left out]`))
          .join('\n');
  return { ...block, content: cut(content) };
};

const lightAssistant = (block: AssistantBlock): AssistantBlock => {
  if (block.type === 'text') return { type: 'text', text: cut(block.text) };
  return block.type === 'tool_use' ? { ...block, input: cutInside(block.input) } : block;
};

const cutInside = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.map(cutInside);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutInside(inner)]));
};

/** A fresh string: a slice would hold on to the whole one. */
const cut = (text: string): string =>
  text.length <= KEPT_TEXT
    ? text
    : `${Buffer.from(text.slice(0, KEPT_TEXT)).toString()} [... ${text.length - KEPT_TEXT} characters left out]`;
