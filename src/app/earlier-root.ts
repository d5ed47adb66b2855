/** What a conversation that is opened again was. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import { fold } from '../loop/fold.ts';
import type { House } from './house.ts';
import type { RootWish } from './root-wish.ts';

/** What the transcript says so far, and where to go on. */
export const earlier = async (house: House, wish: RootWish, id: SessionId) => {
  if (!wish.from) return { before: undefined, repairs: [] };
  const loaded = await house.world.stores.transcripts.load(wish.from.path);
  const state = fold(wish.from.id, loaded.entries);
  return { before: state && { ...state, id, root: id }, repairs: loaded.repairs, entries: loaded.entries };
};

/** A conversation with an agent goes on with it. */
export const earlierAgent = (
  house: House,
  wish: RootWish,
  before: SessionState | undefined,
): AgentDefinition | undefined =>
  before === undefined || before.agent.type === 'main' || wish.member
    ? undefined
    : house.library.agents().find((one) => one.name === before.agent.type);
