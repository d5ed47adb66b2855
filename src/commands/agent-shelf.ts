import type { AgentDefinition } from '../contract/agent.ts';
import type { Definition } from '../contract/catalog.ts';

/** Where definitions of agents are found and kept. */
export interface AgentShelf {
  /** Those in force. */
  agents(): readonly AgentDefinition[];
  definitions(): readonly Definition[];
  /** Folders for new definitions. */
  readonly folders: { readonly project: string; readonly user?: string };
  /** Opens a file in the person's editor; a sentence when that cannot be done. Absent where there is no editor to open. */
  edit?(path: string): Promise<string | undefined>;
  /** The text of a file; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Writes a new file, never over an existing one; a sentence when it cannot. */
  write(path: string, content: string): Promise<string | undefined>;
}

/** What its file says, repairs included. */
export const definitionOf = (shelf: AgentShelf, agent: AgentDefinition): Definition | undefined =>
  shelf
    .definitions()
    .find(
      (one) => one.kind === 'agent' && one.path === agent.path && !one.shadowedBy && isCalled(one, agent),
    );

/** Several may share a path: those of the command line. */
const isCalled = (one: Definition, agent: AgentDefinition): boolean =>
  one.source !== 'flag' || one.name === agent.name;

/** What was repaired in a definition, and what is wrong with it. */
export const faults = (definition: Definition | undefined): readonly (readonly [string, string])[] => [
  ...(definition?.repairs ?? []).map((one) => ['repaired', one] as const),
  ...(definition?.problems ?? []).map((one) => ['problem', one] as const),
];
