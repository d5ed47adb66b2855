import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallId } from '../contract/ids.ts';
import type { AssistantBlock, ToolUseBlock, Usage } from '../contract/message.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../contract/model.ts';
import { canonicalName, shortName } from '../contract/tool-names.ts';
import { type Talk, talkOf } from './conversation.ts';
import { PRACTICE_MODEL } from './model-id.ts';
import { type Call, LABEL, type Move, nextMove } from './moves.ts';

export interface PracticeOptions {
  /** Pause between two words (default 12 ms), so that an answer is seen to stream. */
  readonly paceMs?: number;
}

/**
 * A model without a model: it understands a handful of sentences, really calls the tools it is offered, reads
 * their results and says plainly what it is. Nothing leaves the machine.
 */
export const createPracticeModel = ({ paceMs = 12 }: PracticeOptions = {}): ModelClient => {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, undefined> {
    const began = performance.now();
    const id = `msg_${randomUUID()}`;
    const usage: Usage = {
      input_tokens: tokensIn(request),
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const move = moveFor(request);
    const content: AssistantBlock[] = [];
    let shown = '';
    yield { type: 'start', id, model: PRACTICE_MODEL, usage };
    for (const word of move.text.match(/\s*\S+\s*/g) ?? []) {
      if (!(await paused(paceMs, signal))) {
        const seen: AssistantBlock[] = shown === '' ? [] : [{ type: 'text', text: shown }];
        const failure = { kind: 'interrupted', text: 'Interrupted.', retryable: false } as const;
        yield { type: 'failed', failure, seen, usage };
        return;
      }
      shown += word;
      yield { type: 'delta', channel: 'text', text: word };
    }
    const text: AssistantBlock = { type: 'text', text: shown };
    content.push(text);
    yield { type: 'block', block: text };
    for (const { tool, input } of move.calls) {
      const block: ToolUseBlock = {
        type: 'tool_use',
        id: `toolu_${randomUUID()}` as CallId,
        name: tool,
        input,
      };
      content.push(block);
      yield { type: 'tool', name: tool };
      yield { type: 'block', block };
    }
    const message = {
      role: 'assistant',
      id,
      model: PRACTICE_MODEL,
      content,
      stop_reason: move.calls.length > 0 ? 'tool_use' : 'end_turn',
      usage: { ...usage, output_tokens: Math.ceil(JSON.stringify(content).length / 4) },
    } as const;
    yield { type: 'done', message, apiMs: Math.round(performance.now() - began) };
  }

  return {
    stream,
    count: async (request) => ({ tokens: tokensIn(request), exact: false }),
    warm: async () => undefined,
  };
};

const tokensIn = ({ system, tools, messages }: ModelRequest): number =>
  Math.ceil(JSON.stringify([system, tools, messages]).length / 4);

const paused = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
};

/** The next move, in the names of the tools that are offered; a tool that is not offered is said to be missing. */
const moveFor = (request: ModelRequest): Move => {
  const talk = talkOf(request);
  if (request.tools.length === 0 && talk.said.length > 1) return aboutTalk(talk);
  const offered = new Map(request.tools.map(({ name }) => [canonicalName(name), name]));
  const move = nextMove(talk, new Set(offered.keys()));
  const missing = move.calls.find(({ tool }) => !offered.has(tool));
  if (missing)
    return labelled(
      { text: `For this I need the tool ${shortName(missing.tool)}, which is not offered here.`, calls: [] },
      talk,
    );
  const calls = move.calls.map(({ tool, input }): Call => ({ tool: offered.get(tool) ?? tool, input }));
  return labelled({ text: move.text, calls }, talk);
};

/** The first answer of a conversation ends with what is speaking. */
const labelled = ({ text, calls }: Move, { first }: Talk): Move => ({
  text: first && calls.length === 0 && !text.includes('ractice model') ? `${text}\n\n_${LABEL}_` : text,
  calls,
});

/** A request without tools in a conversation that goes on wants a text about it: a title, a summary. */
const aboutTalk = ({ said }: Talk): Move => ({
  text: `${LABEL} So far the person asked: ${said
    .slice(0, -1)
    .map((words) => `"${words.slice(0, 80)}"`)
    .join(', ')}.`,
  calls: [],
});
