/** Whose definitions bind a session: that of its agent, and those of all above it; and whose servers it may use. */
import type { Roster } from '../agents/roster.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Servers } from '../contract/server.ts';
import type { SessionState } from '../contract/state.ts';
import type { AgentParts } from './agent-parts.ts';

export interface Lineage {
  /** What an agent was opened with stays its own, whatever becomes of the file. */
  note(session: SessionId, parts: Pick<AgentParts, 'definition' | 'servers'>): void;
  /** Its own first. */
  of(state: SessionState): readonly AgentDefinition[];
  /** The servers that it or somebody above it brought. */
  brought(state: SessionState): readonly Servers[];
}

/** `named` finds the definition of an agent that is closed, or of an earlier process. */
export const createLineage = (
  roster: () => Roster,
  named: (type: string) => AgentDefinition | undefined,
): Lineage => {
  const noted = new Map<SessionId, Pick<AgentParts, 'definition' | 'servers'>>();
  /** A session and those above it, with the type of each where it is known. */
  const line = (state: SessionState): readonly (readonly [SessionId, string | undefined])[] => {
    const found: [SessionId, string | undefined][] = [[state.id, state.agent.type]];
    for (let next = state.parent; next !== undefined; ) {
      const seat = roster().byId(next);
      found.push([next, seat?.type]);
      next = next === state.root ? undefined : (seat?.parent ?? state.root);
    }
    return found;
  };
  return {
    note: (session, parts) => void noted.set(session, parts),
    of: (state) =>
      line(state).flatMap(
        ([id, type]) => noted.get(id)?.definition ?? (type && type !== 'main' ? (named(type) ?? []) : []),
      ),
    brought: (state) => line(state).flatMap(([id]) => noted.get(id)?.servers ?? []),
  };
};
