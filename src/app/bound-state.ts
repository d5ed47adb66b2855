/** A child's state as those above it bind it now (rulings 5 and 31). */
import type { SessionId } from '../contract/ids.ts';
import { stricter } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';

/** What of somebody above binds those below. */
type Above = Pick<SessionState, 'mode' | 'grants' | 'barred' | 'planScope'> & { readonly parent?: SessionId };

/**
 * The strictest mode of the line, the grants of all of it, and the plan that was approved above. `above` answers the
 * state of an open conversation; where one is closed, the root stands for it.
 */
export const boundState = (
  state: SessionState,
  above: (session: SessionId) => Above | undefined,
): SessionState => {
  let bound = state;
  let next = state.parent;
  for (let height = 0; next !== undefined && height < HIGHEST; height++) {
    const parent: Above | undefined = above(next) ?? (next === state.root ? undefined : above(state.root));
    if (!parent) break;
    bound = {
      ...bound,
      mode: stricter(bound.mode, parent.mode),
      grants: [...new Set([...bound.grants, ...parent.grants])],
      barred: [...(bound.barred ?? []), ...(parent.barred ?? [])],
      planScope: bound.planScope ?? parent.planScope,
    };
    next = parent.parent;
  }
  return bound;
};

/** Far more than agents may nest. */
const HIGHEST = 50;
