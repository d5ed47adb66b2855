/** Who may start: types, depth, number and names. Asked before anything is created. */
import type { AgentDefinition, SpawnRequest } from '../contract/agent.ts';
import { isReservedName, nameProblem } from '../contract/team.ts';
import type { HostDeps } from './host-deps.ts';
import type { Roster } from './roster.ts';

export const createAdmission = (deps: HostDeps, roster: Roster) => {
  const definitionOf = (request: SpawnRequest): AgentDefinition | { readonly refused: string } => {
    if (request.verifier) return deps.verifier;
    const known = deps.definitions();
    const found = known.find((one) => one.name === request.type);
    if (!found)
      return {
        refused: `There is no agent type "${request.type}". The types are: ${known
          .map((one) => one.name)
          .sort()
          .join(', ')}.`,
      };
    return found.tools?.length === 0
      ? {
          refused: `The agent type "${request.type}" cannot be started: none of the tools it lists is known here.`,
        }
      : found;
  };

  const full = (): string | undefined => {
    const { running } = deps.limits();
    return roster.running() >= running
      ? `${running} agents are running, which is the limit (setting limits.agentsAtOnce). Wait for one to finish or stop one.`
      : undefined;
  };

  /** Hooks check whatever else runs, and however deep. */
  const refuse = (request: SpawnRequest): string | undefined => {
    if (request.verifier) return undefined;
    const { depth } = deps.limits();
    if (deps.depthOf(request.parent) + 1 > depth)
      return `Agents may be nested ${depth} deep at most (setting limits.agentDepth); do this work yourself.`;
    const { name } = request;
    if (name === undefined) return full();
    if (isReservedName(name)) return `The name "${name}" is reserved. Choose another.`;
    const problem = nameProblem('agent', name);
    if (problem) return problem;
    const holder = roster.holder(name);
    return holder
      ? `The name "${name}" is in use by the agent ${holder}. Choose another, or send it a message.`
      : full();
  };

  return { definitionOf, refuse, full };
};
