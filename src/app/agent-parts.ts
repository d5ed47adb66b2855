/** What an agent's definition brings to its session: its words once and for all, its tools, its servers, its hooks. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { HookSource } from '../contract/hook.ts';
import type { TextBlock } from '../contract/message.ts';
import type { Servers } from '../contract/server.ts';
import { withMemory } from './agent-memory.ts';
import type { Briefing } from './briefing.ts';
import { type OwnServersDeps, ownServers, withServers } from './own-servers.ts';

export interface AgentParts {
  /** With what its memory and its servers add. */
  readonly definition: AgentDefinition;
  /** The same in every request, whatever it writes into its memory meanwhile. */
  readonly system: readonly TextBlock[];
  readonly hooks: readonly HookSource[];
  readonly servers?: Servers;
}

export interface AgentPartsDeps extends OwnServersDeps {
  readonly briefing: Pick<Briefing, 'system'>;
}

export const agentParts = (
  given: AgentDefinition,
  deps: AgentPartsDeps,
  who: 'main' | 'child',
): AgentParts => {
  const definition = withServers(withMemory(given, deps.world));
  const { name, path, foreign = false, hooks } = definition;
  return {
    definition,
    system: deps.briefing.system(definition, who),
    hooks: hooks ? [{ source: 'agent', path: path ?? name, foreign, active: true, groups: hooks }] : [],
    servers: ownServers(definition, deps),
  };
};
