/** What the service says of its limits, told to everybody whom it concerns. */
import type { EventBody } from '../contract/event.ts';
import type { ModelEvent, RateLimits } from '../contract/model.ts';
import type { SessionState } from '../contract/state.ts';
import { type LoopDeps, nameOf } from './deps.ts';

type Deps = Pick<LoopDeps, 'governor' | 'emit'>;
/** On whose behalf the service was asked. */
export type Asker = Pick<SessionState, 'id' | 'root' | 'parent' | 'agent'>;

/** Where the whole run is told something that is nobody's in particular. */
const tellRoot = ({ emit }: Deps, { root }: Asker, body: EventBody): void =>
  emit({ session: root, agent: 'main' }, body);

/** A wait for one is a wait for all, with one countdown; other troubles are the asker's own. */
export const tellRetry = (deps: Deps, asker: Asker, event: Extract<ModelEvent, { type: 'retry' }>): void => {
  const { attempt, of, delayMs, failure } = event;
  const { status, kind, text } = failure;
  const body: EventBody = { type: 'retry', attempt, of, delayMs, status, kind, text };
  const { id, parent, agent } = asker;
  if (!deps.governor || (kind !== 'rate_limit' && kind !== 'overloaded'))
    deps.emit({ session: id, parent, agent: nameOf(agent) }, body);
  else if (deps.governor.wait(id, delayMs)) tellRoot(deps, asker, body);
};

export const tellRate = (deps: Deps, asker: Asker, limits: RateLimits): void => {
  const delayMs = deps.governor?.hear(asker.id, limits);
  if (delayMs === undefined) return;
  const text = 'The rate limit of the service is used up.';
  tellRoot(deps, asker, { type: 'retry', attempt: 0, of: 0, delayMs, kind: 'rate_limit', text });
};
