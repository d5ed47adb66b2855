import type { CallId } from '../contract/ids.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  malformedInput,
  malformedOf,
  noUsage,
  type ServerBlock,
  type Usage,
} from '../contract/message.ts';
import type { ModelEvent } from '../contract/model.ts';
import { nestsDeeper } from '../lib/nesting.ts';
import { stopReasonOf, usageOf, type WireEvent } from './wire.ts';

/** A block that grows: what is known of it so far. */
interface Growing {
  readonly type: string;
  readonly first: Readonly<Record<string, unknown>>;
  text: string;
  signature: string;
  json: string;
}

export interface Assembler {
  /** Takes one event of the service; what it means for a reader comes back. */
  accept(event: WireEvent): readonly ModelEvent[];
  /** True once a delta or a block went out: from then on a retry would show things twice. */
  shown(): boolean;
  /** True once the service spoke its own format. */
  started(): boolean;
  /** True once `message_stop` came. */
  finished(): boolean;
  /** Whole blocks, and the text of an unfinished one; never a tool call that was not ended. */
  seen(): readonly AssistantBlock[];
  usage(): Usage;
  message(): AssistantMessage;
}

export interface AssemblerDeps {
  /** The model asked for, where the server does not name one. */
  readonly model: string;
  /** Ids of earlier calls: a server that counts from zero in every reply would name two calls alike. */
  readonly taken: () => ReadonlySet<string>;
  readonly newId: () => string;
}

const CUT_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded']);
const MALFORMED_LIMIT = 20_000;
/** No tool takes so many levels, and transcript, hooks and requests walk an input by recursion. */
const MOST_LEVELS = 200;

/** Builds one message from the events of a stream. */
export const createAssembler = ({ model, taken, newId }: AssemblerDeps): Assembler => {
  const growing = new Map<number, Growing>();
  const blocks: AssistantBlock[] = [];
  const used = new Set<string>();
  let head = { id: '', model };
  let usage = noUsage;
  let reason: string | undefined;
  let shown = false;
  let started = false;
  let finished = false;
  /** A tool call is held until the next event: only that tells whether the output limit cut it. */
  let held: { readonly block: AssistantBlock; readonly raw: string } | undefined;

  const uniqueId = (wish: unknown): CallId => {
    const id = typeof wish === 'string' && /^[\w-]+$/.test(wish) ? wish : `toolu_${newId()}`;
    const free = used.has(id) || taken().has(id) ? `toolu_${newId()}` : id;
    used.add(free);
    return free as CallId;
  };

  const add = (block: AssistantBlock): readonly ModelEvent[] => {
    blocks.push(block);
    shown = true;
    return [{ type: 'block', block }];
  };

  const release = (cut: boolean): readonly ModelEvent[] => {
    if (!held) return [];
    const { block, raw } = held;
    held = undefined;
    const doubtful = cut && block.type === 'tool_use' && raw.trim() === '';
    return add(doubtful ? { ...block, input: malformedInput('') } : block);
  };

  const end = (one: Growing): readonly ModelEvent[] => {
    switch (one.type) {
      case 'text':
        return one.text === '' ? [] : add({ type: 'text', text: one.text });
      case 'thinking':
        return add({ type: 'thinking', thinking: one.text, signature: one.signature });
      case 'redacted_thinking':
        return add({ type: 'redacted_thinking', data: String(one.first.data ?? '') });
      case 'tool_use': {
        const given = one.first.input ?? {};
        const input = one.json === '' ? usable(given, () => JSON.stringify(given)) : inputOf(one.json);
        const block: AssistantBlock = {
          type: 'tool_use',
          id: uniqueId(one.first.id),
          name: toolName(one.first.name),
          input,
        };
        const raw = one.json === '' && Object.keys(input).length > 0 ? '{}' : one.json;
        held = { block, raw };
        return [];
      }
      case 'server_tool_use':
      case 'web_search_tool_result': {
        const input = one.json === '' ? {} : { input: inputOf(one.json) };
        return add({ ...one.first, ...input, type: one.type } satisfies ServerBlock);
      }
      default:
        return one.text === '' ? [] : add({ type: 'text', text: one.text });
    }
  };

  const grow = (one: Growing, delta: Extract<WireEvent, { type: 'content_block_delta' }>['delta']) => {
    const text = delta.text ?? '';
    const thinking = delta.thinking ?? '';
    one.signature += delta.signature ?? '';
    one.json += delta.partial_json ?? '';
    one.text += text + thinking;
    if (text === '' && thinking === '') return [];
    shown = true;
    return [
      { type: 'delta', channel: thinking === '' ? 'text' : 'thinking', text: text + thinking },
    ] satisfies ModelEvent[];
  };

  const start = (at: number, first: Readonly<Record<string, unknown>>): readonly ModelEvent[] => {
    const type = String(first.type);
    const text = typeof first.text === 'string' ? first.text : '';
    const thought = typeof first.thinking === 'string' ? first.thinking : '';
    const signature = typeof first.signature === 'string' ? first.signature : '';
    growing.set(at, { type, first, text: text + thought, signature, json: '' });
    if (type === 'tool_use') return [{ type: 'tool', name: toolName(first.name) }];
    if (text + thought === '') return [];
    shown = true;
    return [{ type: 'delta', channel: thought === '' ? 'text' : 'thinking', text: text + thought }];
  };

  const accept = (event: WireEvent): readonly ModelEvent[] => {
    started = true;
    switch (event.type) {
      case 'message_start':
        head = { id: event.message.id ?? '', model: event.message.model || model };
        usage = usageOf(event.message.usage, usage);
        return [{ type: 'start', id: head.id, model: head.model, usage }];
      case 'content_block_start':
        return [...release(false), ...start(event.index, event.content_block)];
      case 'content_block_delta': {
        const one = growing.get(event.index) ?? implied(event.delta);
        if (!one) return [];
        growing.set(event.index, one);
        return grow(one, event.delta);
      }
      case 'content_block_stop': {
        const one = growing.get(event.index);
        growing.delete(event.index);
        return one ? [...release(false), ...end(one)] : [];
      }
      case 'message_delta':
        reason = event.delta.stop_reason ?? reason;
        usage = usageOf(event.usage, usage);
        return release(CUT_REASONS.has(reason ?? ''));
      case 'message_stop': {
        // Some servers never end their last block; a call that was not ended is not whole.
        const open = [...growing.values()].filter(({ type }) => type !== 'tool_use');
        growing.clear();
        finished = true;
        return [...release(CUT_REASONS.has(reason ?? '')), ...open.flatMap(end)];
      }
    }
  };

  const seen = (): readonly AssistantBlock[] => {
    const whole = held && isSound(held.block) ? [held.block] : [];
    const texts = [...growing.values()].filter(({ type, text }) => type === 'text' && text !== '');
    return [...blocks, ...whole, ...texts.map(({ text }): AssistantBlock => ({ type: 'text', text }))];
  };

  return {
    accept,
    shown: () => shown,
    started: () => started,
    finished: () => finished,
    seen,
    usage: () => usage,
    message: () => ({
      role: 'assistant',
      id: head.id || `msg_${newId()}`,
      model: head.model,
      content: [...blocks],
      stop_reason: stopReasonOf(
        reason,
        blocks.some(({ type }) => type === 'tool_use'),
      ),
      usage,
    }),
  };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSound = (block: AssistantBlock): boolean =>
  block.type !== 'tool_use' || malformedOf(block.input) === undefined;

/** An object, as tools take it, or what was written in its place. */
const usable = (input: unknown, raw: () => string): Readonly<Record<string, unknown>> => {
  if (nestsDeeper(input, MOST_LEVELS)) return malformedInput(`(nested deeper than ${MOST_LEVELS} levels)`);
  return isObject(input) ? input : malformedInput(raw().slice(0, MALFORMED_LIMIT));
};

const inputOf = (json: string): Readonly<Record<string, unknown>> => {
  try {
    return usable(JSON.parse(json), () => json);
  } catch {
    return malformedInput(json.slice(0, MALFORMED_LIMIT));
  }
};

/** A name the service takes back; what it named wrongly is answered as an unknown tool. */
const toolName = (name: unknown): string =>
  (typeof name === 'string' ? name : '').replace(/[^\w-]/g, '_').slice(0, 128) || 'unnamed';

/** A delta without a start: text is text, all else cannot be placed. */
const implied = (delta: { readonly text?: string; readonly thinking?: string }): Growing | undefined => {
  const type = delta.thinking === undefined ? 'text' : 'thinking';
  if (delta.text === undefined && delta.thinking === undefined) return undefined;
  return { type, first: { type }, text: '', signature: '', json: '' };
};
