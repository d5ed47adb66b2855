import type { AssistantBlock, AssistantMessage } from '../contract/message.ts';
import { noUsage, textOf } from '../contract/message.ts';
import type { Failure, ModelRequest } from '../contract/model.ts';
import { sendable } from './conversation.ts';
import type { Here } from './deps.ts';

export type Sampled =
  | { readonly kind: 'reply'; readonly message: AssistantMessage; readonly requestId?: string }
  /** Ended early; `seen` is what the person saw of it. */
  | { readonly kind: 'interrupted'; readonly seen: readonly AssistantBlock[] }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly seen: readonly AssistantBlock[] };

export const requestOf = (here: Here): ModelRequest => {
  const { deps } = here;
  const state = here.state();
  const effort = state.inForce?.effort ?? state.effort;
  const serverTools = deps.serverTools?.(state) ?? [];
  return {
    model: state.inForce?.model ?? state.model,
    system: deps.system(state),
    tools: deps.tools(state).map((tool) => tool.schema),
    ...(serverTools.length > 0 ? { serverTools } : {}),
    messages: sendable(state.messages),
    ...(state.thinkingTokens > 0 ? { thinkingTokens: state.thinkingTokens } : {}),
    ...(effort ? { effort } : {}),
  };
};

/** One request, its stream turned into events. Never throws. */
export const sample = async (here: Here, signal: AbortSignal): Promise<Sampled> => {
  const { deps, emit } = here;
  await deps.governed?.(signal);
  const request = requestOf(here);
  emit({ type: 'request.started', model: request.model, contextTokens: here.state().contextTokens });
  for await (const event of deps.model.stream(request, signal)) {
    switch (event.type) {
      case 'delta':
        emit({ type: 'delta', channel: event.channel, text: event.text });
        break;
      case 'tool':
        emit({ type: 'tool.announced', tool: event.name });
        break;
      case 'raw':
        if (deps.partials) emit({ type: 'stream', event: event.event });
        break;
      case 'retry':
        emit({
          type: 'retry',
          attempt: event.attempt,
          of: event.of,
          delayMs: event.delayMs,
          status: event.failure.status,
          kind: event.failure.kind,
          text: event.failure.text,
        });
        break;
      case 'fallback':
        emit({
          type: 'notice',
          level: 'warn',
          text: `${event.from} is overloaded; this reply comes from ${event.to}.`,
        });
        break;
      case 'done':
        return { kind: 'reply', message: event.message, requestId: event.requestId };
      case 'failed':
        if (signal.aborted) return { kind: 'interrupted', seen: event.seen };
        return { kind: 'failed', failure: event.failure, seen: event.seen };
      case 'start':
      case 'block':
      case 'rate':
        break;
    }
  }
  const failure: Failure = {
    kind: 'connection',
    text: 'The model stream ended without a result.',
    retryable: true,
  };
  return signal.aborted ? { kind: 'interrupted', seen: [] } : { kind: 'failed', failure, seen: [] };
};

/** What a cut reply leaves in the conversation: its text, marked; never a tool call, never unsigned thinking. */
export const partialOf = (
  model: string,
  id: string,
  seen: readonly AssistantBlock[],
  mark: string,
): AssistantMessage | undefined => {
  const text = textOf(seen);
  if (text.trim() === '') return undefined;
  return {
    role: 'assistant',
    id,
    model,
    content: [{ type: 'text', text: `${text.trimEnd()}\n\n[${mark}]` }],
    stop_reason: null,
    usage: noUsage,
  };
};
