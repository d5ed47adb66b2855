import type { EventBody } from '../contract/event.ts';
import type { AssistantBlock, AssistantMessage } from '../contract/message.ts';
import { noUsage, textOf } from '../contract/message.ts';
import type { Failure, ModelEvent, ModelRequest, RateLimits } from '../contract/model.ts';
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

/** Where the whole run is told something that is nobody's in particular. */
const tellRoot = ({ deps, state }: Here, body: EventBody): void => {
  const { root } = state();
  deps.emit({ session: root, agent: 'main' }, body);
};

/** A wait for one is a wait for all, with one countdown; other troubles are the session's own. */
export const tellRetry = (here: Here, event: Extract<ModelEvent, { type: 'retry' }>): void => {
  const { attempt, of, delayMs, failure } = event;
  const { status, kind, text } = failure;
  const body: EventBody = { type: 'retry', attempt, of, delayMs, status, kind, text };
  const { governor } = here.deps;
  if (!governor || (kind !== 'rate_limit' && kind !== 'overloaded')) here.emit(body);
  else if (governor.wait(here.opening.id, delayMs)) tellRoot(here, body);
};

export const tellRate = (here: Here, limits: RateLimits): void => {
  const delayMs = here.deps.governor?.hear(here.opening.id, limits);
  if (delayMs === undefined) return;
  const text = 'The rate limit of the service is used up.';
  tellRoot(here, { type: 'retry', attempt: 0, of: 0, delayMs, kind: 'rate_limit', text });
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
        tellRetry(here, event);
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
        tellRate(here, event.limits);
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
