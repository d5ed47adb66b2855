/** The conversation now open with the agents that grow from it: replaced as a whole when another one is opened. */
import type { AgentHost } from '../agents/host.ts';
import type { WorktreeShelf } from '../commands/worktrees.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import type { Checkpoints } from '../contract/checkpoint.ts';
import type { Servers } from '../contract/server.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import type { AskDeps } from './ask-model.ts';
import type { AskPerson } from './elicitation.ts';
import type { Sight } from './sight.ts';

export interface Tree {
  /** Of the main conversation; undefined while it is being opened. */
  state(): SessionState | undefined;
  readonly agents: AgentHost;
  /** A child's state as those above it bind it now. */
  bound(state: SessionState): SessionState;
  /** The definitions of a session's agent and of those above it, its own first. */
  lineage(state: SessionState): readonly AgentDefinition[];
  /** The servers that these brought. */
  brought(state: SessionState): readonly Servers[];
  /** What a session is offered. */
  tools(state: SessionState): readonly Tool[];
  /** Puts a question of no particular call to the person, where one is there. */
  readonly askPerson: AskPerson;
  /** Absent where it is switched off. */
  readonly history?: Checkpoints;
  readonly worktrees: WorktreeShelf;
  /** What is shown of it. */
  readonly sight: Sight;
  /** What a question to a model beside the conversation needs of it. */
  readonly aside: Omit<AskDeps, 'models'>;
}

/** Where it stands, for what outlives a conversation; `openRoot` alone puts one there. */
export interface OpenTree {
  now(): Tree | undefined;
  become(tree: Tree): void;
}

export const createOpenTree = (): OpenTree => {
  let tree: Tree | undefined;
  return {
    now: () => tree,
    become(next) {
      tree = next;
    },
  };
};
