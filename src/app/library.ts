/** Skills, agents and command files of this run, and what they bring. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { SlashCommand } from '../contract/command.ts';
import type { HookSource } from '../contract/hook.ts';
import type { Rule } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import type { World } from './world.ts';

export interface Library {
  agents(): readonly AgentDefinition[];
  skillNames(): readonly string[];
  /** Skills and command files as slash commands. */
  commands(): readonly SlashCommand[];
  /** Listings of agents and skills for the model. */
  listings(state: SessionState): Promise<readonly string[]>;
  hookSources(): readonly HookSource[];
  grantedRules(state: SessionState): readonly Rule[];
}

export const createLibrary = (world: World): Library => {
  void world;
  const none: readonly HookSource[] = [];
  return {
    agents: () => [],
    skillNames: () => [],
    commands: () => [],
    listings: async () => [],
    hookSources: () => none,
    grantedRules: () => [],
  };
};
