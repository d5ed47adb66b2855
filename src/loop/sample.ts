import type { AssistantBlock, AssistantMessage } from '../contract/message.ts';
import { noUsage, textOf } from '../contract/message.ts';
import type { Failure, ModelRequest } from '../contract/model.ts';
import { sendable } from './conversation.ts';
import type { Here } from './deps.ts';
import { tellRate, tellRetry } from './waits.ts';

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

/** What is shown to a person whose next request has to wait as well. */
const asked = { kind: 'rate_limit', text: 'The service asked to wait before the next request.' } as const;

/** One request, its stream turned into events. Never throws. */
export const sample = async (here: Here, signal: AbortSignal): Promise<Sampled> => {
  const { deps, emit } = here;
  const gaveUp = (seen: readonly AssistantBlock[]): Sampled => {
    deps.governor?.giveUp(here.opening.id);
    return { kind: 'interrupted', seen };
  };
  const delayMs = deps.governor?.left() ?? 0;
  if (delayMs > 0 && here.opening.session.root) emit({ type: 'retry', attempt: 0, of: 0, delayMs, ...asked });
  await deps.governor?.pass(signal);
  if (signal.aborted) return gaveUp([]);
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
        tellRetry(deps, here.state(), event);
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
        if (signal.aborted) return gaveUp(event.seen);
        return { kind: 'failed', failure: event.failure, seen: event.seen };
      case 'rate':
        tellRate(deps, here.state(), event.limits);
        break;
      case 'start':
      case 'block':
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
