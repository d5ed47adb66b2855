import type { AgentResult } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Origin } from '../contract/transcript.ts';
import type { Derived } from './derive.ts';
import type { Mate } from './mate.ts';
import type { Claim } from './roster.ts';

/** All that a run of an agent begins with. */
export interface Beginning {
  readonly derived: Derived;
  /** Its prompt; absent when mail that waits already is enough. */
  readonly words?: string;
  /** Whose words these are; its parent's unless a person's. */
  readonly by?: 'person';
  /** What it should know of its place of work. */
  readonly facts?: readonly string[];
  leave(): Promise<AgentResult['worktree']>;
  /** Set when an earlier run is continued. */
  readonly before?: SessionState;
  /** Its part in a team. */
  readonly mate?: Mate;
  /** The place kept for it so far. */
  readonly claim?: Claim;
}

/**
 * Who speaks to an agent. Its parent gave it its work and speaks plainly; the words of any other agent are marked as
 * such for it, in a letter with this id.
 */
export const originOf = (
  speaker: SessionState,
  { by, parent, id }: { readonly by?: 'person'; readonly parent?: SessionId; readonly id: string },
): Origin => {
  if (by === 'person') return { kind: 'person' };
  const name = speaker.agent.name ?? speaker.agent.type;
  return speaker.id === parent
    ? { kind: 'agent', name, session: speaker.id }
    : { kind: 'mail', from: name, id };
};
