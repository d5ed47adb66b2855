/** Whose definitions bind a session: that of its agent, and those of all above it. */
import type { Roster } from '../agents/roster.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';

export interface Lineage {
  /** What an agent was opened with stays its own, whatever becomes of the file. */
  note(session: SessionId, definition: AgentDefinition): void;
  /** Its own first. */
  of(state: SessionState): readonly AgentDefinition[];
}

/** `named` finds the definition of an agent that is closed, or of an earlier process. */
export const createLineage = (
  roster: () => Roster,
  named: (type: string) => AgentDefinition | undefined,
): Lineage => {
  const noted = new Map<SessionId, AgentDefinition>();
  const above = (session: SessionId | undefined, root: SessionId): readonly AgentDefinition[] => {
    if (session === undefined) return [];
    const seat = roster().byId(session);
    const definition = noted.get(session) ?? (seat && named(seat.type));
    return [
      ...(definition ? [definition] : []),
      ...(session === root ? [] : above(seat?.parent ?? root, root)),
    ];
  };
  return {
    note: (session, definition) => void noted.set(session, definition),
    of(state) {
      const own = noted.get(state.id) ?? (state.agent.type === 'main' ? undefined : named(state.agent.type));
      return [...(own ? [own] : []), ...above(state.parent, state.root)];
    },
  };
};
