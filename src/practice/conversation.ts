import type { AssistantMessage, ToolResultBlock, ToolUseBlock, UserBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import type { ModelRequest } from '../contract/model.ts';
import { canonicalName } from '../contract/tool-names.ts';

/** A call made since the person last spoke, with what came back. */
export interface Step {
  /** Canonical name. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly failed: boolean;
}

export interface Talk {
  /** What the person said last. */
  readonly request: string;
  /** Calls and their results since then, in order. */
  readonly steps: readonly Step[];
  /** True in the first turn of a conversation. */
  readonly first: boolean;
  /** Everything the person said. */
  readonly said: readonly string[];
}

const OURS = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

/** The person's own words in a block: reminders are taken out. */
const wordsOf = (block: UserBlock): string =>
  block.type === 'text' ? block.text.replace(OURS, '').trim() : '';

const resultText = ({ content }: ToolResultBlock): string =>
  typeof content === 'string' ? content : textOf(content);

/** Reads the conversation backwards to the last words of the person. */
export const talkOf = ({ messages }: Pick<ModelRequest, 'messages'>): Talk => {
  const spoken = messages.map((message) =>
    message.role === 'user' ? (message.content.map(wordsOf).findLast((words) => words !== '') ?? '') : '',
  );
  const at = spoken.findLastIndex((words) => words !== '');
  const later = messages.slice(at + 1);
  const results = new Map(
    later.flatMap((message) => (message.role === 'user' ? message.content.flatMap(entryOf) : [])),
  );
  const steps = later.flatMap((message) => (message.role === 'assistant' ? usesOf(message) : []));
  return {
    request: spoken[at] ?? '',
    steps: steps.map(({ id, name, input }) => stepOf(name, input, results.get(id))),
    first: !messages.slice(0, Math.max(0, at)).some(({ role }) => role === 'assistant'),
    said: spoken.filter((words) => words !== ''),
  };
};

const entryOf = (block: UserBlock): readonly (readonly [string, ToolResultBlock])[] =>
  block.type === 'tool_result' ? [[block.tool_use_id, block]] : [];

const usesOf = ({ content }: AssistantMessage): readonly ToolUseBlock[] =>
  content.filter((block): block is ToolUseBlock => block.type === 'tool_use');

const stepOf = (tool: string, input: unknown, result: ToolResultBlock | undefined): Step => ({
  tool: canonicalName(tool),
  input: typeof input === 'object' && input !== null ? { ...input } : {},
  text: result ? resultText(result).replace(OURS, '').trim() : '',
  failed: result?.is_error ?? false,
});
