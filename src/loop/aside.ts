/** A question to a model beside the conversation: a summary, a page to read, a hook's condition. */
import type { AssistantMessage } from '../contract/message.ts';
import type { Failure, ModelRequest } from '../contract/model.ts';
import type { LoopDeps } from './deps.ts';
import { type Asker, tellRate, tellRetry } from './waits.ts';

export type Aside = { readonly message: AssistantMessage } | { readonly failure: Failure };

const cut: Failure = { kind: 'connection', text: 'The model gave no answer.', retryable: true };

/** One request that waits like all others where the service asks for it; nothing of its stream is shown. Never throws. */
export const aside = async (
  deps: Pick<LoopDeps, 'model' | 'governor' | 'emit'>,
  asker: Asker,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Aside> => {
  await deps.governor?.pass(signal);
  if (!signal.aborted)
    for await (const event of deps.model.stream(request, signal)) {
      if (event.type === 'retry') tellRetry(deps, asker, event);
      if (event.type === 'rate') tellRate(deps, asker, event.limits);
      if (event.type === 'done') return { message: event.message };
      if (event.type === 'failed' && !signal.aborted) return { failure: event.failure };
    }
  if (signal.aborted) deps.governor?.giveUp(asker.id);
  return { failure: cut };
};
